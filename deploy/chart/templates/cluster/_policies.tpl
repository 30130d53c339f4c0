{{- /* Puts values into a policy: (list . FILE POLICY). It prints nothing. */ -}}
{{- define "nsclass.policy.fill" -}}
{{- $values := (index . 0).Values -}}
{{- $file := index . 1 -}}
{{- $policy := index . 2 -}}
{{- $constraints := $policy.spec.matchConstraints -}}
{{- $operators := concat (list (index . 0).Release.Namespace) $values.policies.operatorNamespaces | uniq -}}
{{- /* Where the file names our own namespace, the operators' namespaces are meant. */ -}}
{{- range ($constraints.namespaceSelector | default dict).matchExpressions -}}
{{- $_ := set . "values" (concat (without .values "nsclass-system") $operators | uniq) -}}
{{- end -}}
{{- $lists := dict -}}
{{- if eq $file "namespace-keys" -}}
{{- $_ := set $lists "guardedKeys" $values.policy.guardedKeys -}}
{{- else if eq $file "optional/lock" -}}
{{- $_ := set $lists "exemptUsers" $values.policies.lock.exemptUsers -}}
{{- $_ := set $lists "exemptGroups" $values.policies.lock.exemptGroups -}}
{{- else if eq $file "optional/require-class" -}}
{{- $selector := $constraints.namespaceSelector -}}
{{- $more := $values.policies.requireClass -}}
{{- $_ := set $selector "matchExpressions" (concat $selector.matchExpressions ($more.matchExpressions | default list)) -}}
{{- with $more.matchLabels }}{{ $_ := set $selector "matchLabels" . }}{{ end -}}
{{- end -}}
{{- range $policy.spec.variables -}}
{{- if get $lists .name -}}
{{- /* A CEL list of strings; what is in the file stays. A JSON string is a CEL string. */ -}}
{{- $_ := set . "expression" (printf "%s + %s" .expression (get $lists .name | toJson)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

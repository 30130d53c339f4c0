{{- /* Names of namespaced objects begin with this. It leaves room for what certificates are kept by: 49 characters for the Service. */ -}}
{{- define "nsclass.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 41 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 41 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 41 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Names of cluster-scoped objects begin with this, so that two instances do not collide, and two of one name do. */ -}}
{{- define "nsclass.clusterName" -}}
nsclass-{{ .Values.instance }}
{{- end -}}

{{- define "nsclass.controllerName" -}}{{ include "nsclass.fullname" . }}-controller{{- end -}}
{{- define "nsclass.webhookName" -}}{{ include "nsclass.fullname" . }}-webhook{{- end -}}
{{- define "nsclass.hooksName" -}}{{ include "nsclass.fullname" . }}-hooks{{- end -}}

{{- define "nsclass.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: nsclass
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- /* What picks the pods of a component: (list . COMPONENT). */ -}}
{{- define "nsclass.selector" -}}
app.kubernetes.io/name: nsclass
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "nsclass.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{- /* Rules of a role, from the one place where rights are spelled: (list . FILE). See shared/src/rights/own.rs. */ -}}
{{- define "nsclass.rights" -}}
{{- $context := index . 0 -}}
{{- tpl ($context.Files.Get (printf "files/rights/%s.yaml" (index . 1)) | regexFind "(?s)\n.*" | trim) $context -}}
{{- end -}}

{{- /* The documents of one of our own files, as a list under `documents`: (list . FILE). */ -}}
{{- define "nsclass.documents" -}}
documents:
{{- range splitList "\n---\n" ((index . 0).Files.Get (index . 1)) }}
-
{{ . | fromYaml | toYaml | indent 2 }}
{{- end }}
{{- end -}}

{{- define "nsclass.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "nsclass.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* How the pods of a component are spread: (list . COMPONENT). */ -}}
{{- define "nsclass.spread" -}}
{{- range $index, $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
{{- if $index }}{{ "\n" }}{{ end -}}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "nsclass.selector" $ | nindent 6 }}
{{- end }}
{{- end -}}

{{- /* The Secret of the serving pair. */ -}}
{{- define "nsclass.servingSecret" -}}
{{- if eq .Values.certificates.source "Files" -}}
{{- .Values.certificates.files.secret -}}
{{- else -}}
{{- include "nsclass.webhookName" . }}-tls
{{- end -}}
{{- end -}}

{{- /* A binding of a role to the ServiceAccount of a component: (list . COMPONENT-NAME KIND ROLE). */ -}}
{{- define "nsclass.bound" -}}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: {{ index . 2 }}, name: {{ index . 3 }} }
subjects:
- { kind: ServiceAccount, namespace: {{ (index . 0).Release.Namespace }}, name: {{ index . 1 }} }
{{- end -}}

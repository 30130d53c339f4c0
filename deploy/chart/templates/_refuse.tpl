{{- /*
Values that contradict each other, and what only the cluster can tell: one sentence each. What a single value may be is in
values.schema.json. `lookup` finds nothing in `helm template`, so that nothing is concluded from an absence unless a cluster answers.
*/ -}}
{{- define "nsclass.refuse" -}}
{{- include "nsclass.refuse.values" . -}}
{{- include "nsclass.refuse.certificates" . -}}
{{- include "nsclass.refuse.policies" . -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
{{- include "nsclass.refuse.cluster" . -}}
{{- end -}}
{{- end -}}

{{- define "nsclass.refuse.values" -}}
{{- with .Values -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" .instance) -}}
{{- fail (printf "instance: %q is not a DNS label: lower-case letters, digits and dashes, at most 63" .instance) -}}
{{- end -}}
{{- range (.scope.namespaceSelector | default dict).matchExpressions -}}
{{- if and (has .operator (list "In" "NotIn")) (not .values) -}}
{{- fail (printf "scope: namespaceSelector has operator %s for %q without values; list at least one" .operator .key) -}}
{{- else if and (has .operator (list "Exists" "DoesNotExist")) .values -}}
{{- fail (printf "scope: namespaceSelector has values for %q with operator %s; leave them out, or use In or NotIn" .key .operator) -}}
{{- end -}}
{{- end -}}
{{- if not (regexMatch "^(https://[^/?#@]+/?)?$" .webhook.url) -}}
{{- fail (printf "webhook: url is %q; write https://HOST or https://HOST:PORT, without a path" .webhook.url) -}}
{{- end -}}
{{- range .rbac.kinds -}}
{{- if or (has "*" .apiGroups) (has "*" .resources) -}}
{{- fail "rbac: kinds has a *, and nobody here may do everything; name the groups and resources that classes hold" -}}
{{- end -}}
{{- end -}}
{{- if and .scope.namespaces (kindIs "map" .scope.namespaceSelector) -}}
{{- fail "scope: both namespaces and namespaceSelector are set; keep one of the two, or none for every namespace" -}}
{{- end -}}
{{- if and (eq (int .webhook.replicas) 0) (eq .webhook.failurePolicy "Fail") -}}
{{- fail "webhook: replicas is 0 and failurePolicy is Fail, so that nobody could write a class; run at least one replica, or set failurePolicy to Ignore" -}}
{{- end -}}
{{- if and (ne .gate.mode "None") (not .gate.publicKeys) -}}
{{- fail (printf "gate: mode is %s and publicKeys is empty, so that no licence could open it; name the key that your licences are signed with" .gate.mode) -}}
{{- end -}}
{{- with .leaderElection -}}
{{- if ge (int .renewDeadlineSeconds) (int .leaseDurationSeconds) -}}
{{- fail (printf "leaderElection: renewDeadlineSeconds is %d and leaseDurationSeconds is %d; the deadline must be shorter, or two replicas could lead at once" (int .renewDeadlineSeconds) (int .leaseDurationSeconds)) -}}
{{- end -}}
{{- $attempt := add .retryPeriodSeconds .requestTimeoutSeconds -}}
{{- if le (int .renewDeadlineSeconds) (int $attempt) -}}
{{- fail (printf "leaderElection: renewDeadlineSeconds is %d; it must be more than retryPeriodSeconds and requestTimeoutSeconds together (%d), or one lost request ends leadership" (int .renewDeadlineSeconds) $attempt) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "nsclass.refuse.certificates" -}}
{{- with .Values.certificates -}}
{{- if eq .source "Files" -}}
{{- if or (not .files.secret) (not .files.bundleConfigMap) -}}
{{- fail "certificates: source is Files, which takes both files.secret and files.bundleConfigMap; name them" -}}
{{- end -}}
{{- else if or .files.secret .files.bundleConfigMap -}}
{{- fail (printf "certificates: files is set and source is %s; set source to Files, or leave files empty" .source) -}}
{{- end -}}
{{- if and .certManager.issuerRef (ne .source "CertManager") -}}
{{- fail (printf "certificates: certManager.issuerRef is set and source is %s; set source to CertManager, or leave it empty" .source) -}}
{{- end -}}
{{- if gt (mul (int64 .servingSeconds) 2) (int64 .authoritySeconds) -}}
{{- fail (printf "certificates: servingSeconds is %d and authoritySeconds is %d; a serving certificate is valid at most half as long as an authority" (int64 .servingSeconds) (int64 .authoritySeconds)) -}}
{{- end -}}
{{- if ge (mul (int64 .settleSeconds) 3) (int64 .servingSeconds) -}}
{{- fail (printf "certificates: settleSeconds is %d and servingSeconds is %d; settling takes less than a third of a serving certificate's time" (int64 .settleSeconds) (int64 .servingSeconds)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "nsclass.refuse.policies" -}}
{{- with .Values.policies -}}
{{- if not .enabled -}}
{{- if or .lock.enabled (kindIs "map" .requireClass) -}}
{{- fail "policies: lock or requireClass is on and enabled is false; set enabled to true, or switch them on in the installation that has the policies" -}}
{{- end -}}
{{- end -}}
{{- if and (not .lock.enabled) (or .lock.exemptUsers .lock.exemptGroups) -}}
{{- fail "policies: lock names who is exempt and is not enabled; set lock.enabled to true, or leave the lists empty" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "nsclass.refuse.cluster" -}}
{{- /* Another installation of this instance. */ -}}
{{- $role := lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" (printf "%s-controller" (include "nsclass.clusterName" .)) -}}
{{- if $role -}}
{{- $marks := $role.metadata.annotations | default dict -}}
{{- $release := get $marks "meta.helm.sh/release-name" -}}
{{- $namespace := get $marks "meta.helm.sh/release-namespace" -}}
{{- if and $release (or (ne $release .Release.Name) (ne $namespace .Release.Namespace)) -}}
{{- fail (printf "instance: %q is installed already, as release %s in namespace %s; give this one another name in the value instance, or upgrade that release" .Values.instance $release $namespace) -}}
{{- end -}}
{{- end -}}
{{- /* What another installation is to have. */ -}}
{{- if not .Values.crds.enabled -}}
{{- range $name := list "namespaceclasses.nsclass.io" "namespaceclassbindings.nsclass.io" "gitproviders.nsclass.io" "gittargets.nsclass.io" "watchrules.nsclass.io" "clusterwatchrules.nsclass.io" -}}
{{- if not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name) -}}
{{- fail (printf "crds: enabled is false and the cluster has no CustomResourceDefinition %s; set it to true, or apply deploy/crds first" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not .Values.policies.enabled -}}
{{- $policy := lookup "admissionregistration.k8s.io/v1" "ValidatingAdmissionPolicy" "" "nsclass-namespace-keys" -}}
{{- if not $policy -}}
{{- fail "policies: enabled is false and the cluster has no ValidatingAdmissionPolicy nsclass-namespace-keys; set it to true, or apply deploy/policies first" -}}
{{- end -}}
{{- $guarded := "" -}}
{{- range $policy.spec.variables }}{{ if eq .name "guardedKeys" }}{{ $guarded = .expression }}{{ end }}{{ end -}}
{{- range .Values.policy.guardedKeys -}}
{{- if not (contains (quote .) ($guarded | replace "'" "\"")) -}}
{{- fail (printf "policy: guardedKeys lists %q, which the policy nsclass-namespace-keys of the cluster does not guard, so that a tenant could choose it; list it in the installation that has the policies, too" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

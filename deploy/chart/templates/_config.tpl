{{- /* What changes with a restart only. */ -}}
{{- define "nsclass.config.fixed" -}}
instance: {{ .Values.instance }}
operatorNamespace: {{ .Release.Namespace }}
controller:
  workers: {{ .Values.controller.workers }}
  periodicPassSeconds: {{ .Values.controller.periodicPassSeconds | int64 }}
  namespaceFinalizer: {{ .Values.controller.namespaceFinalizer }}
webhook:
  authorChecks: {{ .Values.webhook.authorChecks }}
  maxInFlight: {{ .Values.webhook.maxInFlight }}
  shutdownDelaySeconds: {{ .Values.webhook.shutdownDelaySeconds }}
  {{- if .Values.webhook.clientCAConfigMap }}
  clientCA: /etc/nsclass/client-ca/ca.crt
  {{- end }}
leaderElection: {{- toYaml .Values.leaderElection | nindent 2 }}
git:
  enabled: {{ .Values.git.enabled }}
  pollSeconds: {{ .Values.git.pollSeconds | int64 }}
  repositoryMegabytes: {{ .Values.git.repositoryMegabytes | int64 }}
  encryptTo: {{ toJson .Values.git.encryptTo }}
{{- end -}}

{{- /* The one configuration file of both processes. */ -}}
{{- define "nsclass.config" -}}
{{ include "nsclass.config.fixed" . }}
scope:
  namespaces: {{ toJson .Values.scope.namespaces }}
  {{- if kindIs "map" .Values.scope.namespaceSelector }}
  namespaceSelector: {{ toJson .Values.scope.namespaceSelector }}
  {{- end }}
  allowReserved: {{ toJson .Values.scope.allowReserved }}
policy: {{- toYaml .Values.policy | nindent 2 }}
gate: {{- toYaml .Values.gate | nindent 2 }}
usage:
  enabled: {{ .Values.usage.enabled }}
  intervalSeconds: {{ .Values.usage.intervalSeconds | int64 }}
certificates:
  source: {{ .Values.certificates.source }}
  service: {{ include "nsclass.webhookName" . }}
  extraNames: {{ include "nsclass.extraNames" . }}
  authoritySeconds: {{ .Values.certificates.authoritySeconds | int64 }}
  servingSeconds: {{ .Values.certificates.servingSeconds | int64 }}
  settleSeconds: {{ .Values.certificates.settleSeconds | int64 }}
  certificate: {{ include "nsclass.webhookName" . }}
{{- end -}}

{{- /* Names of the certificate besides the Service's, as JSON. */ -}}
{{- define "nsclass.extraNames" -}}
{{- $names := .Values.certificates.extraNames -}}
{{- if .Values.webhook.url -}}
{{- $host := (urlParse .Values.webhook.url).hostname -}}
{{- if not (has $host $names) -}}{{- $names = append $names $host -}}{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

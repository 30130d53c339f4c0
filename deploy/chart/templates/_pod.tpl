{{- /* Where pods run: (list . VALUES-OF-THE-COMPONENT). */ -}}
{{- define "nsclass.placement" -}}
{{- $context := index . 0 -}}
{{- with index . 1 -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 0 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with $context.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* /livez says that the process runs; /readyz that it can do its work, a standby too. */ -}}
{{- define "nsclass.probes" -}}
livenessProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 10
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 2
  failureThreshold: 2
{{- end -}}

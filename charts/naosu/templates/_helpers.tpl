{{/* Labels that tell whose an object is. */}}
{{- define "naosu.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: naosu
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The reference of an image: (list $ "controller"). */}}
{{- define "naosu.image" -}}
{{- $root := first . }}{{- $part := last . }}
{{- $image := (get $root.Values $part).image }}
{{- $repository := required (printf "%s.image.repository is needed: no image of naosu is published yet; docs/en/install.md says how to build one" $part) $image.repository }}
{{- if $image.digest }}{{ $repository }}@{{ $image.digest }}
{{- else }}{{ $repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* An object of files/, with the release's labels: (list $ $object). */}}
{{- define "naosu.object" -}}
{{- $root := first . }}{{- $object := last . }}
{{- $labels := include "naosu.labels" $root | fromYaml }}
{{- $_ := set $object.metadata "labels" (merge (dict) ($object.metadata.labels | default dict) $labels) }}
{{- toYaml $object }}
{{- end }}

{{/* Metadata of a hook: (dict "root" $ "name" … "event" …), and "weight", which is lower for what a Job needs. */}}
{{- define "naosu.hook" -}}
name: {{ .name }}
labels:
  app.kubernetes.io/name: {{ .name }}
  {{- include "naosu.labels" .root | nindent 2 }}
annotations:
  helm.sh/hook: {{ .event }}
  helm.sh/hook-weight: {{ .weight | default -5 | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
  {{- if .weight }}
  helm.sh/hook-output-log-policy: hook-succeeded,hook-failed
  {{- end }}
{{- end }}

{{/* The Job of a hook, which runs naosu: the same, "args", and "priorityClassName". It has ended before `helm uninstall` gives up
waiting, after five minutes. */}}
{{- define "naosu.hookJob" -}}
{{- $values := .root.Values.controller -}}
apiVersion: batch/v1
kind: Job
metadata: {{- include "naosu.hook" (merge (dict "weight" 5) .) | nindent 2 }}
  namespace: {{ .root.Release.Namespace }}
spec:
  backoffLimit: 1
  activeDeadlineSeconds: 280
  template:
    metadata:
      labels: {{- merge (dict "app.kubernetes.io/name" .name) $values.podLabels | toYaml | nindent 8 }}
    spec:
      serviceAccountName: {{ .name }}
      restartPolicy: Never
      {{- with .priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
      {{- range . }}
      - name: {{ . }}
      {{- end }}
      {{- end }}
      nodeSelector: {{- toYaml $values.nodeSelector | nindent 8 }}
      {{- with $values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        seccompProfile: {type: RuntimeDefault}
      containers:
      - name: naosu
        image: {{ include "naosu.image" (list .root "controller") }}
        imagePullPolicy: {{ $values.image.pullPolicy }}
        args: {{- toYaml .args | nindent 8 }}
        resources:
          requests: {cpu: 50m, memory: 64Mi}
          limits: {memory: 512Mi}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: {drop: [ALL]}
{{- end }}

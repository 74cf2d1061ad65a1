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

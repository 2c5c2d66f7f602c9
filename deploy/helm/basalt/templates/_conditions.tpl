{{/*
matchConditions of a webhook: CEL by which kube-apiserver decides whether to ask it at all, so that an outage is noticed
by nobody else. The same text as `basalt webhook --print-configurations` gives.
Argument: dict "root" . "hook" a row of basalt.webhooks
*/}}
{{- define "basalt.conditions" -}}
{{- if eq .hook.path "/pods/validate" -}}
{{- $names := splitList "," (.root.Values.custom.scheduler_name | default "volcano") }}
- name: scheduled-by-volcano
  expression: {{ printf "has(object.spec.schedulerName) && object.spec.schedulerName in %s" (include "basalt.celList" $names) | toRawJson }}
- name: has-a-budget
  expression: {{ include "basalt.celAnnotations" (list "\"volcano.sh/jdb-min-available\" in object.metadata.annotations" "\"volcano.sh/jdb-max-unavailable\" in object.metadata.annotations") | toRawJson }}
{{- else if eq .hook.path "/pods/mutate" }}
- name: belongs-to-a-group
  expression: {{ include "basalt.celGroups" .root | toRawJson }}
{{- else if has "UPDATE" .hook.operations }}
- name: is-to-stay # finalizers can be taken off while the webhook is away
  expression: 'request.operation == "DELETE" || !has(object.metadata.deletionTimestamp)'
{{- end }}
{{- end -}}

{{/* ["a", "b"] */}}
{{- define "basalt.celList" -}}
{{- $quoted := list -}}
{{- range . }}{{ $quoted = append $quoted (toRawJson .) }}{{ end -}}
[{{ join ", " $quoted }}]
{{- end -}}

{{- define "basalt.celAnnotations" -}}
(has(object.metadata.annotations) && ({{ join " || " . }}))
{{- end -}}

{{- define "basalt.celAnnotationIs" -}}
{{- $key := toRawJson .key -}}
({{ $key }} in object.metadata.annotations && object.metadata.annotations[{{ $key }}] == {{ toRawJson .value }})
{{- end -}}

{{- define "basalt.gatesQueues" -}}
{{- if regexMatch "(^|,)[ ]*SchedulingGatesQueueAdmission=(true|True|TRUE|t|T|1)[ ]*(,|$)" (.Values.custom.admission_feature_gates | default "") }}true{{ end -}}
{{- end -}}

{{/* Which pods a resource group of the admission configuration, or a gate, is about; "" when there is nothing to do. */}}
{{- define "basalt.celGroups" -}}
{{- $text := .Values.custom.admission_config_override | default (.Files.Get .Values.basic.admission_config_file) -}}
{{- with (fromYaml $text).Error }}{{ fail (printf "the admission configuration is no YAML: %s" .) }}{{ end -}}
{{- $clauses := list -}}
{{- $annotations := list -}}
{{- range (fromYaml $text).resourceGroups -}}
  {{- $object := .object | default dict -}}
  {{- if eq ($object.key | default "") "namespace" -}}
    {{- $clauses = append $clauses (printf "request.namespace in %s" (include "basalt.celList" $object.value)) -}}
  {{- else -}}
    {{- range $object.value -}}
      {{- range $key, $value := fromYaml . -}}
        {{- if kindIs "string" $value -}}
          {{- $annotations = append $annotations (include "basalt.celAnnotationIs" (dict "key" $key "value" $value)) -}}
        {{- end -}}
      {{- end -}}
    {{- end -}}
    {{- if not $object.key -}}
      {{- $annotations = append $annotations (include "basalt.celAnnotationIs" (dict "key" "volcano.sh/resource-group" "value" .resourceGroup)) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if include "basalt.gatesQueues" . -}}
  {{- $annotations = append $annotations (include "basalt.celAnnotationIs" (dict "key" "scheduling.volcano.sh/queue-allocation-gate" "value" "true")) -}}
{{- end -}}
{{- if $annotations }}{{ $clauses = append $clauses (include "basalt.celAnnotations" $annotations) }}{{ end -}}
{{- $all := join " || " $clauses -}}
{{- gt (len $all) 8192 | ternary "true" $all -}}
{{- end -}}

{{/* Names, labels, image and replicas of a component. Argument: dict "root" . "component" "scheduler" */}}

{{- define "basalt.commonLabels" -}}
{{- with .Values.custom.common_labels }}
{{- toYaml . }}
{{- end }}
{{- end -}}

{{/* metadata.labels when there are some. */}}
{{- define "basalt.labelsOfAll" -}}
{{- with .Values.custom.common_labels }}
labels:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The value of a component, or the one for all: custom.scheduler_affinity, custom.default_affinity. */}}
{{- define "basalt.own" -}}
{{- $custom := .root.Values.custom -}}
{{- $value := get $custom (printf "%s_%s" .component .key) -}}
{{- if not $value }}{{ $value = get $custom (printf "default_%s" (trimPrefix "main_" .key)) }}{{ end -}}
{{- with $value }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "basalt.image" -}}
{{- $basic := .root.Values.basic -}}
{{- $name := get $basic (printf "%s_image_name" .component) -}}
{{- $own := get $basic (printf "%s_image_tag_version" .component) -}}
{{- $tag := $own | default $basic.image_tag_version | default .root.Chart.AppVersion -}}
{{- with $basic.image_registry }}{{ trimSuffix "/" . }}/{{ end }}{{ $name }}:{{ $tag }}
{{- end -}}

{{/* How many: what is asked for, else 2 where replicas can take turns. Two that both work would undo each other. */}}
{{- define "basalt.replicas" -}}
{{- $custom := .root.Values.custom -}}
{{- $asked := get $custom (printf "%s_replicas" .component) -}}
{{- $elects := or $custom.leader_elect_enable (eq .component "admission") -}}
{{- if kindIs "invalid" $asked -}}
{{- ternary 2 1 $elects -}}
{{- else -}}
{{- if and (gt (int $asked) 1) (not $elects) -}}
{{- fail (printf "custom.%s_replicas is %d, but custom.leader_elect_enable is false: all replicas would work at once. Set custom.leader_elect_enable to true or the replicas to 1" .component (int $asked)) -}}
{{- end -}}
{{- int $asked -}}
{{- end -}}
{{- end -}}

{{/* Whether a path like /jobs/mutate is among custom.enabled_admissions: "true" or "". */}}
{{- define "basalt.admits" -}}
{{- $paths := list -}}
{{- range splitList "," (.root.Values.custom.enabled_admissions | default "") }}{{ $paths = append $paths (trim .) }}{{ end -}}
{{- if has .path $paths }}true{{ end -}}
{{- end -}}

{{/* Volcano's features that are not here: asking for one is an error, not silence. */}}
{{- define "basalt.refuseMissing" -}}
{{- $custom := .Values.custom -}}
{{- range $key, $what := dict "colocation_enable" "the node agent" "agent_scheduler_enable" "the agent scheduler" -}}
{{- if get $custom $key -}}
{{- fail (printf "custom.%s is true, but Basalt does not have %s of Volcano: set it to false" $key $what) -}}
{{- end -}}
{{- end -}}
{{- with $custom.scheduler_plugins_dir -}}
{{- fail (printf "custom.scheduler_plugins_dir is %s, but plugins written in Go cannot be loaded: remove it" .) -}}
{{- end -}}
{{- if has ($custom.scheduler_sharding_mode | default "none") (list "hard" "soft") -}}
{{- fail "custom.scheduler_sharding_mode: nodes are not shared out among schedulers; set it to none" -}}
{{- end -}}
{{- end -}}

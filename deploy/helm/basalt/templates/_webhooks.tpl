{{/*
The webhooks, one row each; resource: group/version/plural. (Not "on:", which YAML reads as true.)
*/}}
{{- define "basalt.webhooks" -}}
- {path: /jobs/mutate, name: mutatejob, resource: batch.volcano.sh/v1alpha1/jobs, operations: [CREATE]}
- {path: /jobs/validate, name: validatejob, resource: batch.volcano.sh/v1alpha1/jobs, operations: [CREATE, UPDATE]}
- {path: /queues/mutate, name: mutatequeue, resource: scheduling.volcano.sh/v1beta1/queues, operations: [CREATE]}
- path: /queues/validate
  name: validatequeue
  resource: scheduling.volcano.sh/v1beta1/queues
  operations: [CREATE, UPDATE, DELETE]
- {path: /podgroups/mutate, name: mutatepodgroup, resource: scheduling.volcano.sh/v1beta1/podgroups, operations: [CREATE]}
- path: /podgroups/validate
  name: validatepodgroup
  resource: scheduling.volcano.sh/v1beta1/podgroups
  operations: [CREATE]
- {path: /pods/mutate, name: mutatepod, resource: /v1/pods, operations: [CREATE]}
- {path: /pods/validate, name: validatepod, resource: /v1/pods, operations: [CREATE]}
- path: /jobflows/validate
  name: validatejobflow
  resource: flow.volcano.sh/v1alpha1/jobflows
  operations: [CREATE, UPDATE]
- path: /cronjobs/validate
  name: validatecronjob
  resource: batch.volcano.sh/v1alpha1/cronjobs
  operations: [CREATE, UPDATE]
- path: /hypernodes/validate
  name: validatehypernodes
  resource: topology.volcano.sh/v1alpha1/hypernodes
  operations: [CREATE, UPDATE]
{{- end -}}

{{/* Fails for a path in custom.enabled_admissions that nobody serves. */}}
{{- define "basalt.checkAdmissions" -}}
{{- $known := list -}}
{{- range include "basalt.webhooks" . | fromYamlArray }}{{ $known = append $known .path }}{{ end -}}
{{- range splitList "," (.Values.custom.enabled_admissions | default "") -}}
{{- $path := trim . -}}
{{- if and $path (not (has $path $known)) -}}
{{- fail (printf "custom.enabled_admissions names %s; there are %s" $path (join ", " $known)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

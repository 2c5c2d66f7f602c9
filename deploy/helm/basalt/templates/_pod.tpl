{{/*
What the pods of all components share. Argument: dict "root" . "component" "scheduler" "app" "volcano-scheduler"
*/}}

{{- define "basalt.deploymentHead" -}}
{{- $custom := .root.Values.custom -}}
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    app: {{ .app }}
    {{- with mustMerge (dict) (get $custom (printf "%s_labels" .component) | default dict) ($custom.common_labels | default dict) }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  replicas: {{ include "basalt.replicas" . }}
  selector:
    matchLabels:
      app: {{ .app }}
  strategy:
    {{- if or $custom.leader_elect_enable (eq .component "admission") }}
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
    {{- else }}
    type: Recreate # two that both work would undo each other
    {{- end }}
{{- end -}}

{{- define "basalt.podMetadata" -}}
{{- $custom := .root.Values.custom -}}
labels:
  app: {{ .app }}
  {{- with mustMerge (dict) (get $custom (printf "%s_podLabels" .component) | default dict) ($custom.common_labels | default dict) }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "basalt.podSpec" -}}
serviceAccountName: {{ .root.Release.Name }}-{{ .name }}
automountServiceAccountToken: true
priorityClassName: system-cluster-critical
terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
{{- with .root.Values.basic.image_pull_secret }}
imagePullSecrets:
  - name: {{ . }}
{{- end }}
{{- with include "basalt.own" (merge (dict "key" "tolerations") .) }}
tolerations:
  {{- . | nindent 2 }}
{{- end }}
{{- with include "basalt.own" (merge (dict "key" "ns") .) }}
nodeSelector:
  {{- . | nindent 2 }}
{{- end }}
{{- with include "basalt.own" (merge (dict "key" "affinity") .) }}
affinity:
  {{- . | nindent 2 }}
{{- else }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        app: {{ $.app }}
  {{- end }}
{{- end }}
{{- with include "basalt.own" (merge (dict "key" "sc") .) }}
securityContext:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Image, security and resources of the container; its arguments stand in the template of the component. */}}
{{- define "basalt.container" -}}
image: {{ include "basalt.image" . }}
imagePullPolicy: {{ .root.Values.basic.image_pull_policy }}
{{- with get .root.Values.custom (printf "%s_resources" .component) }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "basalt.own" (merge (dict "key" "main_csc") .) }}
securityContext:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Alive while its loop makes progress; ready when it knows the cluster, or stands by. */}}
{{- define "basalt.probes" -}}
{{- $scheme := .scheme | default "HTTP" -}}
startupProbe:
  httpGet: {path: /healthz, port: healthz, scheme: {{ $scheme }}}
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  httpGet: {path: /healthz, port: healthz, scheme: {{ $scheme }}}
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: healthz, scheme: {{ $scheme }}}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{- define "basalt.serviceFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* ServiceAccount and the bindings of the roles that the component's template defines. */}}
{{- define "basalt.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  {{- include "basalt.labelsOfAll" .root | nindent 2 }}
automountServiceAccountToken: false # a pod that wants the token says so
---
{{- range list (list "ClusterRoleBinding" "ClusterRole") (list "RoleBinding" "Role") }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ first . }}
metadata:
  name: {{ $.root.Release.Name }}-{{ $.name }}-role
  {{- if eq (first .) "RoleBinding" }}
  namespace: {{ $.root.Release.Namespace }}
  {{- end }}
  {{- include "basalt.labelsOfAll" $.root | nindent 2 }}
subjects:
  - kind: ServiceAccount
    name: {{ $.root.Release.Name }}-{{ $.name }}
    namespace: {{ $.root.Release.Namespace }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ last . }}
  name: {{ $.root.Release.Name }}-{{ $.name }}
---
{{- end }}
{{- end -}}

{{/* A lease of a fixed name. A name cannot restrict creation, so any lease of this namespace can be made. */}}
{{- define "basalt.leaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ . }}]
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end -}}

{{/* An SSH key for each job that wants one: made and removed, never read. */}}
{{- define "basalt.jobSecretRules" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [create, delete]
{{- end -}}

{{- define "basalt.budget" -}}
{{- if and .root.Values.podDisruptionBudget.enabled (gt (include "basalt.replicas" . | int) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  {{- include "basalt.labelsOfAll" .root | nindent 2 }}
spec:
  minAvailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      app: {{ .app }}
{{- end }}
{{- end -}}

{{/* "ports": those that everybody may reach, by name; "metrics": whether there is also that one. */}}
{{- define "basalt.networkPolicy" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- if $policy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  {{- include "basalt.labelsOfAll" .root | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      app: {{ .app }}
  policyTypes: [Ingress]
  ingress:
    - ports:
        {{- range .ports }}
        - {port: {{ . }}, protocol: TCP}
        {{- end }}
    {{- if .metrics }}
    - ports:
        - {port: metrics, protocol: TCP}
      {{- with $policy.metricsFrom }}
      from:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Flags with a value, as a list of arguments; those without one are left out. JSON writes 1000000 in full. */}}
{{- define "basalt.flags" -}}
{{- range $flag, $value := . }}
{{- if $value }}
- {{ printf "--%s=%s" $flag (kindIs "string" $value | ternary $value (toJson $value)) | quote }}
{{- end }}
{{- end }}
{{- end -}}

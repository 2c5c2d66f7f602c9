# Making, showing and changing objects.

step "a namespace is created"
k create namespace "$namespace"
expect "namespace/$namespace created"

pod_file="$(file pod.yaml <<YAML
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, tier: front}
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: nginx:1.27
    ports: [{containerPort: 80}]
    env: [{name: A, value: "1"}]
    resources:
      requests: {cpu: 100m, memory: 64Mi}
YAML
)"

step "apply creates, then finds nothing to change, then configures"
k apply -f "$pod_file"
expect_exactly "pod/web created"
k apply -f "$pod_file"
expect_exactly "pod/web unchanged"
sed 's/tier: front/tier: back/' "$pod_file" >"$work/pod2.yaml"
k apply -f "$work/pod2.yaml"
expect_exactly "pod/web configured"
expect_value pod/web '{.metadata.labels.tier}' back

step "apply keeps and shows what was last applied"
k apply view-last-applied -f "$pod_file"
expect "tier: back"

step "apply removes a field that left the file"
grep -v 'labels:' "$pod_file" >"$work/pod3.yaml"
k apply -f "$work/pod3.yaml"
expect_value pod/web '{.metadata.labels}' ""
k apply -f "$pod_file"

step "an immutable field is refused with its path"
sed 's/restartPolicy: Never/restartPolicy: Always/' "$pod_file" >"$work/pod4.yaml"
refused apply -f "$work/pod4.yaml"
expect "Forbidden"
expect "pod updates may not change fields"

step "get shows the usual columns"
k get pods
expect_line '^NAME +READY +STATUS +RESTARTS +AGE$'
expect_line '^web +0/1 +Pending +0 +'

step "get -o wide shows more columns"
k get pods -o wide
expect_line '^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES$'
expect_line '^web +0/1 +Pending +0 +[^ ]+ +<none> +<none> +<none> +<none>$'

step "get -o yaml, json, name, jsonpath, go-template and custom-columns"
k get pod web -o yaml
expect "  name: web"
expect "kind: Pod"
expect_not "managedFields"
k get pod web -o yaml --show-managed-fields
expect "manager: kubectl-client-side-apply"
k get pod web -o json
expect '"kind": "Pod"'
k get pods -o name
expect_exactly "pod/web"
k get pods -o 'jsonpath={.items[*].spec.containers[0].image}'
expect_exactly "nginx:1.27"
k get pods -o 'go-template={{range .items}}{{.metadata.name}}{{end}}'
expect_exactly "web"
k get pods -o 'custom-columns=N:.metadata.name,P:.status.phase'
expect_line '^web +Pending$'

step "get selects by label and field, sorts, and shows labels"
k run other --image=busybox --labels=app=other
expect "pod/other created"
k get pods -l 'app in (web)' -o name
expect_exactly "pod/web"
k get pods --field-selector metadata.name=other -o name
expect_exactly "pod/other"
k get pods --field-selector status.phase!=Pending
expect "No resources found in $namespace namespace."
k get pods --sort-by=.metadata.name -o name
expect_exactly "pod/other
pod/web"
k get pods --show-labels
expect_line 'app=web,tier=front$'
k get pods -A -l app=web
expect_line "^$namespace +web "
k get pods --chunk-size=1 -o name
expect_exactly "pod/other
pod/web"
refused get pods --field-selector spec.nonsense=1
expect "field label not supported"

step "get says what is not there"
refused get pod nothing
expect_exactly 'Error from server (NotFound): pods "nothing" not found'
refused get nonsense
expect "the server doesn't have a resource type \"nonsense\""

step "describe shows the object"
k describe pod web
expect_line '^Name: +web$'
expect_line '^Status: +Pending$'
expect_line 'Image: +nginx:1.27'
expect_line '^QoS Class: +Burstable$'

step "labels are added, refused, overwritten and removed"
k label pod web color=red
expect_exactly "pod/web labeled"
refused label pod web color=blue
expect "already has a value (red), and --overwrite is false"
k label pod web color=blue --overwrite
expect_value pod/web '{.metadata.labels.color}' blue
k label pod web color-
expect_exactly "pod/web unlabeled"
refused label pod web 'color=not allowed!'

step "annotations are added and removed"
k annotate pod web note='two words'
expect_exactly "pod/web annotated"
expect_value pod/web '{.metadata.annotations.note}' "two words"
k annotate pod web note-

step "patch by strategic merge"
k patch pod web -p '{"spec":{"containers":[{"name":"main","image":"nginx:1.28"}]}}'
expect_exactly "pod/web patched"
expect_value pod/web '{.spec.containers[*].image}' nginx:1.28
k patch pod web -p '{"spec":{"containers":[{"name":"main","image":"nginx:1.28"}]}}'
expect_exactly "pod/web patched (no change)"

step "patch by merge"
k patch pod web --type=merge -p '{"metadata":{"labels":{"m":"1"}}}'
expect_value pod/web '{.metadata.labels.m}' 1

step "patch by JSON patch, and a test that fails"
k patch pod web --type=json -p '[{"op":"replace","path":"/metadata/labels/m","value":"2"}]'
expect_value pod/web '{.metadata.labels.m}' 2
refused patch pod web --type=json -p '[{"op":"test","path":"/metadata/labels/m","value":"9"}]'

step "edit with a scripted editor"
KUBE_EDITOR="sed -i s/tier:.front/tier:\ edited/" k edit pod web
expect_exactly "pod/web edited"
expect_value pod/web '{.metadata.labels.tier}' edited
KUBE_EDITOR=true k edit pod web
expect "Edit cancelled, no changes made."

step "set image and set env"
k create deployment shop --image=nginx:1 --replicas=2
expect "deployment.apps/shop created"
k set image deployment/shop nginx=nginx:2
expect_exactly "deployment.apps/shop image updated"
expect_value deployment/shop '{.spec.template.spec.containers[0].image}' nginx:2
k set env deployment/shop A=1
expect_value deployment/shop '{.spec.template.spec.containers[0].env[0].value}' 1

step "replace"
k get configmap -o name
k create configmap swap --from-literal=a=1
k create configmap swap --from-literal=b=2 -o yaml --dry-run=client
replacement="$(file swap.yaml <<<"$output")"
k replace -f "$replacement"
expect_exactly "configmap/swap replaced"
expect_value configmap/swap '{.data}' '{"b":"2"}'

step "create refuses what exists, and unknown fields"
refused create configmap swap
expect 'configmaps "swap" already exists'
refused apply -f "$(file typo.yaml <<YAML
{apiVersion: v1, kind: ConfigMap, metadata: {name: typo}, dta: {a: b}}
YAML
)"
expect 'unknown field "dta"'

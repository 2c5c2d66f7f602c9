# Seven jobs that wait for six causes: kubectl and vcctl say the same sentence about each. A third server, with a
# scheduler and four nodes of eight GPUs.
[[ -n $own ]] || return 0

outer=$KUBECONFIG
nodes=4:cpu=64,memory=64Gi,nvidia.com/gpu=8,name=gpu
KUBECONFIG="$(HOME="$users_home" "$kube/own-server" start "$work/waits" "$basalt" --ephemeral --no-local-node \
  --simulated-nodes $nodes)"
vcctl="$(dirname "$basalt")/vcctl"

# gang NAME PODS GPUS QUEUE [MORE]: a job of so many pods with so many GPUs each; MORE: fields of the pod.
gang() {
  k apply -f "$(file "$1.yaml" <<YAML
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: $1}
spec:
  minAvailable: $2
  schedulerName: volcano
  queue: $4
  tasks:
  - name: w
    replicas: $2
    template:
      spec: {restartPolicy: Never${5:-}, containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: $3}}}]}
YAML
)"
}

# waits NAME REASON SENTENCE: everywhere the same, in its conditions, events, columns and lists.
waits() {
  local name=$1 reason=$2 sentence=$3 place
  eventually "$sentence" get vcjob "$name" -o 'jsonpath={.status.state.message}'
  expect_value "vcjob/$name" '{.status.state.reason}' "$reason"
  for place in "vcjob $name" "podgroup $(podgroup_of "$name")"; do
    # shellcheck disable=SC2086
    eventually "$sentence" describe $place
    expect "$reason"
  done
  k get vcjob "$name" -o wide
  expect "$sentence"
  eventually "$sentence" get events --field-selector "involvedObject.kind=Job,involvedObject.name=$name"
  output="$("$vcctl" job list --kubeconfig "$KUBECONFIG" -n "$namespace" 2>&1)" || fail "vcctl job list" "$output"
  last="vcctl job list"
  expect_line "^$name .* $(printf '%s' "$sentence" | cut -c1-40)"
}

podgroup_of() {
  raw_kubectl get podgroup -o name
  sed -n "s#^podgroup.scheduling.volcano.sh/\($1-.*\)#\1#p" <<<"$output"
}

step "six jobs wait for six causes, and everybody says so in one sentence"
k create namespace "$namespace"
k apply -f "$(file dev.yaml <<YAML
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: dev}
spec: {weight: 1, reclaimable: false, capability: {nvidia.com/gpu: 4}}
YAML
)"
# Eight GPUs are used by a pod that belongs to no queue, so the cluster is full before its queues are.
k apply -f "$(file foreign.yaml <<YAML
apiVersion: v1
kind: Pod
metadata: {name: foreign}
spec:
  schedulerName: foreign
  nodeName: gpu-3
  containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]
YAML
)"
gang holds-dev 1 3 dev
eventually Running get vcjob holds-dev
gang holds 3 5 default
eventually Running get vcjob holds
gang pieces 1 4 default
waits pieces Fragmented "needs 1 × 4 nvidia.com/gpu; largest free blocks 3, 3"
gang large 5 8 default
gang capped 1 2 dev
gang full 2 6 default
gang gated 1 1 default ", schedulingGates: [{name: example.com/hold}]"
gang picky 1 1 default ", nodeSelector: {disk: ssd}"
gang outside 2 8 default ", nodeSelector: {disk: ssd}"
waits large NeverFits "needs 40 nvidia.com/gpu, the cluster has 32: cannot ever run"
waits capped QueueFull "needs 2 nvidia.com/gpu; queue dev holds 3 of 4"
waits full ClusterFull "needs 12 nvidia.com/gpu; the cluster has 6 of 32 free"
waits gated Gated "held by scheduling gate example.com/hold: 1 of 1 pods"
nowhere="no node matches: 4 of 4 have other labels than the node selector or affinity asks for: cannot ever run"
waits picky NoNodeMatches "$nowhere"
waits outside NoNodeMatches "$nowhere"

step "pods that the server refuses: the job says why, not only that it has none"
gang refused 1 1 default ", priorityClassName: nope"
eventually "no PriorityClass with name nope was found" get vcjob refused -o wide
expect_value vcjob/refused '{.status.state.reason}' FailedCreate
k describe vcjob refused
expect "no PriorityClass with name nope was found"
output="$("$vcctl" job list --kubeconfig "$KUBECONFIG" -n "$namespace" 2>&1)" || fail "vcctl job list" "$output"
last="vcctl job list"
expect_line "^refused .* no PriorityClass with name nope was found"
k delete vcjob refused

step "pods of a gang that cannot be placed look unschedulable to autoscalers"
eventually Unschedulable get pod pieces-w-0 -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].reason}'

step "the sentence goes with its cause"
k delete vcjob holds
eventually Running get vcjob pieces
eventually "message=." get vcjob pieces -o 'jsonpath=message={.status.state.message}.'

"$kube/own-server" stop "$work/waits" || fail "the server did not end well"
KUBECONFIG=$outer

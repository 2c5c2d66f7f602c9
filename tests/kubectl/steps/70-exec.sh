# Commands inside containers: a second server, whose node is this machine.
[[ -n $own ]] || return 0

outer=$KUBECONFIG
nodes=1:cpu=4,memory=8Gi,name=sim
KUBECONFIG="$(HOME="$users_home" "$kube/own-server" start "$work/exec" "$basalt" --ephemeral --simulated-nodes $nodes)"

# exits CODE ARGUMENTS…: kubectl ends with this status.
exits() {
  local wanted=$1 status=0
  shift
  raw_kubectl "$@" || status=$?
  ((status == wanted)) || fail "$last" "exit status $status instead of $wanted:" "$output"
}

step "exec: output, both streams, the exit code"
k create namespace "$namespace"
k apply -f "$(file exec.yaml <<YAML
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector: {basalt.sh/runtime: local}
  terminationGracePeriodSeconds: 0
  containers: [{name: a, image: x, env: [{name: WHO, value: me}], command: [sleep, "1000"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: two}
spec:
  nodeSelector: {basalt.sh/runtime: local}
  terminationGracePeriodSeconds: 0
  containers: [{name: a, image: x, command: [sleep, "1000"]}, {name: b, image: x, command: [sleep, "1000"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: simulated}
spec:
  nodeSelector: {basalt.sh/runtime: simulated}
  containers: [{name: a, image: x}]
---
apiVersion: v1
kind: Pod
metadata: {name: nowhere}
spec:
  nodeSelector: {no: where}
  containers: [{name: a, image: x}]
YAML
)"
k wait --for=condition=Ready pod/p pod/two pod/simulated --timeout="${patience}s"
k exec p -- sh -c 'echo hi $WHO'
expect_exactly "hi me"
exits 3 exec p -- sh -c 'echo bad >&2; exit 3'
expect "bad"
expect "command terminated with exit code 3"
refused exec p -- no-such-program
expect 'exec: "no-such-program": executable file not found'

step "exec -i: input goes in, and what comes out is the same"
head -c 3000000 /dev/urandom >"$work/much"
raw_kubectl exec -i p -- sh -c 'cat | sha256sum' <"$work/much" || fail "$last" "$output"
expect "$(sha256sum <"$work/much" | cut -d' ' -f1)"
"$programs/kubectl" --namespace "$namespace" exec -i p -- cat <"$work/much" | cmp - "$work/much" ||
  fail "it came back changed"

step "exec: the container is chosen, or the reason is told"
k exec two -c b -- printenv HOSTNAME
expect "two"
refused exec two -c nobody -- true
expect "container nobody is not valid for pod two"
refused exec simulated -- true
expect "pod simulated is on the simulated node sim-0: nothing runs there"
refused exec nowhere -- true
expect "pod nowhere does not have a host assigned"
refused exec nothing -- true
expect "NotFound"
KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false refused exec p -- true
expect "only WebSocket is spoken here"

step "exec: many at once"
for i in {1..12}; do
  "$programs/kubectl" --namespace "$namespace" exec p -- echo "word $i" >"$work/said-$i" 2>&1 &
  running[i]=$!
done
for i in {1..12}; do
  wait "${running[i]}" || fail "exec $i failed" "$(<"$work/said-$i")"
  [[ $(<"$work/said-$i") == "word $i" ]] || fail "exec $i said" "$(<"$work/said-$i")"
done

step "logs of the cluster's own parts, beside a node that removes logs of pods that are gone"
eventually "policy loaded" logs --namespace volcano-system deploy/volcano-scheduler
k logs --namespace volcano-system deploy/volcano-admission
expect "webhooks"

step "what the README says that kubectl cannot do here is told as an error"
refused port-forward pod/p :80
refused attach p
refused debug p --image=x
refused top pods
refused top nodes
k create deployment stored --image=x
expect "Warning: nobody runs a Deployment in this cluster"
refused autoscale deployment stored --max=3
refused create token default
refused certificate approve somebody

"$kube/own-server" stop "$work/exec"
KUBECONFIG=$outer

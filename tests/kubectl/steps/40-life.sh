# Waiting, watching, scaling, deleting.
# needs: 10-objects 20-generators

step "get -w shows changes as they come"
watching get configmaps -w --output-watch-events
arrives '^ADDED +made '
k create configmap seen --from-literal=a=1
arrives '^ADDED +seen +1 '
k patch configmap seen --type=merge -p '{"data":{"b":"2"}}'
arrives '^MODIFIED +seen +2 '
k delete configmap seen
arrives '^DELETED +seen +2 '
stop_watching

step "wait for a value, for a condition and for deletion"
k patch pod web --subresource=status --type=merge -p '{"status":{"phase":"Running"}}'
k wait pod/web --for=jsonpath='{.status.phase}'=Running --timeout=5s
expect_exactly "pod/web condition met"
k patch pod web --subresource=status -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
k wait pod/web --for=condition=Ready --timeout=5s
refused wait pod/web --for=condition=Initialized --timeout=1s
expect "timed out"
watching wait pod/web --for=delete --timeout=20s
k delete pod web
expect_line 'pod "web" deleted'
finishes

step "scale"
k scale deployment front --replicas=5
expect_exactly "deployment.apps/front scaled"
expect_value deployment/front '{.spec.replicas}' 5
refused scale deployment front --replicas=7 --current-replicas=1
expect "Expected replicas to be 1, was 5"
expect_value deployment/front '{.metadata.generation}' 2

step "rollout status of a deployment that is complete"
k patch deployment front --subresource=status --type=merge -p '{"status":{"observedGeneration":2,"replicas":5,
  "updatedReplicas":5,"readyReplicas":5,"availableReplicas":5}}'
k rollout status deployment/front --timeout=5s
expect 'deployment "front" successfully rolled out'
k get deployment front
expect_line '^front +5/5 +5 +5 +'
k rollout pause deployment/front
expect "paused"
k rollout resume deployment/front
k rollout restart deployment/front
expect "restarted"

step "delete refuses what is not there, or ignores it"
refused delete configmap nothing
expect 'Error from server (NotFound): configmaps "nothing" not found'
k delete configmap nothing --ignore-not-found
k delete configmap -l none=such
expect "No resources found"

step "delete by label and --all"
k create configmap bulk-1
k create configmap bulk-2
k label configmap bulk-1 bulk-2 bulk=yes
k delete configmap -l bulk=yes
expect_line 'configmap "bulk-1" deleted'
expect_line 'configmap "bulk-2" deleted'

step "a finalizer holds a deleted object"
k create configmap held
k patch configmap held --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'
k delete configmap held --wait=false
k get configmap held -o 'jsonpath={.metadata.deletionTimestamp}'
expect_line '^20'
k patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'
gone configmap/held

step "delete --grace-period and --force"
k run quick --image=busybox
k delete pod quick --grace-period=0 --force
expect_line 'pod "quick" force deleted'
gone pod/quick

# family PARENT CHILD: two config maps, the second owned by the first.
family() {
  k create configmap "$1"
  k get configmap "$1" -o 'jsonpath={.metadata.uid}'
  k apply -f "$(file "$2.yaml" <<YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: $2
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: $1, uid: $output, blockOwnerDeletion: true}]
YAML
)"
}

if [[ -n $own ]]; then # a garbage collector runs
  step "delete --cascade=background takes dependents along"
  family father son
  k delete configmap father --cascade=background
  gone configmap/son

  step "delete --cascade=foreground takes dependents first"
  family mother daughter
  k delete configmap mother --cascade=foreground
  gone configmap/daughter
  gone configmap/mother

  step "delete --cascade=orphan leaves dependents alone"
  family uncle orphan
  k delete configmap uncle --cascade=orphan
  gone configmap/uncle
  expect_value configmap/orphan '{.metadata.ownerReferences}' ""

  step "deleting a namespace drains it"
  k create namespace "$namespace-drain"
  k create configmap inside --namespace "$namespace-drain"
  k delete namespace "$namespace-drain"
  expect "deleted"
  gone "namespace/$namespace-drain"

  step "a new namespace has its default service account"
  eventually "default" get serviceaccounts
fi

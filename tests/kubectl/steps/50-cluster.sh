# Nodes, discovery, explain, events, who am I.
# needs: 10-objects

step "nodes: cordon, taint, label, describe"
k apply -f "$(file node.yaml <<YAML
apiVersion: v1
kind: Node
metadata: {name: node-$$, labels: {node-role.kubernetes.io/worker: ""}}
YAML
)"
k patch node "node-$$" --subresource=status --type=merge -p '{"status":{"nodeInfo":{"kubeletVersion":"v1.36.1"},
  "capacity":{"cpu":"4","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True","reason":"Ok"}]}}'
k get node "node-$$"
expect_line "^node-$$ +Ready +worker +[^ ]+ +v1.36.1$"
k cordon "node-$$"
expect_exactly "node/node-$$ cordoned"
k get node "node-$$"
expect_line "^node-$$ +Ready,SchedulingDisabled +worker"
k uncordon "node-$$"
expect_exactly "node/node-$$ uncordoned"
k taint node "node-$$" gpu=yes:NoSchedule
expect "tainted"
expect_value "node/node-$$" '{.spec.taints[?(@.key=="gpu")].effect}' NoSchedule
k taint node "node-$$" gpu-
expect "untainted"
k describe node "node-$$"
expect_line '^Roles: +worker$'
expect_line '^ +cpu: +4$'
k delete node "node-$$"

step "version, cluster-info, raw"
k version
expect_line '^Server Version: v1\.'
k get --raw /readyz
expect "ok"
k get --raw /version
expect '"major"'

step "api-resources and api-versions"
k api-resources
expect_line '^pods +po +v1 +true +Pod$'
expect_line '^deployments +deploy +apps/v1 +true +Deployment$'
expect_line '^customresourcedefinitions +crd,crds +apiextensions.k8s.io/v1 +false +CustomResourceDefinition$'
k api-resources --api-group=batch -o name
expect "jobs.batch"
k api-resources --namespaced=false -o name
expect "nodes"
expect_not "configmaps"
k api-versions
expect_line '^policy/v1$'
expect_line '^v1$'

step "explain"
k explain pod
expect_line '^KIND: +Pod$'
expect_line '^VERSION: +v1$'
expect_line '^  spec	<PodSpec>$'
k explain pod.spec.containers.resources.limits
expect_line '^FIELD: limits <map'
k explain deployment.spec --recursive
expect_line '^ +replicas	<integer>$'
refused explain pod.spec.nonsense
expect 'field "nonsense" does not exist'

step "auth whoami"
k auth whoami
expect_line '^ATTRIBUTE +VALUE$'
expect_line '^Username +[^ ]+'
expect "system:masters"

step "events: make one, list, describe shows it"
k get pod other -o 'jsonpath={.metadata.uid}'
k create -f "$(file event.yaml <<YAML
apiVersion: v1
kind: Event
metadata: {name: other.1}
involvedObject: {apiVersion: v1, kind: Pod, name: other, namespace: $namespace, uid: $output}
reason: Tested
message: it was tested
type: Normal
count: 2
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
source: {component: tester}
YAML
)"
k get events
expect_line '^[^ ]+ +Normal +Tested +pod/other +it was tested$'
k events --for pod/other
expect "it was tested"
k describe pod other
expect "it was tested"

step "a CRD serves its kind with columns, explain and validation"
k apply -f "$(file crd.yaml <<YAML
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.kubectl.example.com}
spec:
  group: kubectl.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, shortNames: [bt]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns:
    - {name: Length, type: integer, jsonPath: .spec.length}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [length]
            properties:
              length: {type: integer, minimum: 1, description: from bow to stern}
              size: {type: integer, default: 2}
          status: {type: object, properties: {size: {type: integer}}}
YAML
)"
expect "customresourcedefinition.apiextensions.k8s.io/boats.kubectl.example.com created"
k wait crd/boats.kubectl.example.com --for=condition=Established --timeout=20s
eventually "boats" api-resources --api-group=kubectl.example.com
boat_file="$(file boat.yaml <<YAML
{apiVersion: kubectl.example.com/v1, kind: Boat, metadata: {name: emma}, spec: {length: 12}}
YAML
)"
eventually "boat.kubectl.example.com/emma" apply -f "$boat_file"
k get bt
expect_line '^NAME +LENGTH +AGE$'
expect_line '^emma +12 '
expect_value boat/emma '{.spec.size}' 2
k scale boat emma --replicas=3
expect_value boat/emma '{.spec.size}' 3
refused patch boat emma --type=merge -p '{"spec":{"length":0}}'
expect "should be greater than or equal to 1"
eventually "from bow to stern" explain boat.spec.length
k delete boat emma
k delete crd boats.kubectl.example.com

# What only our server has: container logs from its state folder, and Volcano's kinds.
# needs: 10-objects
[[ -n $own ]] || return 0

step "logs"
k run talker --image=busybox
logs="$state/logs/$namespace/talker"
mkdir -p "$logs"
printf 'one\ntwo\nthree\n' >"$logs/talker.log"
k logs talker
expect_exactly "one
two
three"
k logs talker --tail=1
expect_exactly "three"
k logs talker -c talker --limit-bytes=3
expect_exactly "one"
refused logs talker -c nobody
expect "container nobody is not valid for pod talker"
refused logs nothing
expect "NotFound"

step "logs -f follows"
watching logs -f talker
arrives '^three$'
echo four >>"$logs/talker.log"
arrives '^four$'
stop_watching

step "Volcano's kinds are there, with their columns"
k get vcjob,queue,podgroup
expect_not "error"
k api-resources --api-group=batch.volcano.sh
expect_line '^jobs +vcjob,vj +batch.volcano.sh/v1alpha1 +true +Job$'

step "a Volcano job, a queue and a pod group can be applied, shown and deleted"
k apply -f "$(file vcjob.yaml <<YAML
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: kubectl-q}
spec: {weight: 2, reclaimable: true}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: gang}
spec: {minMember: 2, queue: kubectl-q}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  minAvailable: 2
  schedulerName: volcano
  queue: kubectl-q
  tasks:
  - name: worker
    replicas: 2
    template:
      spec:
        restartPolicy: Never
        containers: [{name: main, image: busybox}]
YAML
)"
expect "queue.scheduling.volcano.sh/kubectl-q created"
expect "podgroup.scheduling.volcano.sh/gang created"
expect "job.batch.volcano.sh/train created"
k get vcjob,queue,podgroup
expect_line '^job.batch.volcano.sh/train '
expect_line '^queue.scheduling.volcano.sh/kubectl-q '
expect_line '^podgroup.scheduling.volcano.sh/gang '
k get vcjob train
expect_line '^NAME +STATUS +MINAVAILABLE +RUNNINGS +AGE'
expect_line '^train '
k explain vcjob.spec.minAvailable
expect_line '^FIELD: minAvailable <integer>'
k get podgroup gang -o 'jsonpath={.spec.minMember}'
expect_exactly "2"
k delete vcjob/train podgroup/gang
k delete queue kubectl-q

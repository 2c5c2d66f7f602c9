# kubectl create for each kind it knows.
# needs: 10-objects

step "create configmap from literals and files"
echo hello >"$work/greeting.txt"
k create configmap made --from-literal=k=v --from-file="$work/greeting.txt"
expect_exactly "configmap/made created"
expect_value configmap/made '{.data.k}' v
k get configmap made
expect_line '^made +2 +'

step "create secrets"
k create secret generic pass --from-literal=p=word
expect_value secret/pass '{.data.p}' d29yZA==
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=x -keyout "$work/t.key" \
  -out "$work/t.crt" 2>/dev/null
k create secret tls cert --cert="$work/t.crt" --key="$work/t.key"
expect_value secret/cert '{.type}' kubernetes.io/tls
k create secret docker-registry pull --docker-username=u --docker-password=p --docker-server=example.com
expect_value secret/pull '{.type}' kubernetes.io/dockerconfigjson
k get secret pass
expect_line '^pass +Opaque +1 +'
k describe secret pass
expect_line '^p: +4 bytes$'

step "create deployment, job and cronjob"
k create deployment front --image=nginx --replicas=3
k get deployment front
expect_line '^front +0/3 +0 +0 +'
k create job once --image=busybox -- true
expect_line '^job.batch/once created$'
expect_line '^Warning: nobody runs a Job in this cluster: '
eventually "NotRun" get events --field-selector involvedObject.name=once
k get job once
expect_line '^once +[^ ]+ +0/1 '
k create cronjob nightly --image=busybox --schedule='0 3 * * *' -- true
k get cronjob nightly
expect_line '^nightly +0 3 \* \* \* +<none> +False +0 +<none> '
refused create cronjob wrong --image=busybox --schedule='whenever' -- true

step "create namespace, quota, priorityclass and serviceaccount"
k create namespace "$namespace-two"
expect_exactly "namespace/$namespace-two created"
k create quota limits --hard=pods=100,requests.cpu=50 --namespace "$namespace-two"
expect "resourcequota/limits created"
k create priorityclass "high-$$" --value=1000 --description=important
k get priorityclass "high-$$"
expect_line "^high-$$ +1000 +false +"
k create serviceaccount robot
expect_exactly "serviceaccount/robot created"

step "create services"
k create service clusterip front --tcp=80:8080
expect_exactly "service/front created"
k get service front
expect_line '^front +ClusterIP +[0-9.]+ +<none> +80/TCP +'
k create service nodeport front-np --tcp=80
k create service externalname away --external-name=example.com
k get service away
expect_line '^away +ExternalName +<none> +example.com +<none> +'
k create service clusterip headless --clusterip=None
expect_value service/headless '{.spec.clusterIP}' None
k expose deployment front --port=81 --name=exposed
expect_exactly "service/exposed exposed"

step "create roles and bindings"
k create role reader --verb=get,list --resource=pods
expect "role.rbac.authorization.k8s.io/reader created"
k create rolebinding readers --role=reader --user=jane
k create clusterrole "reader-$$" --verb=get --resource=nodes
k create clusterrolebinding "readers-$$" --clusterrole="reader-$$" --group=staff
k get rolebinding readers
expect_line '^readers +Role/reader +'
k delete clusterrole/"reader-$$" clusterrolebinding/"readers-$$"

step "create poddisruptionbudget and ingress"
k create poddisruptionbudget budget --selector=app=web --min-available=1
expect "poddisruptionbudget.policy/budget created"
k get pdb
expect_line '^budget +1 +N/A +0 +'
k create ingress entry --rule="example.com/*=front:80"
k get ingress entry
expect_line '^entry +<none> +example.com +80 +'

step "create from a file with several objects, and with generateName"
k create -f "$(file several.yaml <<YAML
apiVersion: v1
kind: ConfigMap
metadata: {name: several-1}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: several-2}}
- {apiVersion: v1, kind: ConfigMap, metadata: {generateName: several-x-}}
YAML
)"
expect "configmap/several-1 created"
expect "configmap/several-2 created"
expect_line '^configmap/several-x-[a-z0-9]{5} created$'

step "claims"
k apply -f "$(file volumes.yaml <<YAML
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
YAML
)"
k get pvc claim
expect_line '^claim +Pending +'

step "limit ranges"
k apply --namespace "$namespace-two" -f "$(file range.yaml <<YAML
apiVersion: v1
kind: LimitRange
metadata: {name: range}
spec: {limits: [{type: Container, default: {cpu: 500m}}]}
YAML
)"
k describe limitrange range --namespace "$namespace-two"
expect_line '^Container +cpu '

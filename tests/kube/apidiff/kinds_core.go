package main

import (
	"fmt"
	"math/rand"
)

var podEdits = []edit{
	choose("metadata.labels.app", "red", "blue", "green"),
	choose("spec.containers.0.image", "img:v1", "img:v2", "img:latest"),
	set("spec.activeDeadlineSeconds", 100),
	func(_ *rand.Rand, o object) {
		tolerations, _ := at(o, "spec.tolerations").([]any)
		put(o, "spec.tolerations", append(tolerations, parse(`{"key":"more","operator":"Exists"}`)))
	},
}

var podFrozen = []edit{
	set("spec.nodeName", "n2"),
	set("spec.containers.0.command", list("other")),
	set("spec.containers.0.name", "renamed"),
	set("spec.restartPolicy", "OnFailure"),
	set("spec.priority", 7),
	set("spec.schedulerName", "other"),
	set("spec.containers.0.resources.requests.cpu", "900m"),
	func(_ *rand.Rand, o object) {
		containers, _ := at(o, "spec.containers").([]any)
		put(o, "spec.containers", append(containers, parse(`{"name":"extra","image":"x"}`)))
	},
}

var podBroken = []edit{
	unset("spec.containers"),
	set("spec.containers", list()),
	unset("spec.containers.0.name"),
	unset("spec.containers.0.image"),
	set("spec.containers.0.name", "Bad_Name"),
	set("spec.containers.0.imagePullPolicy", "Sometimes"),
	set("spec.restartPolicy", "Maybe"),
	set("spec.containers.0.resources.requests.cpu", "lots"),
	set("spec.containers.0.resources.requests.memory", "-1Gi"),
	set("spec.containers.0.resources", object{"requests": object{"cpu": "2"}, "limits": object{"cpu": "1"}}),
	set("spec.containers.0.ports", list(object{"containerPort": 70000})),
	set("spec.containers.0.ports", list(object{"containerPort": "http"})),
	set("spec.containers.0.env", list(object{"name": "A=B", "value": "1"})),
	set("spec.containers.0.env", list(object{"name": "A", "value": 1})),
	set("spec.containers.0.volumeMounts", list(object{"name": "ghost", "mountPath": "/x"})),
	set("spec.volumes", list(object{"name": "v", "emptyDir": object{}, "hostPath": object{"path": "/x"}})),
	set("spec.volumes", list(object{"name": "v", "emptyDir": object{}}, object{"name": "v", "emptyDir": object{}})),
	set("spec.tolerations", list(object{"key": "k", "operator": "Equalish"})),
	set("spec.tolerations", list(object{"operator": "Equal", "value": "v"})),
	set("spec.priorityClassName", "ghost"),
	set("spec.dnsPolicy", "Nope"),
	set("spec.terminationGracePeriodSeconds", -1),
	set("spec.activeDeadlineSeconds", 0),
	set("spec.nodeSelector", object{"a/b/c": "x"}),
	set("spec.containers", "none"),
	set("spec.containers.0.livenessProbe", object{"httpGet": object{"path": "/"}}),
	set("spec.initContainers", list(object{"name": "main", "image": "i"})),
	set("spec.affinity", object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{}}}),
}

func podBody(r *rand.Rand) object {
	out := object{"metadata": labels(r), "spec": parse(
		`{"containers":[{"name":"main","image":"%s","resources":{"requests":{"cpu":"%dm","memory":"64Mi"}}}]}`,
		pick(r, "img", "img:v1", "host/img@sha256:"+fmt.Sprintf("%064d", 1)), 100+r.Intn(3)*50)}
	optional := []edit{
		set("spec.restartPolicy", "Never"),
		set("spec.containers.0.resources.limits", object{"cpu": "1", "memory": "0.5Gi", "example.com/gpu": "1"}),
		set("spec.containers.0.env", list(object{"name": "A", "value": "1"},
			object{"name": "B", "valueFrom": parse(`{"fieldRef":{"fieldPath":"metadata.name"}}`)})),
		set("spec.containers.0.ports", list(object{"containerPort": 80}, object{"containerPort": 90, "hostPort": 90})),
		set("spec.volumes", list(parse(`{"name":"c","configMap":{"name":"a"}}`), parse(`{"name":"e","emptyDir":{}}`),
			parse(`{"name":"p","persistentVolumeClaim":{"claimName":"a"}}`))),
		set("spec.priorityClassName", "system-cluster-critical"),
		set("spec.tolerations", list(parse(`{"key":"k","value":"v","effect":"NoSchedule"}`))),
		set("spec.containers.0.livenessProbe", parse(`{"httpGet":{"port":80},"periodSeconds":3}`)),
		set("spec.nodeName", pick(r, "n1", "ghost")),
		set("spec.serviceAccountName", "robot"),
		set("spec.initContainers", list(parse(`{"name":"init","image":"i:1","restartPolicy":"Always"}`))),
		set("spec.affinity", parse(`{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
			{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"red"}}}]}}`)),
		set("spec.topologySpreadConstraints", list(parse(`{"maxSkew":1,"topologyKey":"zone",
			"whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"red"}}}`))),
		set("spec.securityContext", object{"runAsUser": 1000}),
		set("spec.hostNetwork", true),
		set("spec.terminationGracePeriodSeconds", 5),
		set("spec.schedulingGates", list(object{"name": "example.com/wait"})),
	}
	for range r.Intn(4) {
		pick(r, optional...)(r, out)
	}
	return out
}

func podStatus(r *rand.Rand, o object) {
	pick(r, choose("status.phase", "Running", "Succeeded", "Failed", "Odd"),
		set("status.podIP", "10.1.2.3"), set("status.podIPs", list(object{"ip": "10.1.2.3"})),
		set("status.conditions", list(parse(`{"type":"Ready","status":"True"}`))),
		set("status.conditions", list(parse(`{"type":"Ready","status":"Perhaps"}`))),
		set("status.nominatedNodeName", "n1"),
		set("status.containerStatuses", list(parse(`{"name":"main","ready":true,"restartCount":0,"image":"img",
			"imageID":"","state":{"running":{"startedAt":"2001-01-01T00:00:00Z"}}}`))),
		set("spec.nodeName", "sneaky"), set("metadata.labels.viastatus", "yes"))(r, o)
}

func coreKinds() []*kind {
	return []*kind{
		{version: "v1", plural: "pods", name: "Pod", weight: 14, body: podBody, change: podEdits, frozen: podFrozen,
			broken: podBroken, status: podStatus,
			merges: []string{`{"spec":{"containers":[{"name":"main","image":"patched"}]}}`,
				`{"metadata":{"labels":{"app":null,"patched":"yes"}}}`,
				`{"spec":{"tolerations":[{"key":"new","operator":"Exists"}]}}`,
				`{"spec":{"containers":[{"name":"main","env":[{"name":"A","$patch":"delete"}]}]}}`,
				`{"spec":{"containers":[{"image":"nameless"}]}}`,
				`{"spec":{"$setElementOrder/containers":[{"name":"main"}],"containers":[{"name":"main","image":"o:1"}]}}`,
				`{"metadata":{"finalizers":["example.com/f"]}}`,
				`{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/f"]}}`,
				`{"metadata":{"labels":{"$patch":"replace","only":"one"}}}`,
				`{"spec":{"nodeName":"elsewhere"}}`, `{"spec":{"containers":"x"}}`, `{"status":{"phase":"Running"}}`},
			fields: []string{"spec.nodeName=n1", "spec.nodeName!=n1", "status.phase=Pending", "metadata.name=a",
				"spec.restartPolicy=Never", "spec.schedulerName=default-scheduler", "spec.hostNetwork=true",
				"spec.serviceAccountName=robot", "status.podIP=10.1.2.3", "status.nominatedNodeName=n1",
				"metadata.namespace=apidiff-a,status.phase!=Running", "spec.containers=x", "nonsense", "a==b=c"}},
		{version: "v1", plural: "configmaps", name: "ConfigMap", weight: 8,
			body: func(r *rand.Rand) object {
				out := object{"metadata": labels(r), "data": object{"k": fmt.Sprint(r.Intn(4)), "file.txt": "a\nb\n"}}
				if r.Intn(4) == 0 {
					out["binaryData"] = object{"bin": "AAEC"}
				}
				if r.Intn(8) == 0 {
					out["immutable"] = true
				}
				return out
			},
			change: []edit{choose("data.k", "1", "2", "3"), set("data.extra", "x"), unset("data.extra"),
				set("binaryData", object{"b": "AAEC"}), set("immutable", true), unset("data")},
			frozen: []edit{set("immutable", false)},
			broken: []edit{set("data", object{"bad key": "x"}), set("data.k", 5), set("binaryData", object{"k2": "###"}),
				set("binaryData", object{"k": "AAEC"}), set("data", "text"), set("data", object{"..": "x"}),
				set("immutable", "yes"), set("data", object{"n": nil})},
			merges: []string{`{"data":{"k":"sm"}}`, `{"data":null}`, `{"data":{"$patch":"replace","z":"1"}}`,
				`{"data":{"k":7}}`, `{"$patch":"delete"}`, `{"metadata":{"annotations":{"note":"sm"}}}`},
			fields: []string{"metadata.name=a", "metadata.name!=a", "data.k=1"}},
		{version: "v1", plural: "secrets", name: "Secret", weight: 4,
			body: func(r *rand.Rand) object {
				return pick(r, object{"metadata": labels(r), "stringData": object{"p": "word"}},
					object{"metadata": labels(r), "type": "Opaque", "data": object{"p": "d29yZA=="}},
					parse(`{"metadata":{},"type":"kubernetes.io/basic-auth","data":{"username":"YQ==","password":"Yg=="}}`))
			},
			change: []edit{set("data.more", "AAEC"), set("stringData", object{"p": "other"}), set("immutable", true)},
			frozen: []edit{set("type", "example.com/other")},
			broken: []edit{set("data", object{"p": "%%%"}), set("type", "kubernetes.io/tls"),
				set("type", "kubernetes.io/dockerconfigjson"), set("data", object{"a b": "YQ=="}),
				set("type", "kubernetes.io/service-account-token"), set("stringData", object{"p": 1})},
			merges: []string{`{"data":{"p":"eA=="}}`, `{"stringData":{"q":"z"}}`, `{"type":"x"}`, `{"data":{"p":"?"}}`},
			fields: []string{"type=Opaque", "metadata.name=b", "data.p=x"}},
		{version: "v1", plural: "services", name: "Service", weight: 4,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": pick(r,
					parse(`{"selector":{"app":"red"},"ports":[{"port":80}]}`),
					parse(`{"clusterIP":"None","selector":{"app":"red"},"ports":[{"name":"a","port":80,"targetPort":"web"}]}`),
					parse(`{"ports":[{"name":"a","port":80},{"name":"b","port":81,"protocol":"UDP"}]}`),
					parse(`{"type":"NodePort","ports":[{"port":80}]}`),
					parse(`{"type":"ExternalName","externalName":"example.com"}`))}
			},
			change: []edit{set("spec.sessionAffinity", "ClientIP"), set("spec.selector", object{"app": "blue"}),
				set("metadata.labels.app", "green")},
			frozen: []edit{set("spec.clusterIP", "10.96.200.200")},
			broken: []edit{set("spec.ports", list()), set("spec.ports", list(object{"port": 0})),
				set("spec.ports", list(object{"port": 80}, object{"port": 81})), set("spec.type", "Magic"),
				set("spec.ports", list(object{"port": 80, "protocol": "TLS"})), set("metadata.name", "1digit"),
				set("spec.clusterIP", "300.1.1.1"), set("spec.ports", list(object{"port": 80, "targetPort": "BAD_"})),
				set("spec.sessionAffinity", "Always")},
			status: set("status.loadBalancer", object{"ingress": list(object{"ip": "1.2.3.4"})}),
			merges: []string{`{"spec":{"ports":[{"port":80,"targetPort":8080}]}}`, `{"spec":{"selector":null}}`,
				`{"spec":{"ports":[{"port":99,"name":"new"}]}}`, `{"spec":{"type":"ClusterIP"}}`},
			fields: []string{"spec.clusterIP=None", "spec.type=NodePort", "spec.ports=1"}},
		{version: "v1", plural: "serviceaccounts", name: "ServiceAccount", weight: 2,
			body:   func(r *rand.Rand) object { return object{"metadata": labels(r)} },
			change: []edit{set("imagePullSecrets", list(object{"name": "a"})), set("automountServiceAccountToken", false)},
			broken: []edit{set("automountServiceAccountToken", "no"), set("secrets", "x")},
			merges: []string{`{"imagePullSecrets":[{"name":"b"}]}`, `{"secrets":[{"name":"s"}]}`},
			fields: []string{"metadata.name=a", "secrets=x"}},
		{version: "v1", plural: "events", name: "Event", weight: 2,
			body: func(r *rand.Rand) object {
				return parse(`{"metadata":{"labels":{"app":"red"}},"involvedObject":{"kind":"Pod","name":"a",
					"namespace":"apidiff-a","apiVersion":"v1"},"reason":"%s","message":"m","type":"Normal","count":1,
					"firstTimestamp":"2001-01-01T00:00:00Z","lastTimestamp":"2001-01-01T00:00:00Z",
					"source":{"component":"apidiff"}}`, pick(r, "Started", "Killed"))
			},
			change: []edit{set("count", 2), choose("message", "m2", "m3")},
			broken: []edit{set("involvedObject.namespace", "elsewhere"), set("count", "two"), unset("involvedObject"),
				set("firstTimestamp", "yesterday"), set("eventTime", "2001-01-01T00:00:00.000000Z")},
			merges: []string{`{"count":3}`, `{"message":"sm"}`},
			fields: []string{"involvedObject.name=a", "reason=Killed", "type=Normal", "source=apidiff",
				"involvedObject.kind=Pod,reason!=Started", "message=m"}},
	}
}

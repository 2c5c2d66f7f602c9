package main

import (
	"fmt"
	"math/rand"
)

// clusterKinds are nodes, namespaces, volumes and classes.
func clusterKinds() []*kind {
	return []*kind{
		{version: "v1", plural: "nodes", name: "Node", clusterWide: true, names: []string{"n1", "n2", "n3"}, weight: 4,
			body: func(r *rand.Rand) object {
				return pick(r, object{"metadata": labels(r)},
					object{"metadata": labels(r), "spec": parse(`{"podCIDR":"10.2.0.0/24","providerID":"x://1"}`)},
					object{"metadata": labels(r), "status": parse(`{"capacity":{"cpu":"4","memory":"8Gi","pods":"110"}}`)})
			},
			change: []edit{set("spec.unschedulable", true), unset("spec.unschedulable"),
				set("spec.taints", list(parse(`{"key":"k","effect":"NoSchedule"}`))), set("metadata.labels.zone", "z1")},
			frozen: []edit{set("spec.providerID", "y://2"), set("spec.podCIDR", "10.9.0.0/24")},
			broken: []edit{set("spec.taints", list(parse(`{"key":"k","effect":"Never"}`))), set("spec.podCIDR", "x"),
				set("spec.taints", list(parse(`{"key":"k","effect":"NoExecute"}`), parse(`{"key":"k","effect":"NoExecute"}`))),
				set("spec.unschedulable", "yes"), set("status", parse(`{"capacity":{"cpu":"many"}}`))},
			status: func(r *rand.Rand, o object) {
				pick(r, set("status.allocatable", object{"cpu": "3500m", "memory": "7Gi"}),
					set("status.conditions", list(parse(`{"type":"Ready","status":"True","reason":"Ok"}`))),
					set("status.capacity", object{"cpu": "-1"}), set("status.nodeInfo.kubeletVersion", "v1"),
					set("status.addresses", list(parse(`{"type":"InternalIP","address":"1.2.3.4"}`))))(r, o)
			},
			merges: []string{`{"spec":{"unschedulable":true}}`, `{"spec":{"taints":[{"key":"t","effect":"NoSchedule"}]}}`,
				`{"spec":{"taints":null,"unschedulable":null}}`, `{"metadata":{"labels":{"gpu":"yes"}}}`},
			fields: []string{"spec.unschedulable=true", "spec.unschedulable=false", "metadata.name=n1", "spec.taints=x"}},
		{version: "v1", plural: "namespaces", name: "Namespace", clusterWide: true, names: []string{"nsx", "nsy"}, weight: 2,
			body:   func(r *rand.Rand) object { return object{"metadata": labels(r)} },
			change: []edit{set("metadata.labels.team", "x"), choose("metadata.annotations", object{"q": "1"}, object{})},
			broken: []edit{set("metadata.name", "has.dots"), set("metadata.name", "Upper"), set("spec", "x")},
			merges: []string{`{"metadata":{"labels":{"team":"sm"}}}`, `{"spec":{"finalizers":null}}`},
			fields: []string{"status.phase=Active", "metadata.name=nsx", "status.phase=Terminating", "spec.x=1"}},
		{version: "v1", plural: "persistentvolumes", name: "PersistentVolume", clusterWide: true,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": parse(`{"capacity":{"storage":"%dGi"},"accessModes":
					["ReadWriteOnce"],"hostPath":{"path":"/data"},"storageClassName":"%s"}`, 1+r.Intn(3), pick(r, "", "fast"))}
			},
			change: []edit{set("spec.persistentVolumeReclaimPolicy", "Delete"), set("spec.capacity.storage", "10Gi")},
			frozen: []edit{set("spec.hostPath.path", "/elsewhere"), set("spec.volumeMode", "Block")},
			broken: []edit{unset("spec.accessModes"), unset("spec.capacity"), unset("spec.hostPath"),
				set("spec.accessModes", list("Sometimes")), set("spec.persistentVolumeReclaimPolicy", "Hope"),
				set("spec.nfs", parse(`{"server":"s","path":"/p"}`)), set("spec.capacity.storage", "0")},
			status: choose("status.phase", "Available", "Bound", "Released"),
			merges: []string{`{"spec":{"accessModes":["ReadOnlyMany"]}}`, `{"spec":{"mountOptions":["ro"]}}`},
			fields: []string{"metadata.name=a", "name=a", "spec.capacity=1"}},
		{version: "v1", plural: "persistentvolumeclaims", name: "PersistentVolumeClaim",
			body: func(r *rand.Rand) object {
				out := object{"metadata": labels(r), "spec": parse(`{"accessModes":["ReadWriteOnce"],
					"resources":{"requests":{"storage":"%dGi"}}}`, 1+r.Intn(3))}
				if r.Intn(2) == 0 {
					put(out, "spec.storageClassName", "fast")
				}
				return out
			},
			change: []edit{choose("metadata.labels.app", "red", "green")},
			frozen: []edit{set("spec.accessModes", list("ReadWriteMany")), set("spec.resources.requests.storage", "1Mi"),
				set("spec.storageClassName", "slow")},
			broken: []edit{unset("spec.accessModes"), unset("spec.resources"), set("spec.accessModes", list()),
				set("spec.resources.requests.storage", "x"), set("spec.volumeMode", "Solid"),
				set("spec.selector", object{"matchExpressions": list(object{"key": "a", "operator": "Like"})})},
			status: func(r *rand.Rand, o object) {
				pick(r, choose("status.phase", "Bound", "Lost"), set("status.capacity", object{"storage": "5Gi"}))(r, o)
			},
			merges: []string{`{"spec":{"volumeName":"pv1"}}`, `{"metadata":{"labels":{"app":"sm"}}}`},
			fields: []string{"metadata.name=a", "name=b", "status.phase=Bound"}},
		{group: "scheduling.k8s.io", version: "v1", plural: "priorityclasses", name: "PriorityClass", clusterWide: true,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "value": 100 * (1 + r.Intn(3)), "description": pick(r, "", "d")}
			},
			change: []edit{choose("description", "one", "two"), set("metadata.labels.x", "y")},
			frozen: []edit{set("value", 999), set("preemptionPolicy", "Never")},
			broken: []edit{set("value", "high"), set("value", 2000000000), set("metadata.name", "system-mine"),
				set("preemptionPolicy", "Perhaps"), set("globalDefault", "yes"), unset("value")},
			merges: []string{`{"description":"sm"}`, `{"value":5}`, `{"globalDefault":false}`},
			fields: []string{"metadata.name=a", "value=100"}},
		{group: "storage.k8s.io", version: "v1", plural: "storageclasses", name: "StorageClass", clusterWide: true, weight: 1,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "provisioner": "example.com/p",
					"parameters": object{"size": fmt.Sprint(r.Intn(2))}}
			},
			change: []edit{set("allowVolumeExpansion", true)},
			frozen: []edit{set("provisioner", "example.com/q"), set("parameters", object{"z": "1"})},
			broken: []edit{unset("provisioner"), set("reclaimPolicy", "Hope"), set("volumeBindingMode", "Soon")},
			merges: []string{`{"mountOptions":["ro"]}`, `{"allowVolumeExpansion":false}`},
			fields: []string{"metadata.name=a"}},
	}
}

package main

import "math/rand"

// policyKinds are leases, budgets, quotas, ranges, network policies and roles.
func policyKinds() []*kind {
	rules := func(r *rand.Rand) object {
		return object{"metadata": labels(r), "rules": list(parse(`{"apiGroups":[""],"resources":["pods"],"verbs":["%s"]}`,
			pick(r, "get", "list")))}
	}
	binding := func(r *rand.Rand) object {
		return object{"metadata": labels(r), "roleRef": parse(`{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"a"}`),
			"subjects": list(parse(`{"kind":"User","name":"%s"}`, pick(r, "jane", "joe")))}
	}
	ruleBroken := []edit{set("rules", list(object{"verbs": list("get")})), set("rules", list(object{"apiGroups": list("")})),
		set("rules", "all"), set("metadata.name", "a%b")}
	bindingBroken := []edit{unset("roleRef"), set("roleRef.kind", "Emperor"), set("subjects", list(object{"kind": "Robot", "name": "r"})),
		set("subjects", list(object{"kind": "ServiceAccount", "name": "r"})), set("roleRef.apiGroup", "x")}
	const rbac = "rbac.authorization.k8s.io"
	return []*kind{
		{group: "coordination.k8s.io", version: "v1", plural: "leases", name: "Lease", weight: 4,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": parse(`{"holderIdentity":"%s","leaseDurationSeconds":15,
					"renewTime":"2001-01-01T00:00:00.000000Z"}`, pick(r, "x", "y"))}
			},
			change: []edit{choose("spec.holderIdentity", "x", "y", "z"), set("spec.leaseTransitions", 2),
				set("spec.acquireTime", "2001-02-03T04:05:06.000007Z")},
			broken: []edit{set("spec.leaseDurationSeconds", 0), set("spec.leaseTransitions", -1),
				set("spec.renewTime", "2001-01-01"), set("spec.leaseDurationSeconds", "15")},
			merges: []string{`{"spec":{"holderIdentity":"sm"}}`, `{"spec":{"renewTime":null}}`, `{"spec":null}`},
			fields: []string{"metadata.name=a", "spec.holderIdentity=x"}},
		{group: "policy", version: "v1", plural: "poddisruptionbudgets", name: "PodDisruptionBudget", weight: 3,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": pick(r,
					parse(`{"minAvailable":1,"selector":{"matchLabels":{"app":"red"}}}`),
					parse(`{"maxUnavailable":"50%%","selector":{"matchLabels":{"app":"none"}}}`),
					parse(`{"minAvailable":"10%%","selector":{"matchExpressions":[{"key":"app","operator":"In","values":["blue"]}]}}`))}
			},
			change: []edit{set("spec.selector.matchLabels.tier", "web"), set("metadata.labels.z", "1")},
			broken: []edit{set("spec.maxUnavailable", 1), set("spec.minAvailable", -1), set("spec.minAvailable", "many"),
				set("spec.minAvailable", "200%"), set("spec.unhealthyPodEvictionPolicy", "x"),
				set("spec.selector", object{"matchLabels": object{"bad key": "v"}})},
			status: func(r *rand.Rand, o object) {
				pick(r, set("status.disruptionsAllowed", 1), set("status.expectedPods", 2), set("status.currentHealthy", -2),
					set("status.observedGeneration", 1))(r, o)
			},
			merges: []string{`{"spec":{"minAvailable":2,"maxUnavailable":null}}`, `{"spec":{"selector":null}}`},
			fields: []string{"metadata.name=a", "spec.minAvailable=1"}},
		{version: "v1", plural: "resourcequotas", name: "ResourceQuota", weight: 2, lonely: true,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": parse(`{"hard":{"pods":"%d","requests.cpu":"2"}}`, 3+r.Intn(3))}
			},
			change: []edit{set("spec.hard.configmaps", "100"), set("metadata.labels.app", "blue")},
			frozen: []edit{set("spec.scopes", list("Terminating"))},
			broken: []edit{set("spec.hard", object{"po ds": "1"}), set("spec.hard.pods", "-1"), set("spec.hard.pods", "1.5"),
				set("spec.scopes", list("Tuesday")), set("spec.hard.pods", "x"), set("spec.hard.bananas", "1")},
			merges: []string{`{"spec":{"hard":{"secrets":"9"}}}`, `{"spec":{"hard":{"pods":"?"}}}`},
			fields: []string{"metadata.name=a", "spec.hard=1"}},
		{version: "v1", plural: "limitranges", name: "LimitRange", weight: 2, lonely: true,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": parse(`{"limits":[{"type":"Container","default":{"cpu":"500m"},
					"defaultRequest":{"cpu":"%dm"}}]}`, 100*(1+r.Intn(3)))}
			},
			change: []edit{set("spec.limits.0.max", object{"cpu": "2"})},
			broken: []edit{set("spec.limits.0.type", "House"), set("spec.limits.0.min", object{"cpu": "4"}),
				set("spec.limits.0.default", object{"cpu": "x"}), set("spec.limits", "x"), unset("spec.limits.0.type")},
			merges: []string{`{"spec":{"limits":[{"type":"Pod","max":{"cpu":"4"}}]}}`}, fields: []string{"metadata.name=a"}},
		{group: "networking.k8s.io", version: "v1", plural: "networkpolicies", name: "NetworkPolicy", weight: 1,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": pick(r, parse(`{"podSelector":{}}`),
					parse(`{"podSelector":{"matchLabels":{"a":"b"}},"ingress":[{"ports":[{"port":80}]}]}`))}
			},
			change: []edit{set("spec.egress", list(object{}))},
			broken: []edit{set("spec.policyTypes", list("Sideways")), set("spec.ingress", list(parse(`{"ports":[{"port":0}]}`))),
				set("spec.podSelector", object{"matchLabels": object{"-": "-"}})},
			merges: []string{`{"spec":{"policyTypes":["Egress"]}}`}, fields: []string{"metadata.name=a"}},
		{group: rbac, version: "v1", plural: "roles", name: "Role", weight: 2, names: []string{"a", "b:c"}, body: rules,
			change: []edit{set("rules.0.verbs", list("*"))}, broken: ruleBroken,
			merges: []string{`{"rules":[{"apiGroups":[""],"resources":["x"],"verbs":["get"]}]}`, `{"rules":null}`},
			fields: []string{"metadata.name=a", "rules=1"}},
		{group: rbac, version: "v1", plural: "rolebindings", name: "RoleBinding", weight: 1, body: binding,
			change: []edit{set("subjects", list())}, frozen: []edit{set("roleRef.name", "z")}, broken: bindingBroken,
			merges: []string{`{"subjects":[{"kind":"Group","name":"g"}]}`}, fields: []string{"metadata.name=a"}},
		{group: rbac, version: "v1", plural: "clusterroles", name: "ClusterRole", weight: 1, clusterWide: true, body: rules,
			change: []edit{set("rules.0.resources", list("secrets"))}, broken: ruleBroken,
			merges: []string{`{"rules":[]}`}, fields: []string{"metadata.name=a"}},
	}
}

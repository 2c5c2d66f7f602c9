package main

import "math/rand"

const template = `{"metadata":{"labels":{"app":"red"}},"spec":{"containers":[{"name":"main","image":"img:v1"}]}}`

// workloadKinds are those of apps and batch: stored only, nobody acts on them here.
func workloadKinds() []*kind {
	replicated := func(r *rand.Rand) object {
		out := object{"metadata": labels(r), "spec": parse(`{"selector":{"matchLabels":{"app":"red"}},"template":` + template + `}`)}
		if r.Intn(2) == 0 {
			put(out, "spec.replicas", r.Intn(4))
		}
		return out
	}
	broken := []edit{unset("spec.selector"), unset("spec.template"), set("spec.replicas", -1), set("spec.replicas", "two"),
		set("spec.selector.matchLabels.app", "other"), set("spec.template.spec.restartPolicy", "Never"),
		unset("spec.template.spec.containers"), set("spec.template.metadata.labels", object{}),
		set("spec.minReadySeconds", -3)}
	frozen := []edit{set("spec.selector.matchLabels", object{"app": "red", "more": "x"})}
	status := func(r *rand.Rand, o object) {
		pick(r, set("status.replicas", 2), set("status.readyReplicas", 1), set("status.replicas", -1),
			set("status.observedGeneration", 1), set("spec.replicas", 40),
			set("status.conditions", list(parse(`{"type":"Progress","status":"True"}`))))(r, o)
	}
	change := []edit{choose("spec.replicas", 0, 1, 2, 3), choose("spec.template.spec.containers.0.image", "img:v2", "img:v3"),
		set("spec.template.spec.nodeSelector", object{"disk": "ssd"}), choose("metadata.labels.app", "red", "blue")}
	merges := []string{`{"spec":{"replicas":5}}`, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}`,
		`{"spec":{"template":{"spec":{"containers":[{"name":"main","$patch":"delete"}]}}}}`,
		`{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`,
		`{"spec":{"template":{"metadata":{"labels":{"app":"none"}}}}}`, `{"spec":{"replicas":"x"}}`}
	return []*kind{
		{group: "apps", version: "v1", plural: "deployments", name: "Deployment", weight: 4, scale: true, body: replicated,
			change: append([]edit{set("spec.paused", true), set("spec.strategy", parse(`{"type":"Recreate"}`))}, change...),
			frozen: frozen, status: status, merges: merges, fields: []string{"metadata.name=a", "status.replicas=1"},
			broken: append([]edit{set("spec.strategy", parse(`{"type":"Blue"}`)),
				set("spec.strategy", parse(`{"type":"RollingUpdate","rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}`)),
				set("spec.strategy", parse(`{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"x%%"}}`))}, broken...)},
		{group: "apps", version: "v1", plural: "replicasets", name: "ReplicaSet", weight: 2, scale: true, body: replicated,
			change: change, frozen: frozen, status: status, broken: broken, merges: merges,
			fields: []string{"metadata.name=a", "status.replicas=1", "status.replicas=0"}},
		{group: "apps", version: "v1", plural: "statefulsets", name: "StatefulSet", weight: 2, scale: true,
			body: func(r *rand.Rand) object {
				out := replicated(r)
				put(out, "spec.serviceName", "a")
				return out
			},
			change: change, frozen: []edit{set("spec.serviceName", "z"), set("spec.podManagementPolicy", "Parallel")},
			status: status, broken: append([]edit{set("spec.podManagementPolicy", "Wild")}, broken...), merges: merges,
			fields: []string{"metadata.name=a"}},
		{group: "apps", version: "v1", plural: "daemonsets", name: "DaemonSet", weight: 1,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": parse(`{"selector":{"matchLabels":{"app":"red"}},"template":` + template + `}`)}
			},
			change: []edit{choose("spec.template.spec.containers.0.image", "img:v2", "img:v3")}, frozen: frozen,
			broken: []edit{unset("spec.selector"), set("spec.updateStrategy", object{"type": "x"})},
			merges: []string{`{"spec":{"minReadySeconds":5}}`}, fields: []string{"metadata.name=a"}},
		{group: "batch", version: "v1", plural: "jobs", name: "Job", weight: 4,
			body: func(r *rand.Rand) object {
				out := object{"metadata": labels(r), "spec": parse(`{"template":` + template + `}`)}
				put(out, "spec.template.spec.restartPolicy", pick(r, "Never", "OnFailure"))
				for range r.Intn(3) {
					pick(r, set("spec.parallelism", 2), set("spec.completions", 3), set("spec.backoffLimit", 1),
						set("spec.suspend", true), set("spec.ttlSecondsAfterFinished", 10),
						set("spec.activeDeadlineSeconds", 60))(r, out)
				}
				return out
			},
			change: []edit{set("spec.parallelism", 4), set("spec.suspend", true), set("spec.suspend", false),
				set("spec.activeDeadlineSeconds", 90), set("metadata.labels.app", "blue")},
			frozen: []edit{set("spec.completions", 9), set("spec.template.spec.containers.0.image", "img:v9"),
				set("spec.selector", parse(`{"matchLabels":{"a":"b"}}`)), set("spec.completionMode", "Indexed")},
			broken: []edit{set("spec.template.spec.restartPolicy", "Always"), unset("spec.template.spec.restartPolicy"),
				set("spec.parallelism", -1), set("spec.completionMode", "Odd"), set("spec.completionMode", "Indexed"),
				unset("spec.template"), set("spec.selector", parse(`{"matchLabels":{"a":"b"}}`)),
				set("spec.manualSelector", true), set("spec.backoffLimit", -2), set("spec.podReplacementPolicy", "x")},
			status: func(r *rand.Rand, o object) {
				pick(r, set("status.active", 1), set("status.active", -1), set("status.succeeded", 1))(r, o)
			},
			merges: []string{`{"spec":{"parallelism":1}}`, `{"spec":{"suspend":true}}`, `{"spec":{"completions":7}}`},
			fields: []string{"metadata.name=a", "status.successful=0", "status.successful=1", "spec.x=1"}},
		{group: "batch", version: "v1", plural: "cronjobs", name: "CronJob", weight: 1,
			body: func(r *rand.Rand) object {
				out := object{"metadata": labels(r), "spec": parse(`{"schedule":"%s","jobTemplate":{"spec":{"template":`+
					template+`}}}`, pick(r, "* * * * *", "@hourly"))}
				put(out, "spec.jobTemplate.spec.template.spec.restartPolicy", "Never")
				return out
			},
			change: []edit{set("spec.suspend", true), set("spec.concurrencyPolicy", "Forbid")},
			broken: []edit{set("spec.schedule", "whenever"), unset("spec.schedule"), set("spec.concurrencyPolicy", "x"),
				set("spec.timeZone", "Mars/Base")},
			merges: []string{`{"spec":{"suspend":false}}`}, fields: []string{"metadata.name=a"}},
	}
}

package main

import "math/rand"

const customGroup = "apidiff.example.com"

// widgetDefinition has what structural schemas offer: defaults, bounds, patterns, enums, maps, lists by key, pruning,
// preserved fields, both subresources and columns.
const widgetDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"widgets.apidiff.example.com"},"spec":{"group":"apidiff.example.com","scope":"Namespaced",
"names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList","shortNames":["wd"],"categories":["all"]},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas",
"statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},
"selectableFields":[{"jsonPath":".spec.color"}],
"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},
{"name":"Color","type":"string","jsonPath":".spec.color","priority":1},{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],
"schema":{"openAPIV3Schema":{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["size"],"properties":{
"size":{"type":"integer","minimum":1,"maximum":10},"color":{"type":"string","enum":["red","blue"],"default":"red"},
"replicas":{"type":"integer","format":"int32","default":1,"minimum":0},
"code":{"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":5},
"ratio":{"type":"number","multipleOf":0.5},"port":{"x-kubernetes-int-or-string":true},
"tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set","maxItems":3},
"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object",
"required":["name"],"properties":{"name":{"type":"string"},"count":{"type":"integer","default":1}}}},
"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
"levels":{"type":"object","additionalProperties":{"type":"integer"}},
"maybe":{"type":"string","nullable":true},"when":{"type":"string","format":"date-time"},"yes":{"type":"boolean"}}},
"status":{"type":"object","properties":{"replicas":{"type":"integer"},"selector":{"type":"string"},"phase":{"type":"string"}}}}}}}]}}`

// gadgetDefinition has no subresources and lets everything pass.
const gadgetDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"gadgets.apidiff.example.com"},"spec":{"group":"apidiff.example.com","scope":"Cluster",
"names":{"plural":"gadgets","kind":"Gadget"},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`

func customKinds() []*kind {
	return []*kind{
		{group: customGroup, version: "v1", plural: "widgets", name: "Widget", weight: 10, scale: true,
			body: func(r *rand.Rand) object {
				out := object{"metadata": labels(r), "spec": object{"size": 1 + r.Intn(5)}}
				for range r.Intn(4) {
					pick(r, set("spec.color", "blue"), set("spec.code", "abc"), set("spec.ratio", 1.5), set("spec.port", "http"),
						set("spec.port", 80), set("spec.tags", list("x", "y")), set("spec.levels", object{"a": 1}),
						set("spec.parts", list(object{"name": "p"}, object{"name": "q", "count": 3})),
						set("spec.free", parse(`{"any":{"thing":[1,"two",null]}}`)), set("spec.maybe", nil),
						set("spec.when", "2001-01-01T00:00:00Z"), set("spec.color", nil), set("status", object{"phase": "New"}))(r, out)
				}
				return out
			},
			change: []edit{choose("spec.size", 1, 2, 3), choose("spec.color", "red", "blue"), set("spec.replicas", 3),
				set("spec.parts", list(object{"name": "r"})), unset("spec.color"), choose("metadata.labels.app", "red", "blue"),
				set("spec.free", object{"k": "v"}), set("status.phase", "ignored")},
			broken: []edit{unset("spec"), unset("spec.size"), set("spec.size", 11), set("spec.size", "big"), set("spec.size", 1.5),
				set("spec.color", "green"), set("spec.code", "ABC"), set("spec.code", "toolong"), set("spec.code", "a"),
				set("spec.ratio", 0.3), set("spec.port", true), set("spec.tags", list("x", "x")), set("spec.tags", list(1)),
				set("spec.tags", list("a", "b", "c", "d")), set("spec.parts", list(object{"name": "p"}, object{"name": "p"})),
				set("spec.parts", list(object{"count": 1})), set("spec.levels", object{"a": "b"}), set("spec.when", "noon"),
				set("spec.size", nil), set("spec.yes", "yes"), set("spec.replicas", -1), set("spec", list())},
			status: func(r *rand.Rand, o object) {
				pick(r, set("status.replicas", 2), set("status.selector", "app=red"), set("status.phase", "Ready"),
					set("status.replicas", "x"), set("spec.size", 9), set("status.unknown", 1))(r, o)
			},
			merges: []string{`{"spec":{"size":2}}`}, // not supported for custom kinds: must be refused
			fields: []string{"metadata.name=a", "metadata.namespace=apidiff-a", "spec.color=red", "spec.size=1"}},
		{group: customGroup, version: "v1", plural: "gadgets", name: "Gadget", clusterWide: true, weight: 3,
			body: func(r *rand.Rand) object {
				return object{"metadata": labels(r), "spec": parse(`{"deep":{"list":[1,2,{"x":%d}]}}`, r.Intn(3)), "status": object{"x": 1}}
			},
			change: []edit{set("spec.deep.more", true), choose("status.x", 1, 2), choose("top", "level", 5)},
			broken: []edit{set("metadata.name", "Bad Name"), set("metadata.labels", object{"a": 1})},
			merges: []string{`{"spec":{"size":2}}`}, fields: []string{"metadata.name=a", "spec.x=1"}},
	}
}

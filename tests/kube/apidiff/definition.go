package main

import (
	"math/rand"
	"net/url"
)

const definitions = "customresourcedefinitions"

var definitionKind = &kind{group: "apiextensions.k8s.io", version: "v1", plural: definitions,
	name: "CustomResourceDefinition", clusterWide: true}

// gizmo is the definition that comes and goes during the run.
var gizmoKind = &kind{group: customGroup, version: "v1", plural: "gizmos", name: "Gizmo",
	names: []string{"a", "b"}, body: func(r *rand.Rand) object {
		return object{"metadata": labels(r), "spec": object{"n": pick[any](r, 1, "x", 300)}, "other": 1}
	}}

func gizmoDefinition(r *rand.Rand) object {
	out := parse(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"gizmos.apidiff.example.com"},"spec":{"group":"apidiff.example.com","scope":"Namespaced",
		"names":{"plural":"gizmos","kind":"Gizmo"},"versions":[{"name":"v1","served":true,"storage":true,"schema":
		{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}]}}`)
	if r.Intn(2) == 0 {
		put(out, "spec.versions.0.subresources", object{"status": object{}})
	}
	if r.Intn(2) == 0 {
		put(out, "spec.names.shortNames", list("gz"))
	}
	return out
}

const schemaOf = "spec.versions.0.schema.openAPIV3Schema"

var definitionBroken = []edit{
	set("metadata.name", "other.apidiff.example.com"), unset("spec.group"), unset("spec.names"), unset("spec.scope"),
	set("spec.scope", "Galactic"), set("spec.versions", list()), unset("spec.versions.0.schema"),
	set("spec.versions.0.storage", false), set("spec.versions.0.name", "V1"), set("spec.names.kind", "lower case"),
	set("spec.group", "x"), set(schemaOf+".type", "array"), unset(schemaOf + ".type"), set(schemaOf+".properties.spec.type", "thing"),
	unset(schemaOf + ".properties.spec.type"), set(schemaOf+".properties.spec.properties.n", object{}),
	set(schemaOf+".properties.spec.properties.n", parse(`{"type":"array"}`)),
	set(schemaOf+".properties.spec.properties.n", parse(`{"type":"integer","default":"x"}`)),
	set(schemaOf+".properties.spec.properties.n", parse(`{"type":"string","pattern":"("}`)),
	set(schemaOf+".properties.spec.properties.n", parse(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`)),
	set(schemaOf+".properties.spec.uniqueItems", true), set(schemaOf+".$ref", "#/x"),
	set("spec.versions.0.additionalPrinterColumns", list(parse(`{"name":"x","type":"color","jsonPath":".spec"}`))),
	set("spec.versions.0.additionalPrinterColumns", list(parse(`{"name":"x","type":"string","jsonPath":"spec["}`))),
	set("spec.versions.0.subresources", parse(`{"scale":{}}`)), set("spec.conversion", parse(`{"strategy":"Magic"}`)),
	set("spec.preserveUnknownFields", true), set("spec.names.shortNames", list("BAD")),
}

// definition makes one call about definitions, or a short story: define, use, and later delete.
func (g *generator) definition() *call {
	const name = "gizmos." + customGroup
	c := &call{kind: definitions, key: definitionKind.key("", name), path: definitionKind.path("", name, ""), query: url.Values{}}
	switch g.r.Intn(6) {
	case 0, 1:
		c.verb, c.method, c.path = "create", "POST", definitionKind.path("", "", "")
		c.body = func(_ *memory, r *rand.Rand) any { return gizmoDefinition(r) }
		c.after = func(a, b *server) { established(name, a, b) }
		g.useGizmos(name)
	case 2:
		c.verb, c.method, c.path = "create bad", "POST", definitionKind.path("", "", "")
		wrong := pick(g.r, definitionBroken...)
		c.body = func(_ *memory, r *rand.Rand) any {
			out := gizmoDefinition(r)
			wrong(r, out)
			return out
		}
		c.query.Set("dryRun", "All")
	case 3:
		c.verb, c.method, c.contentType = "patch merge", "PATCH", "application/merge-patch+json"
		c.raw = []byte(g.one(`{"metadata":{"labels":{"x":"y"}}}`, `{"spec":{"scope":"Cluster"}}`, `{"spec":{"versions":null}}`,
			`{"spec":{"group":"other.example.com"}}`, `{"spec":{"names":{"kind":"Other"}}}`, `{"spec":{"names":{"categories":["all"]}}}`))
		c.after = func(a, b *server) { established(name, a, b) }
	case 4:
		c.verb, c.method = "delete", "DELETE"
		c.after = func(a, b *server) {
			for _, s := range []*server{a, b} {
				if found := s.get(c.path); found == nil || at(found, "metadata.deletionTimestamp") != nil {
					s.waitFor(c.path, 404, nil)
					s.waitFor(gizmoKind.path(firstNamespace, "", ""), 404, nil)
				}
			}
		}
	default:
		c.verb, c.method, c.body = "update", "PUT", func(_ *memory, r *rand.Rand) any { return gizmoDefinition(r) }
	}
	return c
}

// useGizmos queues calls that follow a definition: its settled state, and objects of the kind.
func (g *generator) useGizmos(name string) {
	settled := &call{verb: "get settled", kind: definitions, method: "GET", path: definitionKind.path("", name, "")}
	g.pending = append(g.pending, settled)
	for range 4 {
		p := place{gizmoKind, firstNamespace, pick(g.r, gizmoKind.names...)}
		create := &call{verb: "create", kind: "gizmos", key: p.key(), method: "POST", path: gizmoKind.path(firstNamespace, "", ""),
			body: func(_ *memory, r *rand.Rand) any { return gizmoKind.make(r, firstNamespace, p.name) }, seed: g.r.Int63()}
		g.pending = append(g.pending, create)
	}
	list := &call{verb: "list", kind: "gizmos", method: "GET", path: gizmoKind.path(firstNamespace, "", "")}
	table := &call{verb: "table", kind: "gizmos", method: "GET", path: list.path, accept: tableAccept}
	g.pending = append(g.pending, list, table)
}

// established waits until both servers serve the kind of a definition.
func established(name string, servers ...*server) {
	path := definitionKind.path("", name, "")
	for _, s := range servers {
		if s.get(path) == nil {
			continue
		}
		s.waitFor(path, 200, func(found object) bool {
			conditions, _ := at(found, "status.conditions").([]any)
			for _, condition := range conditions {
				if text(condition, "type") == "Established" && text(condition, "status") == "True" {
					return true
				}
			}
			return false
		})
		plural, _ := at(s.get(path), "spec.names.plural").(string)
		s.waitFor("/apis/"+customGroup+"/v1/"+plural, 200, nil)
	}
}

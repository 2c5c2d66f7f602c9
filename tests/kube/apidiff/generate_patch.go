package main

import (
	"fmt"
	"math/rand"
	"net/url"
)

func (g *generator) patch(p place, media string) *call {
	c := &call{verb: "patch " + media, kind: p.k.plural, key: p.key(), method: "PATCH", path: p.path(""), query: url.Values{}}
	c.contentType = map[string]string{"json": "application/json-patch+json", "merge": "application/merge-patch+json",
		"strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml"}[media]
	return c
}

var jsonPatches = []string{
	`[{"op":"add","path":"/metadata/labels/json","value":"yes"}]`,
	`[{"op":"replace","path":"/metadata/labels/app","value":"green"}]`,
	`[{"op":"remove","path":"/metadata/labels/tier"}]`,
	`[{"op":"test","path":"/metadata/labels/app","value":"red"},{"op":"add","path":"/metadata/annotations","value":{"t":"1"}}]`,
	`[{"op":"test","path":"/metadata/name","value":"wrong"}]`,
	`[{"op":"copy","from":"/metadata/name","path":"/metadata/labels/copy"}]`,
	`[{"op":"move","from":"/metadata/labels/app","path":"/metadata/labels/moved"}]`,
	`[{"op":"replace","path":"/metadata/nothing/here","value":1}]`,
	`[{"op":"add","path":"/metadata/labels/a~1b","value":"slash"}]`,
	`[{"op":"add","path":"/spec/containers/0/env","value":[{"name":"J","value":"1"}]}]`,
	`[{"op":"add","path":"/metadata/finalizers","value":["example.com/j"]}]`,
	`[{"op":"remove","path":"/metadata/finalizers"}]`,
	`[{"op":"dance","path":"/x"}]`, `[{"path":"/metadata/labels"}]`, `{"op":"add"}`, `[]`, `[1]`, `nonsense`,
	`[{"op":"replace","path":"/metadata/resourceVersion","value":"1"}]`,
	`[{"op":"replace","path":"/metadata/uid","value":"x"}]`,
	`[{"op":"replace","path":"/metadata/name","value":"renamed"}]`,
	`[{"op":"replace","path":"/kind","value":"Other"}]`,
	`[{"op":"add","path":"/unknown","value":{"x":1}}]`,
	`[{"op":"add","path":"/metadata/labels","value":{"bad key":"x"}}]`,
	`[{"op":"remove","path":"/spec"}]`,
}

func (g *generator) patchJSON() *call {
	c := g.patch(g.place(g.kind(), true), "json")
	c.raw = []byte(pick(g.r, jsonPatches...))
	return c
}

var mergePatches = []string{
	`{"metadata":{"labels":{"merge":"yes","app":null}}}`, `{"metadata":{"labels":{"app":"red"}}}`,
	`{"metadata":{"annotations":{"note":"merged"}}}`, `{"metadata":{"labels":null}}`, `{}`, `[]`, `null`, `nonsense`, `"x"`,
	`{"metadata":{"finalizers":["example.com/m"]}}`, `{"metadata":{"finalizers":null}}`, `{"metadata":null}`,
	`{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"name":"renamed"}}`, `{"kind":"Other"}`, `{"apiVersion":"v9"}`,
	`{"unknown":1}`, `{"spec":{"unknown":1}}`, `{"spec":"x"}`, `{"metadata":{"labels":{"a":"` + tooLong + `"}}}`,
	`{"metadata":{"managedFields":[{}]}}`, `{"metadata":{"uid":"x"}}`, `{"metadata":{"generateName":"z-"}}`,
	`{"metadata":{"labels":{"n":1}}}`, `{"metadata":{"creationTimestamp":null}}`, `{"status":null}`,
}

const tooLong = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

func (g *generator) patchMerge() *call {
	p := g.place(g.kind(), true)
	c := g.patch(p, "merge")
	if g.chance(2) {
		change := pick(g.r, p.k.change...)
		c.body = func(_ *memory, r *rand.Rand) any {
			out := object{}
			change(r, out)
			return out
		}
		return c
	}
	c.raw = []byte(pick(g.r, mergePatches...))
	return c
}

func (g *generator) patchStrategic() *call {
	p := g.place(g.kind(), true)
	c := g.patch(p, "strategic")
	from := p.k.merges
	if g.chance(4) {
		from = []string{`{"metadata":{"labels":{"sm":"yes"}}}`, `{}`, `[]`, `nonsense`, `{"metadata":{"labels":null}}`,
			`{"$patch":"replace","metadata":{"name":"a"}}`, `{"metadata":{"labels":{"$patch":"frob"}}}`,
			`{"metadata":{"ownerReferences":[{"$patch":"replace"}]}}`, `{"metadata":{"resourceVersion":"1"}}`,
			`{"unknown":1}`, `{"metadata":{"annotations":{"note":"s"}}}`}
	}
	c.raw = []byte(pick(g.r, from...))
	return c
}

// patchApply is server-side apply, by few managers with overlapping opinions, so that conflicts and shared and given-up
// fields all happen.
func (g *generator) patchApply() *call {
	p := g.place(g.kind(), false)
	c := g.patch(p, "apply")
	if !g.chance(15) {
		c.query.Set("fieldManager", g.one("alice", "bob"))
	}
	if g.chance(2) {
		c.query.Set("force", g.one("true", "true", "true", "false", "x"))
	}
	trim := g.r.Intn(5)
	wrong := g.chance(8)
	c.body = func(m *memory, r *rand.Rand) any {
		out := p.k.make(r, p.namespace, p.name)
		if m.objects[p.key()] != nil && trim < 3 { // an opinion about little
			out = object{"apiVersion": p.k.apiVersion(), "kind": p.k.name, "metadata": object{"name": p.name}}
			pick(r, p.k.change...)(r, out)
			put(out, "metadata.labels.by", fmt.Sprint(r.Intn(3)))
			for _, path := range []string{"spec.containers.0", "spec.template.spec.containers.0"} {
				if container, ok := at(out, path).(object); ok {
					container["name"] = "main"
				}
			}
		}
		if wrong {
			pick(r, set("metadata.managedFields", list(object{})), unset("apiVersion"), unset("kind"), set("metadata.name", "other"),
				set("unknownTop", 1), set("metadata.resourceVersion", "1"), set("metadata.namespace", "elsewhere"), unset("metadata"),
				set("spec", list()), set("metadata.uid", "x"), set("apiVersion", "v9"))(r, out)
		}
		return out
	}
	if g.chance(30) {
		c.raw = []byte(g.one("nonsense", "{", "a: [", "[]", ""))
	} else if g.chance(12) && p.k.plural == "configmaps" {
		c.raw = []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + p.name + "\ndata:\n  yaml: \"yes\"\n")
	}
	return c
}

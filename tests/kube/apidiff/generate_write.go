package main

import (
	"math/rand"
	"net/url"
)

// known is the last state that the server told, or a new object where it never told one.
func (p place) known(m *memory, r *rand.Rand) object {
	if found := m.objects[p.key()]; found != nil {
		return clone(found).(object)
	}
	return p.k.make(r, p.namespace, p.name)
}

// revisions are ways to treat metadata.resourceVersion of an update.
var revisions = []struct {
	weight int
	edit   func(p place, m *memory, o object)
}{
	{10, func(place, *memory, object) {}}, // as last seen
	{2, func(p place, m *memory, o object) { put(o, "metadata.resourceVersion", orElse(m.former[p.key()], "1")) }},
	{3, func(_ place, _ *memory, o object) { drop(o, "metadata.resourceVersion") }},
	{1, func(_ place, _ *memory, o object) { put(o, "metadata.resourceVersion", "junk") }},
}

func (g *generator) revision() func(p place, m *memory, o object) {
	at := g.r.Intn(16)
	for _, choice := range revisions {
		if at -= choice.weight; at < 0 {
			return choice.edit
		}
	}
	return revisions[0].edit
}

func (g *generator) update() *call {
	p := g.place(g.kind(), true)
	c := &call{verb: "update", kind: p.k.plural, key: p.key(), method: "PUT", path: p.path("")}
	change := pick(g.r, p.k.change...)
	switch {
	case g.chance(6):
		c.note, change = "nothing changes", func(*rand.Rand, object) {}
	case g.chance(4) && len(p.k.frozen) > 0:
		c.note, change = "immutable", pick(g.r, p.k.frozen...)
	case g.chance(6):
		c.note, change = "broken", pick(g.r, append(append([]edit{}, anyBroken...), p.k.broken...)...)
	case g.chance(12):
		c.note = "metadata"
		change = pick(g.r, set("metadata.finalizers", list("example.com/g")), set("metadata.finalizers", list()),
			unset("metadata.managedFields"), set("metadata.managedFields", list(object{})), set("metadata.name", "other"),
			set("metadata.uid", "00000000-0000-0000-0000-000000000000"), unset("metadata.uid"), set("metadata.labels", object{}))
	case g.chance(10):
		c.note, change = "replaced by a new one", nil
	}
	revision := g.revision()
	c.body = func(m *memory, r *rand.Rand) any {
		if change == nil {
			return p.k.make(r, p.namespace, p.name)
		}
		out := p.known(m, r)
		change(r, out)
		revision(p, m, out)
		return out
	}
	return c
}

func (g *generator) updateStatus() *call {
	p := g.place(g.kind(), true)
	for p.k.status == nil {
		p = g.place(g.kind(), true)
	}
	c := &call{verb: "status", kind: p.k.plural, key: p.key(), method: "PUT", path: p.path("status")}
	revision, twice := g.revision(), g.chance(3)
	c.body = func(m *memory, r *rand.Rand) any {
		out := p.known(m, r)
		p.k.status(r, out)
		if twice {
			p.k.status(r, out)
		}
		revision(p, m, out)
		return out
	}
	if g.chance(4) {
		c.method, c.contentType = "PATCH", "application/merge-patch+json"
		c.body = func(m *memory, r *rand.Rand) any {
			out := object{}
			p.k.status(r, out)
			return out
		}
	}
	return c
}

func (g *generator) remove() *call {
	p := g.place(g.kind(), true)
	c := &call{verb: "delete", kind: p.k.plural, key: p.key(), method: "DELETE", path: p.path(""), query: url.Values{}}
	options := object{"kind": "DeleteOptions", "apiVersion": "v1"}
	switch g.r.Intn(12) {
	case 0:
		options["preconditions"] = object{"uid": "00000000-0000-0000-0000-000000000000"}
	case 1, 2:
		current := g.chance(2)
		c.body = func(m *memory, r *rand.Rand) any {
			out := clone(options).(object)
			uid, revision := text(m.objects[p.key()], "metadata.uid"), text(m.objects[p.key()], "metadata.resourceVersion")
			if !current {
				revision = orElse(m.former[p.key()], "1")
			}
			out["preconditions"] = object{"uid": uid, "resourceVersion": revision}
			return out
		}
		return c
	case 3:
		options["gracePeriodSeconds"] = pick(g.r, 0, 1, 30, -1)
	case 4:
		c.query.Set("gracePeriodSeconds", g.one("0", "1", "0", "x"))
	case 5:
		options["propagationPolicy"] = g.one("Background", "Foreground", "Orphan", "Sideways")
	case 6:
		c.query.Set("propagationPolicy", g.one("Background", "Foreground", "Orphan"))
		return c
	case 7:
		options["orphanDependents"] = g.chance(2)
		if g.chance(3) {
			options["propagationPolicy"] = "Background"
		}
	case 8:
		options["dryRun"] = list("All")
		c.query.Set("dryRun", "All")
	case 9:
		options = pick(g.r, object{"kind": "Pod", "apiVersion": "v1"}, object{"gracePeriodSeconds": "x"}, object{"unknown": 1}, object{})
	default:
		return c
	}
	c.body = func(*memory, *rand.Rand) any { return options }
	return c
}

func (g *generator) removeCollection() *call {
	k := g.kind()
	for k.clusterWide {
		k = g.kind()
	}
	c := &call{verb: "deletecollection", kind: k.plural, method: "DELETE", path: k.path(g.namespaceOf(k), "", ""), query: url.Values{}}
	c.query.Set("labelSelector", g.one("app=red,apidiff!=anchor", "app=blue,apidiff!=anchor", "tier=web,apidiff!=anchor", "app in (", "none=such"))
	switch {
	case g.chance(3):
		c.query.Set("fieldSelector", "metadata.name=a")
	case g.chance(5):
		c.query.Set("dryRun", "All")
	case g.chance(3):
		c.query.Set("gracePeriodSeconds", "0")
	}
	return c
}

func (g *generator) bindOrEvict() *call {
	pods := g.kinds[0]
	p := g.place(pods, true)
	if g.chance(3) {
		c := &call{verb: "evict", kind: "pods", key: p.key(), method: "POST", path: p.path("eviction")}
		c.body = func(m *memory, r *rand.Rand) any {
			out := parse(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"%s","namespace":"%s"}}`, p.name, p.namespace)
			pick(r, set("x", 1), set("deleteOptions", object{"gracePeriodSeconds": 0}), set("metadata.name", "other"),
				set("deleteOptions", object{"dryRun": list("All")}), unset("metadata.namespace"),
				set("deleteOptions", object{"preconditions": object{"uid": "00000000-0000-0000-0000-000000000000"}}))(r, out)
			drop(out, "x")
			return out
		}
		return c
	}
	c := &call{verb: "bind", kind: "pods", key: p.key(), method: "POST", path: p.path("binding")}
	c.body = func(m *memory, r *rand.Rand) any {
		out := parse(`{"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s","namespace":"%s","annotations":{"by":"test"}},
			"target":{"apiVersion":"v1","kind":"Node","name":"%s"}}`, p.name, p.namespace, pick(r, "n1", "n2"))
		if r.Intn(3) == 0 {
			pick(r, unset("target"), set("target.kind", "House"), set("target.name", ""), set("metadata.name", "other"),
				set("metadata.uid", "00000000-0000-0000-0000-000000000000"), unset("metadata.name"), unset("target.kind"))(r, out)
		}
		return out
	}
	return c
}

func (g *generator) scale() *call {
	p := g.place(g.kind(), true)
	for !p.k.scale {
		p = g.place(g.kind(), true)
	}
	c := &call{verb: "scale", kind: p.k.plural, method: "GET", path: p.path("scale")}
	switch g.r.Intn(4) {
	case 0:
	case 1:
		c.method, c.contentType = "PATCH", "application/merge-patch+json"
		c.body = func(_ *memory, r *rand.Rand) any {
			return parse("%s", pick(r, `{"spec":{"replicas":2}}`, `{"spec":{"replicas":-2}}`, `{"spec":{"replicas":"x"}}`, `{"status":{"replicas":9}}`))
		}
	default:
		c.method = "PUT"
		stale := g.chance(4)
		c.body = func(m *memory, r *rand.Rand) any {
			out := parse(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"%s","namespace":"%s"},"spec":{"replicas":%d}}`,
				p.name, p.namespace, pick(r, 0, 1, 2, 3, -1))
			if stale {
				put(out, "metadata.resourceVersion", orElse(m.former[p.key()], "1"))
			}
			return out
		}
	}
	return c
}

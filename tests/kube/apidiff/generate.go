package main

import (
	"fmt"
	"math/rand"
	"net/url"
	"strings"
)

// generator makes the sequence of calls. It looks at nothing but its seed and, for a bias towards calls that reach
// something, at the answers of the first server.
type generator struct {
	r       *rand.Rand
	kinds   []*kind
	wheel   []*kind // kinds by weight
	first   *memory
	pending []*call // follow-ups, sent before anything new
	aliases int
}

func newGenerator(seed int64, first *memory) *generator {
	g := &generator{r: rand.New(rand.NewSource(seed)), kinds: allKinds(), first: first}
	for _, k := range g.kinds {
		for range k.weight {
			g.wheel = append(g.wheel, k)
		}
	}
	return g
}

// place is an object that a call is about.
type place struct {
	k               *kind
	namespace, name string
}

func (p place) key() string                  { return p.k.key(p.namespace, p.name) }
func (p place) path(sub string) string       { return p.k.path(p.namespace, p.name, sub) }
func (g *generator) chance(n int) bool       { return g.r.Intn(n) == 0 }
func (g *generator) one(of ...string) string { return pick(g.r, of...) }

func (g *generator) kind() *kind { return pick(g.r, g.wheel...) }

func (g *generator) namespaceOf(k *kind) string {
	if k.lonely {
		return quotaNamespace
	}
	return g.one(firstNamespace, firstNamespace, secondNamespace)
}

// place chooses an object; when known is set it prefers one that somebody has seen.
func (g *generator) place(k *kind, known bool) place {
	p := place{k, g.namespaceOf(k), pick(g.r, k.names...)}
	for range 4 {
		if !known || g.first.objects[p.key()] != nil {
			break
		}
		p = place{k, g.namespaceOf(k), pick(g.r, k.names...)}
	}
	return p
}

// verbs with their weights; each makes one call.
var verbs = []struct {
	weight int
	make   func(*generator) *call
}{
	{20, (*generator).create},
	{9, (*generator).createBroken},
	{8, (*generator).read},
	{10, (*generator).listing},
	{12, (*generator).update},
	{6, (*generator).updateStatus},
	{5, (*generator).patchJSON},
	{6, (*generator).patchMerge},
	{6, (*generator).patchStrategic},
	{9, (*generator).patchApply},
	{8, (*generator).remove},
	{2, (*generator).removeCollection},
	{4, (*generator).bindOrEvict},
	{2, (*generator).scale},
	{3, (*generator).table},
	{3, (*generator).odd},
	{1, (*generator).definition},
}

// next is the following call of the sequence.
func (g *generator) next() *call {
	if len(g.pending) > 0 {
		c := g.pending[0]
		g.pending = g.pending[1:]
		return c
	}
	total := 0
	for _, v := range verbs {
		total += v.weight
	}
	at := g.r.Intn(total)
	for _, v := range verbs {
		if at -= v.weight; at < 0 {
			c := v.make(g)
			c.seed = g.r.Int63()
			g.wrapUp(c)
			return c
		}
	}
	panic("weights do not add up")
}

// wrapUp adds what any write may have: a dry run, field validation, a field manager, and what settles it later.
func (g *generator) wrapUp(c *call) {
	if c.query == nil {
		c.query = url.Values{}
	}
	writes := c.method == "POST" || c.method == "PUT" || c.method == "PATCH"
	if (writes || c.method == "DELETE") && g.chance(12) {
		c.query.Set("dryRun", g.one("All", "All", "All", "All", "Some"))
	}
	if writes && g.chance(6) {
		c.query.Set("fieldValidation", g.one("Strict", "Warn", "Ignore", "Strict", "Odd"))
	}
	if writes && c.query.Get("fieldManager") == "" && g.chance(6) {
		c.query.Set("fieldManager", g.one("alice", "bob", strings.Repeat("m", 129)))
	}
	if (c.method == "POST" || c.method == "PUT") && c.raw == nil && c.body != nil && c.contentType == "" && g.chance(5) {
		c.protobuf = true
	}
	if c.after == nil {
		c.after = settle(c)
	}
}

func (g *generator) create() *call {
	p := g.place(g.kind(), false)
	c := &call{verb: "create", kind: p.k.plural, key: p.key(), method: "POST", path: p.k.path(p.namespace, "", "")}
	c.body = func(m *memory, r *rand.Rand) any { return p.k.make(r, p.namespace, p.name) }
	switch {
	case g.chance(12) && p.k.plural != "namespaces":
		return g.createGenerated(p, c)
	case g.chance(10):
		c.note = "with an owner or finalizers"
		change := pick(g.r, set("metadata.finalizers", list("example.com/f")), set("metadata.finalizers", list("bad")),
			func(_ *rand.Rand, o object) { put(o, "metadata.ownerReferences", list("unset")) })
		if !p.k.clusterWide && p.k.plural != "namespaces" {
			c.body = func(m *memory, r *rand.Rand) any {
				out := p.k.make(r, p.namespace, p.name)
				change(r, out)
				if owners, ok := at(out, "metadata.ownerReferences").([]any); ok && owners[0] == "unset" {
					owners[0] = object{"apiVersion": "v1", "kind": "ConfigMap", "name": anchorName, "controller": true,
						"uid": text(m.objects["configmaps./"+p.namespace+"/"+anchorName], "metadata.uid")}
				}
				return out
			}
		}
	}
	return c
}

// createGenerated creates with generateName, uses the object a little and deletes it, so that at most one such name
// lives at a time and the order of lists does not depend on it.
func (g *generator) createGenerated(p place, c *call) *call {
	c.generated, c.note = true, "generateName"
	c.body = func(m *memory, r *rand.Rand) any {
		out := p.k.make(r, p.namespace, p.name)
		drop(out, "metadata.name")
		put(out, "metadata.generateName", "gen-")
		return out
	}
	g.aliases++
	made := place{p.k, p.namespace, fmt.Sprintf("gen-alias-%05d", g.aliases)}
	c.key = made.key()
	get := &call{verb: "get", kind: p.k.plural, key: made.key(), method: "GET", path: made.path("")}
	gone := &call{verb: "delete", kind: p.k.plural, key: made.key(), method: "DELETE", path: made.path(""),
		query: url.Values{"gracePeriodSeconds": {"0"}, "propagationPolicy": {"Background"}}}
	g.pending = append(g.pending, get, gone)
	return c
}

// anyBroken are mistakes that every kind refuses, or at least answers in a defined way.
var anyBroken = []edit{
	unset("apiVersion"), unset("kind"), set("kind", "Nonsense"), set("apiVersion", "v7"), set("apiVersion", "a/b/c"),
	set("metadata.namespace", "elsewhere"), set("metadata.name", "Upper_Case"), set("metadata.name", "-dash"),
	set("metadata.name", strings.Repeat("x", 254)), set("metadata.name", ""), unset("metadata"),
	set("metadata.name", "a/b"), set("metadata.labels", object{"k": strings.Repeat("v", 64)}),
	set("metadata.labels", object{"bad key!": "v"}), set("metadata.labels", object{"k": "v/v"}),
	set("metadata.annotations", object{"bad key!": "v"}), set("metadata.labels", "x"), set("metadata.labels", object{"k": 1}),
	set("metadata.resourceVersion", "5"), set("metadata.uid", "mine"), set("metadata.unknownField", "x"),
	set("unknownTop", object{"a": 1}), set("spec.unknownField", 1), set("metadata", "x"), set("metadata.finalizers", list("x y")),
	set("metadata.ownerReferences", list(object{"name": "x"})), set("metadata.generateName", "UPPER"),
	set("metadata.creationTimestamp", "2001-01-01T00:00:00Z"), set("metadata.deletionTimestamp", "2001-01-01T00:00:00Z"),
	set("metadata.managedFields", list(object{"manager": "m", "operation": "Dance"})), set("metadata.generation", 77),
	set("metadata.selfLink", "/x"), set("metadata.deletionGracePeriodSeconds", 5),
}

func (g *generator) createBroken() *call {
	p := g.place(g.kind(), false)
	c := &call{verb: "create bad", kind: p.k.plural, key: p.key(), method: "POST", path: p.k.path(p.namespace, "", "")}
	wrong := pick(g.r, anyBroken...)
	if len(p.k.broken) > 0 && !g.chance(3) {
		wrong = pick(g.r, p.k.broken...)
	}
	c.body = func(m *memory, r *rand.Rand) any {
		out := p.k.make(r, p.namespace, p.name)
		wrong(r, out)
		return out
	}
	if g.chance(4) {
		c.query = url.Values{"fieldValidation": {g.one("Strict", "Warn", "Ignore")}}
	}
	switch {
	case g.chance(25):
		c.raw = []byte(g.one("{", "[]", "null", `"x"`, "{}", `{"a":1}{`, "", "\xff\xfe", "{\"kind\":\"Pod\",}"))
	case g.chance(25):
		c.contentType = g.one("text/plain", "application/xml", "application/merge-patch+json", "nonsense")
	case g.chance(20):
		c.path = p.k.path("missing-namespace", "", "")
		c.body = func(m *memory, r *rand.Rand) any { return p.k.make(r, "missing-namespace", p.name) }
	}
	return c
}

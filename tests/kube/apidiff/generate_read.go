package main

import "net/url"

const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

func (g *generator) read() *call {
	p := g.place(g.kind(), true)
	c := &call{verb: "get", kind: p.k.plural, key: p.key(), method: "GET", path: p.path("")}
	switch {
	case p.k.status != nil && g.chance(6):
		c.path, c.verb = p.path("status"), "get status"
	case g.chance(10):
		c.warm, c.query = true, url.Values{"resourceVersion": {"0"}}
	case g.chance(20):
		c.query = url.Values{"resourceVersion": {g.one("abc", "-1", "1")}}
		c.warm = true
	case g.chance(15):
		c.accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
	case g.chance(20):
		namespace := g.one(p.namespace, "missing-namespace")
		c.path = p.k.path(namespace, "never", "")
		c.key = p.k.key(namespace, "never")
	}
	return c
}

var labelSelectors = []string{"app=red", "app==blue", "app!=red", "app in (red,blue)", "app notin (red)", "app", "!app",
	"app=red,tier=web", "missing", "tier in (web),app", "app=red,", "app in red", "=x", "a/b/c=d", "app=b@d", "app>1",
	"app=", "app in ()", " app = red ", "app=red,!missing"}

func (g *generator) listing() *call {
	k := g.kind()
	namespace := g.namespaceOf(k)
	c := &call{verb: "list", kind: k.plural, method: "GET", query: url.Values{}}
	paged := g.chance(3)
	if !paged && g.chance(5) {
		namespace = ""
	}
	if g.chance(40) {
		namespace = "missing-namespace"
	}
	c.path = k.path(namespace, "", "")
	if g.chance(2) {
		c.query.Set("labelSelector", pick(g.r, labelSelectors...))
	}
	if g.chance(3) {
		c.query.Set("fieldSelector", pick(g.r, k.fields...))
	}
	if g.chance(15) {
		c.verb, c.query = "watch bad", pick(g.r, badWatches...)()
		return c
	}
	if paged {
		g.page(c, k, namespace)
		return c
	}
	if g.chance(3) {
		g.atRevision(c)
	}
	return c
}

// badWatches are refused before anything streams.
var badWatches = []func() url.Values{
	func() url.Values { return url.Values{"watch": {"1"}, "resourceVersion": {"abc"}} },
	func() url.Values { return url.Values{"watch": {"true"}, "sendInitialEvents": {"true"}} },
	func() url.Values { return url.Values{"watch": {"true"}, "resourceVersionMatch": {"NotOlderThan"}} },
	func() url.Values {
		return url.Values{"watch": {"true"}, "resourceVersionMatch": {"Exact"}, "sendInitialEvents": {"true"}}
	},
	func() url.Values { return url.Values{"sendInitialEvents": {"true"}} },
	func() url.Values { return url.Values{"watch": {"true"}, "labelSelector": {"a in ("}} },
	func() url.Values { return url.Values{"watch": {"true"}, "fieldSelector": {"spec.nonsense=x"}} },
	func() url.Values { return url.Values{"watch": {"perhaps"}, "resourceVersion": {"x"}} },
}

// page asks for a piece of a list. Lists of cluster wide kinds hold objects of the server too, so a label keeps to ours.
func (g *generator) page(c *call, k *kind, namespace string) {
	c.verb = "list page"
	c.query.Set("limit", g.one("1", "1", "2", "3", "0", "-1", "x"))
	if k.clusterWide && c.query.Get("labelSelector") == "" {
		c.query.Set("labelSelector", "app")
	}
	if g.chance(2) {
		where := c.path
		c.fill = func(m *memory, q url.Values) {
			if token := m.tokens[where]; token != "" {
				q.Set("continue", token)
			}
		}
	}
	switch {
	case g.chance(15):
		c.query.Set("continue", "bogus")
	case g.chance(15):
		g.atRevision(c)
	}
}

// atRevision adds a revision and how to match it, in good and bad combinations.
func (g *generator) atRevision(c *call) {
	switch g.r.Intn(8) {
	case 0, 1:
		c.query.Set("resourceVersion", "0")
		c.query.Set("resourceVersionMatch", g.one("NotOlderThan", "NotOlderThan", "Exact"))
	case 2:
		c.query.Set("resourceVersion", "0")
	case 3:
		c.query.Set("resourceVersionMatch", g.one("Exact", "NotOlderThan", "Odd"))
	case 4:
		c.query.Set("resourceVersion", g.one("abc", "-5", "1.5"))
	default:
		back := 1 + g.r.Intn(maxRecorded-1)
		match := g.one("Exact", "Exact", "NotOlderThan", "", "Odd")
		previous := c.fill
		c.fill = func(m *memory, q url.Values) {
			if previous != nil {
				previous(m, q)
			}
			if len(m.recorded) > back {
				q.Set("resourceVersion", m.recorded[len(m.recorded)-back])
			}
			if match != "" {
				q.Set("resourceVersionMatch", match)
			}
		}
	}
	c.warm = true
}

// maxRecorded bounds how far back lists at a revision go.
const maxRecorded = 40

func (g *generator) table() *call {
	k := g.kind()
	p := g.place(k, true)
	c := &call{verb: "table", kind: k.plural, method: "GET", accept: tableAccept, path: k.path(p.namespace, "", "")}
	switch {
	case g.chance(3):
		c.path = p.path("")
	case g.chance(4):
		c.query = url.Values{"includeObject": {g.one("None", "Object", "Metadata", "Odd")}}
	case g.chance(4):
		c.query = url.Values{"labelSelector": {"app=red"}}
	}
	return c
}

// odd makes requests that fit no kind: paths, verbs and media types that do not exist.
func (g *generator) odd() *call {
	p := g.place(g.kind(), true)
	c := &call{verb: "odd", kind: p.k.plural, method: "GET", path: p.path("")}
	switch g.r.Intn(12) {
	case 0:
		c.path = g.one("/api/v1/unknowns", "/apis/no.such.group/v1/things", "/apis/apps/v9/deployments", "/nothing", "/api/v2")
	case 1:
		c.method, c.raw = "POST", []byte(`{}`) // to an object
	case 2:
		c.method, c.path, c.raw = "PUT", p.k.path(p.namespace, "", ""), []byte(`{}`)
	case 3:
		c.accept = g.one("application/xml", "text/html", "application/json;as=Nothing;v=v1;g=meta.k8s.io")
	case 4:
		c.path = p.path(g.one("nosub", "status/more"))
	case 5:
		c.method, c.raw, c.contentType = "PATCH", []byte(`{}`), g.one("application/json", "text/plain", "application/yaml")
	case 6:
		c.anonymous = true
	case 7:
		c.method = g.one("OPTIONS", "TRACE", "FROB")
	case 8:
		c.method, c.path, c.raw = "PATCH", p.k.path(p.namespace, "", ""), []byte(`{}`)
		c.contentType = "application/merge-patch+json"
	case 9:
		c.path = g.one("/api", "/version/x", "/apis/"+customGroup, "/apis/"+customGroup+"/v1", "/api/v1", "/apis/apps/v1")
		if c.path == "/api" || c.path[:5] == "/apis" || c.path == "/api/v1" {
			c.kind = "discovery"
		}
	case 10:
		c.method, c.raw = "POST", []byte(`{}`)
		c.path = p.path("status")
	default:
		c.accept = g.one("*/*", "application/*", "application/yaml", "application/json;q=0.5, text/html")
	}
	c.key = ""
	return c
}

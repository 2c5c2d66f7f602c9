// Command apidiff sends one seeded random sequence of API calls to two servers in lock step and compares the answers:
// codes, reasons, details, objects and watch events, modulo what no two servers share (uids, times, revisions, tokens,
// made-up names) and a short list of accepted differences (accepted.go). Before that it compares what the servers say
// about their kinds (documents.go).
//
//	apidiff --a KUBECONFIG --b KUBECONFIG --seed 1 --calls 5000
//
// Both servers must be fresh. It writes only into namespaces and names of its own. Exit status 1 when anything differs,
// 2 when it cannot start.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync"
	"time"
)

func newSeed(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

func main() {
	left := flag.String("a", "", "kubeconfig of the first server, usually the real one")
	right := flag.String("b", "", "kubeconfig of the second server")
	seed := flag.Int64("seed", 1, "seed of the sequence")
	calls := flag.Int("calls", 5000, "how many calls")
	verbose := flag.Int("show", 60, "how many differing calls are printed in full")
	coverage := flag.Bool("coverage", false, "print how often each verb got each code")
	log := flag.String("log", "", "file for every call with both answers")
	flag.Parse()
	r := newReport(os.Stdout, *verbose)
	if *log != "" {
		file, err := os.Create(*log)
		if err != nil {
			fmt.Fprintln(os.Stderr, "apidiff:", err)
			os.Exit(2)
		}
		defer file.Close()
		r.log = file
	}
	a, err := connect("a", *left)
	if err == nil {
		var b *server
		if b, err = connect("b", *right); err == nil {
			if !run(a, b, *seed, *calls, r, *coverage) {
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "apidiff:", err)
	os.Exit(2)
}

func run(a, b *server, seed int64, calls int, r *report, coverage bool) bool {
	start := time.Now()
	fmt.Printf("apidiff: seed %d, %d calls\n  a: %s\n  b: %s\n", seed, calls, a.conf.Base, b.conf.Base)
	g := newGenerator(seed, a.memory)
	for _, s := range []*server{a, b} {
		s.kinds = g.kinds
		if err := s.prepare(); err != nil {
			fmt.Fprintf(os.Stderr, "apidiff: %s: %v\n", s.label, err)
			os.Exit(2)
		}
	}
	alike := compareDocuments(a, b, r.out)
	byPlural := map[string]*kind{"gizmos": gizmoKind}
	for _, k := range g.kinds {
		byPlural[k.plural] = k
	}
	watches := openWatches(g.kinds, a, b)
	for number := 1; number <= calls; number++ {
		c := g.next()
		step(number, c, byPlural[c.kind], a, b, r)
		if c.after != nil {
			c.after(a, b)
		}
	}
	called := time.Since(start)
	finish(watches, a, b, r)
	fmt.Printf("apidiff: %.1f s for calls, %.1f s with watches\n", called.Seconds(), time.Since(start).Seconds())
	return r.summary(coverage) && alike
}

// step sends one call to both at the same time and compares.
func step(number int, c *call, k *kind, a, b *server, r *report) {
	var both sync.WaitGroup
	var answers [2]*answer
	for i, s := range []*server{a, b} {
		both.Go(func() {
			if c.warm {
				s.catchUp(c)
			}
			if c.kind == "events" && (c.verb == "list page" || c.verb == "table") {
				s.sweep(k, c.path)
			}
			answers[i] = s.send(c)
			s.remember(c, answers[i])
		})
	}
	both.Wait()
	var found []difference
	compare("", comparable(c, k, a, answers[0]), comparable(c, k, b, answers[1]), &found)
	r.add(number, c, answers[0], answers[1], found)
}

// catchUp makes the caches of a server as new as its storage, with a consistent list: the following read may be served
// from a cache, which is right but not repeatable otherwise.
func (s *server) catchUp(c *call) {
	path := c.path
	if c.key != "" {
		path = path[:strings.LastIndex(path, "/")]
	}
	s.plain("GET", s.memory.names.resolve(path)+"?labelSelector=catch%3Dup", "", nil)
}

// sweep deletes the objects of a collection that a server has made for itself. The real one reports on services that it
// repairs, now and then; a page that counts them, or rows without names, would differ.
func (s *server) sweep(k *kind, path string) {
	found, _ := s.plain("GET", path, "", nil).value.(object)
	items, _ := found["items"].([]any)
	for _, item := range items {
		name := text(item, "metadata.name")
		if k.foreign(text(item, "metadata.namespace"), s.memory.names.mask(name)) {
			s.plain("DELETE", path+"/"+name, "", nil)
		}
	}
}

// remember takes what an answer tells into the memory of the server.
func (s *server) remember(c *call, got *answer) {
	m := s.memory
	value, _ := got.value.(object)
	dry := c.query.Get("dryRun") != ""
	if c.generated {
		m.names.add(orElse(text(value, "metadata.name"), orElse(text(value, "details.name"), "gen-none")))
	}
	if c.key != "" && got.code < 300 && value["kind"] != "Status" && value["kind"] != "PartialObjectMetadata" {
		got.relation = m.learn(c.key, value, dry)
	}
	if token := text(value, "metadata.continue"); token != "" {
		m.tokens[c.path] = token
	}
	m.recorded = append(m.recorded, m.revision)
}

// prepare makes namespaces, anchors and definitions.
func (s *server) prepare() error {
	for _, namespace := range []string{firstNamespace, secondNamespace, quotaNamespace} {
		made := s.plain("POST", "/api/v1/namespaces", "", parse(`{"metadata":{"name":"%s"}}`, namespace))
		if made.code != 201 {
			return fmt.Errorf("namespace %s: %d %s (is the server fresh?)", namespace, made.code, brief(made))
		}
		s.plain("POST", "/api/v1/namespaces/"+namespace+"/serviceaccounts", "", parse(`{"metadata":{"name":"default"}}`))
		anchor := s.plain("POST", "/api/v1/namespaces/"+namespace+"/configmaps", "",
			parse(`{"metadata":{"name":"%s","labels":{"apidiff":"anchor"}}}`, anchorName))
		if anchor.code != 201 {
			return fmt.Errorf("anchor: %d %s", anchor.code, brief(anchor))
		}
		s.memory.learn("configmaps./"+namespace+"/"+anchorName, anchor.value.(object), false)
	}
	// A standalone server has this namespace from the start; whether a page of namespaces is the last depends on it.
	s.plain("POST", "/api/v1/namespaces", "", parse(`{"metadata":{"name":"volcano-system"}}`))
	for name, definition := range map[string]string{"widgets": widgetDefinition, "gadgets": gadgetDefinition} {
		made := s.plain("POST", definitionKind.path("", "", ""), "", parse("%s", definition))
		if made.code != 201 {
			return fmt.Errorf("definition of %s: %d %s", name, made.code, brief(made))
		}
		established(name+"."+customGroup, s)
	}
	// kube-apiserver describes a new kind a moment after it serves it.
	s.waitFor("/openapi/v3/apis/"+customGroup+"/v1", 200, func(document object) bool {
		widgets := "com.example.apidiff.v1.Widget"
		gadgets := "com.example.apidiff.v1.Gadget"
		schemas, _ := at(document, "components.schemas").(object)
		return schemas[widgets] != nil && schemas[gadgets] != nil
	})
	return nil
}

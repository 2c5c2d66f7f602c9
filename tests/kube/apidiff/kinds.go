package main

import (
	"fmt"
	"math/rand"
)

// edit changes a body; chance comes from r, so that both servers get the same change.
type edit func(r *rand.Rand, o object)

// kind is one row of the table of kinds: how to make, change and break its objects.
type kind struct {
	group, version, plural, name string
	clusterWide                  bool
	names                        []string                  // few, so that calls collide
	body                         func(r *rand.Rand) object // a valid object, without name and namespace
	change                       []edit                    // valid changes of an existing object
	frozen                       []edit                    // changes that a server refuses on existing objects
	broken                       []edit                    // bodies that a server refuses
	status                       edit                      // nil: no status subresource
	merges                       []string                  // strategic merge patches, some wrong
	apply                        func(r *rand.Rand) object // what server-side apply sends; nil: body
	fields                       []string                  // field selectors, good and bad
	scale                        bool
	weight                       int  // how often it is chosen
	lonely                       bool // lives in namespaces of its own (quotaNamespace), see the table accepted
}

const (
	firstNamespace  = "apidiff-a"
	secondNamespace = "apidiff-b"
	quotaNamespace  = "apidiff-quota"
)

func (k *kind) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

func (k *kind) root() string {
	if k.group == "" {
		return "/api/" + k.version
	}
	return "/apis/" + k.group + "/" + k.version
}

// path of a collection (name ""), an object, or a subresource of it; namespace "" means all.
func (k *kind) path(namespace, name, sub string) string {
	out := k.root()
	if !k.clusterWide && namespace != "" {
		out += "/namespaces/" + namespace
	}
	out += "/" + k.plural
	if name != "" {
		out += "/" + name
	}
	if sub != "" {
		out += "/" + sub
	}
	return out
}

func (k *kind) key(namespace, name string) string {
	if k.clusterWide {
		namespace = ""
	}
	return k.plural + "." + k.group + "/" + namespace + "/" + name
}

// make is a whole valid object.
func (k *kind) make(r *rand.Rand, namespace, name string) object {
	out := k.body(r)
	out["apiVersion"], out["kind"] = k.apiVersion(), k.name
	put(out, "metadata.name", name)
	if !k.clusterWide {
		put(out, "metadata.namespace", namespace)
	}
	return out
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.Intn(len(from))] }

func set(path string, value any) edit {
	return func(_ *rand.Rand, o object) { put(o, path, clone(value)) }
}

func unset(path string) edit { return func(_ *rand.Rand, o object) { drop(o, path) } }

// choose sets one of several values.
func choose(path string, values ...any) edit {
	return func(r *rand.Rand, o object) { put(o, path, clone(pick(r, values...))) }
}

// labels makes the metadata of a new object.
func labels(r *rand.Rand) object {
	out := object{"labels": object{"app": pick(r, "red", "blue", "green"), "tier": pick(r, "web", "db")}}
	if r.Intn(3) == 0 {
		out["annotations"] = object{"note": fmt.Sprint(r.Intn(5))}
	}
	return out
}

func list(values ...any) []any { return values }

// allKinds is the whole table, in a fixed order.
func allKinds() []*kind {
	var out []*kind
	out = append(out, coreKinds()...)
	out = append(out, clusterKinds()...)
	out = append(out, workloadKinds()...)
	out = append(out, policyKinds()...)
	out = append(out, customKinds()...)
	for _, k := range out {
		if k.names == nil {
			k.names = []string{"a", "b", "c", "d"}
		}
		if k.weight == 0 {
			k.weight = 3
		}
	}
	return out
}

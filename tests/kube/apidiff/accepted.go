package main

import (
	"fmt"
	"regexp"
	"strings"
)

// accepted is the short list of differences that are no faults. Nothing else is left out of the comparison, but what
// must differ between any two servers: uids, times, revisions, continue tokens and made-up name suffixes (see mask.go).
var accepted = []struct {
	what, why string
	is        func(c *call, d difference) bool
}{
	{"code and body where the first server answers 500 and the second refuses with 4xx",
		"the real server says 500 to some mistakes of clients (a revision that is no number, apply with unknown fields);" +
			" a client that sees 4xx knows more; see refusedBetter",
		func(*call, difference) bool { return false }},
	{"text of Status.message, of causes, of warnings, of table column descriptions and of the remark on a finished pod's row",
		"words are the server's own; codes, reasons, fields and kinds are the contract; see trimStatus for the first two",
		func(_ *call, d difference) bool {
			return strings.HasPrefix(d.path, "columnDefinitions") && strings.HasSuffix(d.path, "description") ||
				rowRemark.MatchString(d.path)
		}},
	{"the field manager of objects that the server itself makes",
		"it is the name of the program",
		func(_ *call, d difference) bool {
			return d.a == "kube-apiserver" && strings.HasSuffix(d.path, ".manager")
		}},
	{"status of a CustomResourceDefinition right after a write, and its revision, managers and finalizers",
		"set by controllers of the server at another moment; the status is compared once the definition is established",
		func(c *call, d difference) bool {
			return c.kind == definitions && (d.path == "revision" || strings.HasPrefix(d.path, "metadata.managedFields") ||
				strings.HasPrefix(d.path, "metadata.finalizers") ||
				strings.HasPrefix(d.path, "status") && c.verb != "get settled")
		}},
	{"descriptions of the two system PriorityClasses",
		"they are said in our own words",
		func(c *call, d difference) bool {
			return c.kind == "priorityclasses" && strings.HasSuffix(d.path, "description") &&
				strings.HasPrefix(fmt.Sprint(d.a), "Used for system critical pods")
		}},
	{"empty fields of the object in a bookmark",
		"the real server sends the zero value of the kind; nobody reads more of it than its revision and annotation",
		func(c *call, d difference) bool {
			return strings.HasPrefix(c.verb, "watch") && bookmarkField.MatchString(d.path) && d.b == (missing{}) && isZero(d.a)
		}},
	{"a new revision of a PersistentVolumeClaim, and its event, for a write that changes nothing",
		"the real server stores a new claim without its phase, shows it as Pending, and stores it again at the next write;" +
			" see sameClaims for the events",
		func(c *call, d difference) bool {
			return c.kind == claims && d.path == "revision" && d.a == "newer" && d.b == "same"
		}},
	{"spec.internalTrafficPolicy of a service without addresses (ExternalName) in events of a watch",
		"the real server keeps the policy of the former type, hides it from readers and shows it to watchers;" +
			" the second shows it to nobody",
		func(c *call, d difference) bool {
			return strings.HasPrefix(c.verb, "watch") && c.kind == "services" && d.b == (missing{}) &&
				strings.HasSuffix(d.path, ".object.spec.internalTrafficPolicy")
		}},
	{"status and revision of a ResourceQuota",
		"counted by a controller, which does not run beside the real server; admission by quotas has its own tests",
		func(c *call, d difference) bool {
			path := d.path
			return c.kind == "resourcequotas" && (strings.Contains(path, "status") || path == "revision" ||
				strings.Contains(path, "managedFields") || strings.Contains(path, "cells"))
		}},
}

// foreign tells whether an item of a list is the server's own rather than of this test: lists are compared without
// these. (A standalone server runs the controllers that make default service accounts; a real one
// records events about services that it repairs.)
func (k *kind) foreign(namespace, name string) bool {
	if !k.clusterWide && namespace != firstNamespace && namespace != secondNamespace && namespace != quotaNamespace {
		return true
	}
	// Names that were generated have no dot: the real server's report about such a service is NAME.NUMBER.
	generated := strings.HasPrefix(name, "gen-") && !strings.Contains(name, ".")
	if generated || strings.HasPrefix(name, "system-") || name == sentinelName || name == anchorName {
		return false
	}
	for _, own := range k.names {
		if own == name {
			return false
		}
	}
	return true
}

const claims = "persistentvolumeclaims"

// sameClaims drops events of claims in which nothing changed since the event before about the same claim; it gets masked
// events, in which revisions are alike.
func sameClaims(events []any) []any {
	kept := []any{}
	last := map[string]string{}
	for _, event := range events {
		name := text(event, "object.metadata.namespace") + "/" + text(event, "object.metadata.name")
		state := string(encode(at(event, "object")))
		if text(event, "type") == "MODIFIED" && last[name] == state {
			continue
		}
		last[name] = state
		kept = append(kept, event)
	}
	return kept
}

// refusedBetter is the row about 500 above: it concerns a whole answer.
func refusedBetter(a, b *answer) bool { return a.code == 500 && b.code >= 400 && b.code < 500 }

var rowRemark = regexp.MustCompile(`^rows\.[0-9]+\.conditions\.[0-9]+\.message$`)

var bookmarkField = regexp.MustCompile(`^[0-9]+\.object\.`)

// isZero tells whether a value is what Go writes for a field that nobody set.
func isZero(value any) bool {
	switch v := value.(type) {
	case object:
		for _, item := range v {
			if !isZero(item) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return value == nil || fmt.Sprint(value) == "0" || fmt.Sprint(value) == ""
}

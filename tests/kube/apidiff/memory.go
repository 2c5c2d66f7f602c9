package main

import (
	"fmt"
	"strconv"
	"strings"
)

// memory is what one server has told so far: the last state of each object, older revisions, tokens and made-up names.
type memory struct {
	objects  map[string]object // by key, the last state seen, even after deletion
	former   map[string]string // by key, a revision before the last
	tokens   map[string]string // by list path, the last continue token
	revision string            // the last revision seen of anything
	recorded []string          // revisions noted on the way, oldest first
	names    aliases
}

func newMemory() *memory {
	return &memory{objects: map[string]object{}, former: map[string]string{}, tokens: map[string]string{}}
}

// learn takes an object from an answer; how its revision relates to the known one is returned.
func (m *memory) learn(key string, found object, dry bool) string {
	if at(found, "metadata.uid") == nil {
		return "none"
	}
	revision := text(found, "metadata.resourceVersion")
	known := text(m.objects[key], "metadata.resourceVersion")
	if text(m.objects[key], "metadata.uid") != text(found, "metadata.uid") {
		known = ""
	}
	relation := relate(revision, known)
	if dry {
		return relation
	}
	if known != "" && known != revision {
		m.former[key] = known
	}
	m.objects[key] = found
	if later(revision, m.revision) {
		m.revision = revision
	}
	return relation
}

func relate(revision, known string) string {
	switch {
	case revision == "":
		return "absent"
	case known == "":
		return "first"
	case revision == known:
		return "same"
	case later(revision, known):
		return "newer"
	}
	return "older"
}

func later(a, b string) bool {
	x, _ := strconv.ParseUint(a, 10, 64)
	y, _ := strconv.ParseUint(b, 10, 64)
	return x > y
}

// aliases give names that a server made up ("gen-x7k2p") the same alias on both sides ("gen-alias-4"), both ways.
type aliases struct {
	count int
	pairs [][2]string // alias, name
}

func (a *aliases) add(name string) {
	a.count++
	a.pairs = append(a.pairs, [2]string{fmt.Sprintf("gen-alias-%05d", a.count), name})
}

func (a *aliases) resolve(text string) string {
	if !strings.Contains(text, "gen-alias-") {
		return text
	}
	for _, pair := range a.pairs {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

func (a *aliases) mask(text string) string {
	if !strings.Contains(text, "gen-") {
		return text
	}
	for _, pair := range a.pairs {
		text = strings.ReplaceAll(text, pair[1], pair[0])
	}
	return text
}

package main

import (
	_ "embed"
	"fmt"
	"io"
	"sort"
	"strings"
)

// What a server says about itself: discovery and OpenAPI. Compared are the kinds that both serve and the types that both
// describe, without words for people. Kinds that only the first one has are no difference; one that only the second
// has is, unless a definition made it.

// known lists the differences that are there today, one per line, as they are printed. The list can only become
// shorter: a difference that is not on it fails the comparison, and so does a line that is true no longer.
//
//go:embed known_documents.txt
var known string

const aggregatedForm = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// documents collects what differs, each as one line.
type documents struct {
	a, b  *server
	lines map[string]bool
}

// compareDocuments prints what differs otherwise than is known, and tells whether nothing does.
func compareDocuments(a, b *server, out io.Writer) bool {
	d := &documents{a: a, b: b, lines: map[string]bool{}}
	compared := d.discovery() + d.aggregated("/api") + d.aggregated("/apis")
	schemas := d.openapi()
	expected := map[string]bool{}
	for _, line := range strings.Split(known, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			expected[line] = true
		}
	}
	equal := true
	for _, line := range sortedLines(d.lines) {
		if !expected[line] {
			fmt.Fprintln(out, "  differs:", line)
			equal = false
		}
	}
	for _, line := range sortedLines(expected) {
		if !d.lines[line] {
			fmt.Fprintln(out, "  no longer differs (remove it from known_documents.txt):", line)
			equal = false
		}
	}
	if compared == 0 || schemas == 0 {
		fmt.Fprintln(out, "  nothing was compared")
		equal = false
	}
	fmt.Fprintf(out, "apidiff: documents: %d resources and %d types compared, %d known differences, equal otherwise: %t\n",
		compared, schemas, len(expected), equal)
	return equal
}

func (d *documents) add(format string, arguments ...any) {
	d.lines[fmt.Sprintf(format, arguments...)] = true
}

// document reads one; nil when it is not there.
func (s *server) document(path, accept string) object {
	got := s.exchange(&call{method: "GET", accept: accept, document: true}, path, nil)
	found, _ := got.value.(object)
	if got.code != 200 {
		return nil
	}
	return found
}

// both asks both servers for the same document.
func (d *documents) both(path, accept string) (object, object) {
	return d.a.document(path, accept), d.b.document(path, accept)
}

// discovery compares /api, /apis and the lists of resources below them.
func (d *documents) discovery() int {
	left, right := d.both("/api", "")
	d.values("/api", "versions", left, right)
	left, right = d.both("/apis", "")
	groupsA, groupsB := byName(left, "groups", "name"), byName(right, "groups", "name")
	count := d.resources("/api/v1")
	for _, name := range sortedNames(groupsB) {
		one, ok := groupsA[name]
		if !ok {
			d.foreign(name, "group")
			continue
		}
		d.values("/apis "+name, "preferredVersion", one, groupsB[name])
		versions := byName(one, "versions", "groupVersion")
		for _, version := range sortedNames(byName(groupsB[name], "versions", "groupVersion")) {
			if _, ok := versions[version]; !ok {
				d.add("/apis %s: only the second has %s", name, version)
				continue
			}
			count += d.resources("/apis/" + version)
		}
	}
	return count
}

// foreign is for a group that only the second server has: those of definitions are left out.
func (d *documents) foreign(name, what string) {
	if !strings.HasSuffix(name, ".volcano.sh") && name != customGroup {
		d.add("%s %s: only the second has it", what, name)
	}
}

// resources compares one list of resources; the rows of a resource's parts ("pods/log") count when both have the
// resource.
func (d *documents) resources(path string) int {
	left, right := d.both(path, "")
	d.values(path, "kind", left, right)
	d.values(path, "groupVersion", left, right)
	rowsA, rowsB := byName(left, "resources", "name"), byName(right, "resources", "name")
	for _, name := range sortedNames(rowsB) {
		row, ok := rowsA[name]
		if !ok {
			d.add("%s %s: only the second has it", path, name)
			continue
		}
		for _, key := range []string{"singularName", "namespaced", "kind", "group", "version", "verbs", "shortNames", "categories"} {
			d.values(path+" "+name, key, row, rowsB[name])
		}
	}
	for _, name := range sortedNames(rowsA) {
		owner, part, _ := strings.Cut(name, "/")
		if rowsB[owner] != nil && part != "" && rowsB[name] == nil {
			d.add("%s %s: only the first has it", path, name)
		}
	}
	return len(rowsB)
}

// aggregated compares the form of discovery that new clients read in one request.
func (d *documents) aggregated(path string) int {
	left, right := d.both(path, aggregatedForm)
	d.values(path+" aggregated", "kind", left, right)
	d.values(path+" aggregated", "apiVersion", left, right)
	groupsA, count := byName(left, "items", "metadata.name"), 0
	for name, group := range byName(right, "items", "metadata.name") {
		versions := byName(groupsA[name], "versions", "version")
		for version, one := range byName(group, "versions", "version") {
			if versions[version] == nil {
				continue // said above
			}
			rows := byName(versions[version], "resources", "resource")
			for resource, row := range byName(one, "resources", "resource") {
				if rows[resource] == nil {
					continue
				}
				count++
				where := fmt.Sprintf("%s aggregated %s/%s %s", path, name, version, resource)
				sayKind(rows[resource], name, version)
				sayKind(row, name, version)
				for _, key := range []string{"responseKind", "scope", "singularResource", "verbs", "shortNames", "categories"} {
					d.values(where, key, rows[resource], row)
				}
				d.parts(where, rows[resource], row)
			}
		}
	}
	return count
}

// sayKind writes out what an aggregated row may leave to its place: a kind without group and version is of those around
// it, and so are those of its parts.
func sayKind(row any, group, version string) {
	kind, _ := at(row, "responseKind").(object)
	if kind["group"] == "" && kind["version"] == "" {
		kind["group"], kind["version"] = group, version
	}
	parts, _ := at(row, "subresources").([]any)
	for _, part := range parts {
		sayKind(part, group, version)
	}
}

func (d *documents) parts(where string, left, right any) {
	partsA, partsB := byName(left, "subresources", "subresource"), byName(right, "subresources", "subresource")
	for name, part := range partsB {
		if partsA[name] == nil {
			d.add("%s/%s: only the second has it", where, name)
			continue
		}
		d.values(where+"/"+name, "responseKind", partsA[name], part)
		d.values(where+"/"+name, "verbs", partsA[name], part)
	}
}

// values compares one member of two objects; lists of words without their order.
func (d *documents) values(where, key string, left, right any) {
	x, y := inOrder(at(left, key)), inOrder(at(right, key))
	if string(encode(x)) != string(encode(y)) {
		d.add("%s: %s is %s, not %s", where, key, encode(y), encode(x))
	}
}

func inOrder(value any) any {
	items, ok := value.([]any)
	for _, item := range items {
		if _, isText := item.(string); !isText {
			ok = false
		}
	}
	if !ok {
		return value
	}
	sorted := append([]any{}, items...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].(string) < sorted[j].(string) })
	return sorted
}

// byName gives the elements of a list by a text that each has; of a name that comes twice the first counts.
func byName(value any, list, name string) map[string]any {
	out := map[string]any{}
	items, _ := at(value, list).([]any)
	for _, item := range items {
		if key := text(item, name); out[key] == nil {
			out[key] = item
		}
	}
	return out
}

func sortedNames(from map[string]any) []string {
	var out []string
	for name := range from {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

func sortedLines(from map[string]bool) []string {
	var out []string
	for line := range from {
		out = append(out, line)
	}
	sort.Strings(out)
	return out
}

package main

import (
	"sort"
	"strings"
)

// openapi compares the OpenAPI v3 documents of the group versions that both serve: the types that both describe, and the
// operations of the second.
func (d *documents) openapi() int {
	left, right := d.both("/openapi/v3", "")
	pathsA, _ := at(left, "paths").(object)
	pathsB, _ := at(right, "paths").(object)
	types := map[string]bool{}
	for _, path := range sortedNames(pathsB) {
		one, ok := pathsA[path]
		if !ok {
			if strings.HasPrefix(path, "api") {
				d.foreign(strings.Split(path+"/", "/")[1], "openapi")
			}
			continue
		}
		documentA := d.a.document(text(one, "serverRelativeURL"), "")
		documentB := d.b.document(text(pathsB[path], "serverRelativeURL"), "")
		schemasA, _ := at(documentA, "components.schemas").(object)
		schemasB, _ := at(documentB, "components.schemas").(object)
		for name, schema := range schemasB {
			if schemasA[name] != nil && !types[name] {
				types[name] = true
				d.schema("type "+name, schemasA[name], schema)
			}
		}
		d.operations(documentA, documentB)
	}
	return len(types)
}

// schema compares two descriptions of a type. A field that only the first has is a difference of its own line, so that
// the list of known ones says which fields are not served.
func (d *documents) schema(where string, left, right any) {
	x, y := plainSchema(left), plainSchema(right)
	fieldsA, _ := x["properties"].(object)
	fieldsB, _ := y["properties"].(object)
	for name, field := range fieldsA {
		if fieldsB[name] == nil {
			d.add("%s: field %s is missing", where, name)
			continue
		}
		d.schema(where+"."+name, field, fieldsB[name])
	}
	for name := range fieldsB {
		if fieldsA[name] == nil {
			d.add("%s: only the second has field %s", where, name)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		inA, isA := x[key].(object)
		inB, isB := y[key].(object)
		if isA && isB {
			d.schema(where+"."+key, inA, inB)
			delete(x, key)
			delete(y, key)
		}
	}
	delete(x, "properties")
	delete(y, "properties")
	keys := map[string]any{}
	for key := range x {
		keys[key] = true
	}
	for key := range y {
		keys[key] = true
	}
	for _, key := range sortedNames(keys) {
		if strings.Contains(key, ".") {
			continue // no key of a schema has a dot
		}
		d.values(where, key, x, y)
	}
}

// namedScalars are types that the first server refers to by name and the second writes in place.
var namedScalars = map[string]object{
	meta + "pkg.apis.meta.v1.Time":       {"type": "string", "format": "date-time"},
	meta + "pkg.apis.meta.v1.MicroTime":  {"type": "string", "format": "date-time"},
	meta + "pkg.api.resource.Quantity":   {"oneOf": []any{object{"type": "string"}, object{"type": "number"}}},
	meta + "pkg.util.intstr.IntOrString": {"x-kubernetes-int-or-string": true},
}

const meta = "#/components/schemas/io.k8s.apimachinery."

// unsaid is what is true also when it is not said.
var unsaid = map[string]any{"x-kubernetes-list-type": "atomic", "x-kubernetes-map-type": "granular"}

// absentParameters belong to features that are off unless one turns them on.
var absentParameters = map[string]bool{"shardSelector": true, "ignoreStoreReadErrorWithClusterBreakingPotential": true}

// plainSchema is a schema without words for people, in one spelling: a reference in a list of one is that reference, and
// an empty default says nothing.
func plainSchema(value any) object {
	schema, _ := clone(value).(object)
	if schema == nil {
		return object{}
	}
	if all, _ := schema["allOf"].([]any); len(all) == 1 {
		delete(schema, "allOf")
		for key, item := range plainSchema(all[0]) {
			schema[key] = item
		}
	}
	if reference, _ := schema["$ref"].(string); namedScalars[reference] != nil {
		delete(schema, "$ref")
		for key, item := range namedScalars[reference] {
			schema[key] = item
		}
	}
	for key, meaningless := range unsaid {
		if schema[key] == meaningless {
			delete(schema, key)
		}
	}
	delete(schema, "description")
	delete(schema, "title")
	if fallback, ok := schema["default"]; ok && isZero(fallback) {
		delete(schema, "default")
	}
	return schema
}

// operations compares what the second server says can be done at its paths.
func (d *documents) operations(left, right object) {
	pathsA, _ := left["paths"].(object)
	pathsB, _ := right["paths"].(object)
	for path, item := range pathsB {
		if pathsA[path] == nil {
			d.add("path %s: only the second has it", path)
			continue
		}
		operationsA, _ := pathsA[path].(object)
		operationsB, _ := item.(object)
		for method, operation := range operationsB {
			other := operationsA[method]
			if other == nil {
				d.add("path %s: only the second has %s", path, method)
				continue
			}
			if method == "parameters" {
				continue
			}
			where := "path " + path + " " + method
			d.values(where, "x-kubernetes-action", other, operation)
			d.values(where, "x-kubernetes-group-version-kind", other, operation)
			d.parameters(where, append(itemsOf(other, "parameters"), itemsOf(operationsA, "parameters")...),
				append(itemsOf(operation, "parameters"), itemsOf(operationsB, "parameters")...))
		}
	}
}

func itemsOf(value any, key string) []any {
	found, _ := at(value, key).([]any)
	return append([]any{}, found...)
}

// parameters compares the names of query parameters, which is what clients look for.
func (d *documents) parameters(where string, left, right []any) {
	names := func(from []any) string {
		var out []string
		for _, one := range from {
			if text(one, "in") == "query" && text(one, "name") != "pretty" && !absentParameters[text(one, "name")] {
				out = append(out, text(one, "name"))
			}
		}
		sort.Strings(out)
		return strings.Join(out, " ")
	}
	if x, y := names(left), names(right); x != y {
		d.add("%s: parameters are %q, not %q", where, y, x)
	}
}

package main

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

func itoa(i int) string { return strconv.Itoa(i) }

// difference is one place where two trees differ.
type difference struct {
	path string
	a, b any
}

// compare walks two trees and collects differences, in a fixed order.
func compare(path string, a, b any, out *[]difference) {
	switch x := a.(type) {
	case object:
		y, ok := b.(object)
		if !ok {
			break
		}
		keys := map[string]bool{}
		for key := range x {
			keys[key] = true
		}
		for key := range y {
			keys[key] = true
		}
		sorted := make([]string, 0, len(keys))
		for key := range keys {
			sorted = append(sorted, key)
		}
		sort.Strings(sorted)
		for _, key := range sorted {
			left, inA := x[key]
			right, inB := y[key]
			if !inA {
				left = missing{}
			}
			if !inB {
				right = missing{}
			}
			compare(join(path, key), left, right, out)
		}
		return
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		if len(x) != len(y) {
			*out = append(*out, difference{join(path, "length"), len(x), len(y)})
		}
		for i := range min(len(x), len(y)) {
			compare(join(path, itoa(i)), x[i], y[i], out)
		}
		return
	}
	if fmt.Sprintf("%T %v", a, a) != fmt.Sprintf("%T %v", b, b) {
		*out = append(*out, difference{path, a, b})
	}
}

// missing stands for a member that is not there.
type missing struct{}

func (missing) String() string { return "(not there)" }

// MarshalJSON shows it as text.
func (missing) MarshalJSON() ([]byte, error) { return []byte(`"(not there)"`), nil }

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var indexPattern = regexp.MustCompile(`\.[0-9]+(\.|$)`)

// class is a path without what is particular to one object, for the summary.
func (d difference) class() string {
	path := d.path
	if at := strings.Index(path, "managedFields"); at >= 0 {
		path = path[:at] + "managedFields"
	}
	path = "." + path
	return strings.TrimPrefix(indexPattern.ReplaceAllString(indexPattern.ReplaceAllString(path, ".*$1"), ".*$1"), ".")
}

func isAccepted(c *call, d difference) bool {
	for _, row := range accepted {
		if row.is(c, d) {
			return true
		}
	}
	return false
}

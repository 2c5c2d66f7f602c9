package main

import (
	"regexp"
	"sort"
	"strings"
)

var (
	uuidPattern   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern   = regexp.MustCompile(`^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$`)
	numberPattern = regexp.MustCompile(`^[1-9][0-9]*$`)
	ipPattern     = regexp.MustCompile(`^10\.[0-9]+\.[0-9]+\.[0-9]+$`)
)

// sentTime starts every time that this program sends: those are compared, all others are the server's clock.
const sentTime = "2001-"

// masker replaces what no two servers share.
type masker struct{ names *aliases }

func (m masker) text(value string) string {
	if len(value) >= 36 {
		value = uuidPattern.ReplaceAllString(value, "<uuid>")
	}
	if len(value) >= 20 && !strings.HasPrefix(value, sentTime) && timePattern.MatchString(value) {
		return "<time with " + fraction(value) + ">"
	}
	return m.names.mask(value)
}

func fraction(value string) string {
	if strings.Contains(value, ".") {
		return "fraction"
	}
	return "seconds"
}

func (m masker) value(key string, value any) any {
	switch v := value.(type) {
	case object:
		out := make(object, len(v))
		for name, item := range v {
			out[m.text(name)] = m.value(name, item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = m.value(key, item)
		}
		if key == "managedFields" {
			sortManagers(out)
		}
		return out
	case string:
		switch {
		case key == "uid" && uuidPattern.MatchString(v):
			return "<uid>"
		case key == "resourceVersion" && numberPattern.MatchString(v):
			return "<revision>"
		case key == "continue" && v != "":
			return "<token>"
		case (key == "clusterIP" || key == "clusterIPs") && ipPattern.MatchString(v):
			return "<address>"
		}
		return m.text(v)
	}
	if (key == "nodePort" || key == "healthCheckNodePort") && value != nil {
		return "<port>"
	}
	return value
}

// sortManagers puts entries into an order without time: servers order them by the second in which they were written,
// and two servers seldom cross a second at the same call.
func sortManagers(entries []any) {
	order := func(entry any) string {
		return text(entry, "operation") + "|" + text(entry, "manager") + "|" + text(entry, "subresource") + "|" +
			text(entry, "apiVersion")
	}
	sort.SliceStable(entries, func(i, j int) bool { return order(entries[i]) < order(entries[j]) })
}

// comparable turns an answer into the tree that is compared with the other server's.
func comparable(c *call, k *kind, s *server, a *answer) object {
	out := object{"code": a.code}
	if a.err != nil {
		out["error"] = "connection"
		return out
	}
	known, unknown := 0, 0
	for _, warning := range a.warnings {
		if strings.Contains(warning, "unknown field") || strings.Contains(warning, "duplicate field") {
			known++
		} else {
			unknown++
		}
	}
	out["fieldWarnings"], out["otherWarnings"] = known, unknown
	value, ok := masker{&s.memory.names}.value("", a.value).(object)
	if !ok {
		return out // no JSON object: only the code counts
	}
	if c.kind == "discovery" {
		return out
	}
	switch {
	case value["kind"] == "Status":
		trimStatus(value)
	case value["kind"] == "Table":
		trimTable(k, value)
	case k != nil && value["items"] != nil:
		value["items"] = own(k, value["items"])
	}
	for key, item := range value {
		out[key] = item
	}
	out["revision"] = a.relation
	return out
}

// trimStatus keeps of a Status what clients act on: that there is a message, and causes in a fixed order, for servers
// find faults in any order.
func trimStatus(status object) {
	if text(status, "message") != "" {
		status["message"] = "<words>"
	}
	causes, ok := at(status, "details.causes").([]any)
	if !ok {
		return
	}
	var lines []string
	for _, cause := range causes {
		lines = append(lines, text(cause, "reason")+" "+text(cause, "field"))
	}
	sort.Strings(lines)
	out := []any{}
	for _, line := range lines {
		out = append(out, line)
	}
	put(status, "details.causes", out)
}

// movingColumns hold times; their cells change while one looks.
var movingColumns = map[string]bool{"Age": true, "Last Seen": true, "First Seen": true, "Duration": true, "Created At": true}

func trimTable(k *kind, table object) {
	columns, _ := table["columnDefinitions"].([]any)
	rows, _ := table["rows"].([]any)
	kept := []any{}
	for _, row := range rows {
		cells, _ := at(row, "cells").([]any)
		if k != nil && len(cells) > 0 && k.foreignRow(row, cells[0]) {
			continue
		}
		for i := range cells {
			name := text(at(table, "columnDefinitions"), itoa(i)+".name")
			if i < len(columns) && movingColumns[name] {
				cells[i] = "<moving>"
			}
			if name == "Cluster-IP" || name == "Port(s)" {
				cells[i] = "<address>"
			}
		}
		kept = append(kept, row)
	}
	table["rows"] = kept
}

// foreignRow is foreign for a row of a table, whose object may be left out by the request; its first cell is the name,
// but for events.
func (k *kind) foreignRow(row, first any) bool {
	if at(row, "object.metadata") != nil {
		return k.foreign(text(row, "object.metadata.namespace"), text(row, "object.metadata.name"))
	}
	name, _ := first.(string)
	return k.plural != "events" && k.foreign(firstNamespace, name)
}

// own drops the items that belong to the server itself.
func own(k *kind, items any) []any {
	all, _ := items.([]any)
	kept := []any{}
	for _, item := range all {
		if !k.foreign(text(item, "metadata.namespace"), text(item, "metadata.name")) {
			kept = append(kept, item)
		}
	}
	return kept
}

package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// report collects and prints differences.
type report struct {
	out     io.Writer
	verbose int // how many differing calls are printed in full
	calls   int
	differs int
	shown   int
	groups  map[string]int
	codes   map[string]int
	log     io.Writer // nil, or every call goes here with both answers
}

func newReport(out io.Writer, verbose int) *report {
	return &report{out: out, verbose: verbose, groups: map[string]int{}, codes: map[string]int{}}
}

// shownPerGroup is how many examples of one group are printed in full.
const shownPerGroup = 2

func reasonOf(a *answer) any {
	value, _ := a.value.(object)
	return text(value, "reason")
}

// add takes the outcome of one call.
func (r *report) add(number int, c *call, a, b *answer, found []difference) {
	r.calls++
	r.codes[fmt.Sprintf("%-16s %d", c.verb, a.code)]++
	if r.log != nil {
		fmt.Fprintf(r.log, "%d %s %s %s\n  %s\n  a: %d %s\n  b: %d %s\n", number, c.verb, c.kind, c.note, a.request,
			a.code, brief(a), b.code, brief(b))
	}
	var real []difference
	for _, d := range found {
		if !isAccepted(c, d) {
			real = append(real, d)
		}
	}
	if len(real) == 0 || refusedBetter(a, b) {
		return
	}
	r.differs++
	if a.code != b.code { // all else follows from that
		real = []difference{{fmt.Sprintf("code %d, not %d", b.code, a.code), reasonOf(a), reasonOf(b)}}
	}
	seen, fresh := map[string]bool{}, false
	for _, d := range real {
		group := fmt.Sprintf("%-16s %-26s %s", c.verb, c.kind, d.class())
		if !seen[group] {
			fresh = fresh || r.groups[group] < shownPerGroup
			r.groups[group]++
		}
		seen[group] = true
	}
	if !fresh || r.shown >= r.verbose {
		return
	}
	r.shown++
	fmt.Fprintf(r.out, "\n--- call %d: %s %s %s\n  %s\n", number, c.verb, c.kind, c.note, cut(a.request, 3000))
	fmt.Fprintf(r.out, "  a: %d %s\n  b: %d %s\n", a.code, brief(a), b.code, brief(b))
	for i, d := range real {
		if i == 12 {
			fmt.Fprintf(r.out, "  … and %d more\n", len(real)-i)
			break
		}
		fmt.Fprintf(r.out, "  %s\n    a: %s\n    b: %s\n", d.path, cut(string(encode(d.a)), 400), cut(string(encode(d.b)), 400))
	}
}

// brief is an answer in one line: errors with their message, objects by kind and name.
func brief(a *answer) string {
	if a.err != nil {
		return a.err.Error()
	}
	value, ok := a.value.(object)
	if !ok {
		return fmt.Sprintf("%s %q", a.media, cut(a.plain, 100))
	}
	if value["kind"] == "Status" {
		return cut(string(encode(value)), 1500)
	}
	return fmt.Sprintf("%v %s", value["kind"], text(value, "metadata.name"))
}

func cut(text string, limit int) string {
	if len(text) > limit {
		return text[:limit] + "…"
	}
	return text
}

// summary tells whether all was equal and prints, when it was not, the groups: the last lines of a log are what is read.
func (r *report) summary(coverage bool) bool {
	if coverage && r.differs == 0 {
		fmt.Fprintln(r.out, "\ncalls by verb and code:")
		for _, line := range sorted(r.codes) {
			fmt.Fprintf(r.out, "  %5d  %s\n", r.codes[line], line)
		}
	}
	if r.differs > 0 {
		fmt.Fprintln(r.out, "\ncalls that differ, by verb, kind and what differs:")
		for _, line := range sorted(r.groups) {
			fmt.Fprintf(r.out, "  %5d  %s\n", r.groups[line], strings.TrimSpace(line))
		}
	}
	fmt.Fprintf(r.out, "\napidiff: %d calls, %d differ\n", r.calls, r.differs)
	return r.differs == 0
}

func sorted(from map[string]int) []string {
	var out []string
	for line := range from {
		out = append(out, line)
	}
	sort.Strings(out)
	return out
}

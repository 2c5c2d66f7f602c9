package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

// figures are the rows of a comparison.
var figures = []struct {
	name  string
	of    func(result) float64
	lower bool // lower is better
}{
	{"creates/s", func(r result) float64 { return r.Create.PerSecond }, false},
	{"create p50 ms", func(r result) float64 { return r.Create.P50 }, true},
	{"create p99 ms", func(r result) float64 { return r.Create.P99 }, true},
	{"binds/s", func(r result) float64 { return r.Bind.PerSecond }, false},
	{"bind p50 ms", func(r result) float64 { return r.Bind.P50 }, true},
	{"bind p99 ms", func(r result) float64 { return r.Bind.P99 }, true},
}

// compareFiles prints medians of two files of results, as a table for a Markdown page, and how many times better the
// second is.
func compareFiles(out io.Writer, files string) error {
	first, second, found := strings.Cut(files, ",")
	if !found {
		return fmt.Errorf("--compare wants two files, FIRST,SECOND")
	}
	a, err := readResults(first)
	if err != nil {
		return err
	}
	b, err := readResults(second)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "| median of %d runs | kube-apiserver + etcd | basalt | times better |\n|---|---|---|---|\n", len(a))
	for _, figure := range figures {
		x, y := median(a, figure.of), median(b, figure.of)
		ratio := y / x
		if figure.lower {
			ratio = x / y
		}
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.1f |\n", figure.name, x, y, ratio)
	}
	return nil
}

func readResults(path string) ([]result, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []result
	decoder := json.NewDecoder(file)
	for decoder.More() {
		var one result
		if err := decoder.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no results", path)
	}
	return out, nil
}

func median(from []result, of func(result) float64) float64 {
	var values []float64
	for _, one := range from {
		values = append(values, of(one))
	}
	sort.Float64s(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

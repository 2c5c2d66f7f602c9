package main

import (
	"bytes"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// phase is one measured stretch.
type phase struct {
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_ms"`
	P90       float64 `json:"p90_ms"`
	P99       float64 `json:"p99_ms"`
	Max       float64 `json:"max_ms"`
}

// request is a path and a body for pod number i.
type request func(i int) (path, body string)

// from starts the count at first.
func from(first int, make request) request {
	return func(i int) (string, string) { return make(first + i) }
}

func createBody(namespace string) request {
	const tail = `"labels":{"app":"trainer","queue":"research","volcano.sh/job-name":"resnet","volcano.sh/task-spec":"worker",` +
		`"team":"vision"},"annotations":{"scheduling.k8s.io/group-name":"resnet","volcano.sh/task-index":"1"}},"spec":{` +
		`"restartPolicy":"OnFailure","schedulerName":"volcano","priorityClassName":"","containers":[{"name":"worker",` +
		`"image":"registry.example.com/vision/trainer:v1.4.2","command":["python","train.py"],"args":["--epochs","90"],` +
		`"env":[{"name":"RANK","value":"1"},{"name":"WORLD_SIZE","value":"64"},{"name":"POD_IP","valueFrom":{"fieldRef":` +
		`{"fieldPath":"status.podIP"}}}],"resources":{"requests":{"cpu":"2","memory":"4Gi","nvidia.com/gpu":"1"},` +
		`"limits":{"cpu":"4","memory":"8Gi","nvidia.com/gpu":"1"}},"volumeMounts":[{"name":"data","mountPath":"/data"}],` +
		`"ports":[{"containerPort":2222,"name":"ssh"}]}],"volumes":[{"name":"data","emptyDir":{}}],"tolerations":[` +
		`{"key":"gpu","operator":"Exists","effect":"NoSchedule"}],"nodeSelector":{"pool":"gpu"}}}`
	path := "/api/v1/namespaces/" + namespace + "/pods"
	return func(i int) (string, string) {
		return path, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + podName(i) + `",` + tail
	}
}

func bindBody(namespace string) request {
	return func(i int) (string, string) {
		name := podName(i)
		return "/api/v1/namespaces/" + namespace + "/pods/" + name + "/binding",
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s"},"target":{"kind":"Node","name":"%s"}}`, name, nodeName(i%nodes))
	}
}

// nodes is how many nodes the pods are bound to.
const nodes = 100

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

func podName(i int) string { return fmt.Sprintf("resnet-worker-%06d", i) }

// measure spreads the requests over the lines, one at a time on each. note gets the revision in each answer.
func measure(lines []*line, count int, make request, note func(i int, revision uint64)) (phase, error) {
	requests := prepare(lines[0], count, make)
	took := prepareDurations(count)
	var next atomic.Int64
	var failed atomic.Value
	var all sync.WaitGroup
	start := time.Now()
	for _, l := range lines {
		all.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				begin := time.Now()
				code, body, err := l.exchange(requests[i])
				took[i] = time.Since(begin)
				if err != nil || code != 201 {
					failed.Store(fmt.Errorf("request %d: code %d, %v: %.300s", i, code, err, body))
					return
				}
				if note != nil {
					note(i, revisionIn(body))
				}
			}
		})
	}
	all.Wait()
	elapsed := time.Since(start)
	if err, ok := failed.Load().(error); ok {
		return phase{}, err
	}
	return summarize(took, elapsed), nil
}

func prepare(l *line, count int, make request) [][]byte {
	var out [][]byte
	for i := range count {
		path, body := make(i)
		out = append(out, post(l.conf, path, body))
	}
	return out
}

func prepareDurations(count int) []time.Duration { return make([]time.Duration, count) }

func summarize(took []time.Duration, elapsed time.Duration) phase {
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	at := func(share float64) float64 {
		return float64(took[min(len(took)-1, int(share*float64(len(took))))].Microseconds()) / 1000
	}
	return phase{PerSecond: float64(len(took)) / elapsed.Seconds(), P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: at(1)}
}

var revisionKey = []byte(`"resourceVersion":"`)

// revisionIn finds the first resourceVersion in a body, without parsing it; 0 when there is none.
func revisionIn(body []byte) uint64 {
	at := bytes.Index(body, revisionKey)
	if at < 0 {
		return 0
	}
	var out uint64
	for _, digit := range body[at+len(revisionKey):] {
		if digit < '0' || digit > '9' {
			break
		}
		out = out*10 + uint64(digit-'0')
	}
	return out
}

func (r *result) table(out io.Writer) {
	fmt.Fprintf(out, "%-8s %10s %9s %9s %9s %9s\n", "", "per s", "p50 ms", "p90 ms", "p99 ms", "max ms")
	for _, row := range []struct {
		name string
		p    phase
	}{{"create", r.Create}, {"bind", r.Bind}} {
		fmt.Fprintf(out, "%-8s %10.0f %9.2f %9.2f %9.2f %9.2f\n", row.name, row.p.PerSecond, row.p.P50, row.p.P90, row.p.P99, row.p.Max)
	}
	if r.Watchers > 0 {
		fmt.Fprintf(out, "%d watchers received all of %d events in order, the last %.2f s after the last answer; %d streams were closed and resumed\n",
			r.Watchers, r.Events, r.WatchLag, r.Resumes)
	}
	fmt.Fprint(out, strings.Repeat("-", 60), "\n")
}

// Command load measures an API server: it creates pods and then binds them all, over a fixed number of kept-alive
// connections, with raw HTTP and prebuilt bodies so that on a small machine the server is the bottleneck.
//
//	load --kubeconfig F --connections 32 --pods 5000 --watchers 0
//
// With --quota the namespace has a ResourceQuota that never refuses; --first N starts with pod number N, for a second run
// in the same --namespace.
// With --watchers N that many watches on pods are open meanwhile; each must receive every event once and in order.
// Prints a table on stderr and one JSON object on stdout. Exit status 1 when a request failed or an event is missing.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"basalt.test/kube/kubeconf"
)

// result is what a run prints.
type result struct {
	Connections int     `json:"connections"`
	Pods        int     `json:"pods"`
	Create      phase   `json:"create"`
	Bind        phase   `json:"bind"`
	Watchers    int     `json:"watchers"`
	Events      int     `json:"events_per_watcher"`
	Resumes     int     `json:"resumed_watches"`   // streams that the server closed and the client opened again
	WatchLag    float64 `json:"watch_lag_seconds"` // from the last answer to the last event at the last watcher
}

func main() {
	path := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of the server")
	connections := flag.Int("connections", 32, "connections, each with one request at a time")
	pods := flag.Int("pods", 5000, "how many pods")
	watchers := flag.Int("watchers", 0, "how many watches on pods")
	namespace := flag.String("namespace", fmt.Sprintf("load-%d", time.Now().UnixNano()%1e9), "a namespace for this run")
	first := flag.Int("first", 0, "the number of the first pod")
	quota := flag.Bool("quota", false, "give the namespace a resource quota")
	compare := flag.String("compare", "", "instead: FIRST,SECOND, files of results whose medians are compared")
	flag.Parse()
	if *compare != "" {
		if err := compareFiles(os.Stdout, *compare); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
		return
	}
	out, err := run(*path, *namespace, *connections, *pods, *watchers, *first, *quota)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	out.table(os.Stderr)
	data, _ := json.Marshal(out)
	fmt.Println(string(data))
}

func run(path, namespace string, connections, pods, watchers, first int, quota bool) (*result, error) {
	conf, err := kubeconf.Load(path)
	if err != nil {
		return nil, err
	}
	lines := make([]*line, connections)
	for i := range lines {
		if lines[i], err = dial(conf); err != nil {
			return nil, err
		}
		defer lines[i].close()
	}
	if err := setUp(lines[0], namespace, quota); err != nil {
		return nil, err
	}
	watches, err := openWatches(conf, namespace, watchers)
	if err != nil {
		return nil, err
	}
	out := &result{Connections: connections, Pods: pods, Watchers: watchers}
	revisions := newRevisions(pods)
	if out.Create, err = measure(lines, pods, from(first, createBody(namespace)), revisions.created); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	if out.Bind, err = measure(lines, pods, from(first, bindBody(namespace)), nil); err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	end := time.Now()
	if watchers > 0 {
		out.Events = 2 * pods
		if err := watches.check(2*pods, revisions); err != nil {
			return nil, err
		}
		out.Resumes = watches.resumed()
		out.WatchLag = time.Since(end).Seconds()
	}
	return out, nil
}

// setUp makes the namespace and the nodes that pods are bound to.
func setUp(l *line, namespace string, quota bool) error {
	type request struct{ path, body string }
	requests := []request{
		{"/api/v1/namespaces", `{"metadata":{"name":"` + namespace + `"}}`},
		{"/api/v1/namespaces/" + namespace + "/serviceaccounts", `{"metadata":{"name":"default"}}`},
	}
	for i := range nodes {
		requests = append(requests, request{"/api/v1/nodes", `{"metadata":{"name":"` + nodeName(i) + `"}}`})
	}
	if quota {
		requests = append(requests, request{"/api/v1/namespaces/" + namespace + "/resourcequotas",
			`{"metadata":{"name":"load"},"spec":{"hard":{"pods":"1M","requests.cpu":"100M","limits.memory":"1Ei"}}}`})
	}
	for _, request := range requests {
		code, body, err := l.exchange(post(l.conf, request.path, request.body))
		if err != nil {
			return err
		}
		if code != 201 && code != 409 {
			return fmt.Errorf("set up %s: %d %s", request.path, code, body)
		}
	}
	return nil
}

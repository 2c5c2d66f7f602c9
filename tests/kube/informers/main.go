// Command informers drives an API server with client-go as controllers do: shared informers, paged lists, relists after
// expiry, leader election, and a random churn during which the server is killed and restarted.
//
//	informers --kubeconfig F --mode churn --seconds 60 --restart-command 'kill it and start it again'
//
// Modes: paging, expired, election, churn, or all. Whether informers use streaming lists is client-go's own gate: set
// KUBE_FEATURE_WatchListClient=true or false; the program checks on the wire that it took effect.
// Exit status 1 with a message when a guarantee does not hold.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

// options of a run.
type options struct {
	kubeconfig, restart string
	seconds, objects    int
	restarts, writers   int
	seed                int64
}

type mode struct {
	name string
	run  func(ctx context.Context, w *world, o options) error
}

var modes = []mode{{"paging", paging}, {"expired", expired}, {"election", election}, {"churn", churn}}

func main() {
	var o options
	wanted := flag.String("mode", "all", "paging, expired, election, churn or all")
	flag.StringVar(&o.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of the server")
	flag.StringVar(&o.restart, "restart-command", "", "shell command that kills the server and returns when it is back")
	flag.IntVar(&o.seconds, "seconds", 60, "length of the churn")
	flag.IntVar(&o.objects, "objects", 10000, "objects for paging")
	flag.IntVar(&o.restarts, "restarts", 2, "restarts during the churn")
	flag.IntVar(&o.writers, "writers", 6, "writers of the churn")
	flag.Int64Var(&o.seed, "seed", time.Now().UnixNano()%1e6, "seed of the churn")
	flag.Parse()
	found := false
	for _, m := range modes {
		if *wanted != m.name && *wanted != "all" {
			continue
		}
		found = true
		start := time.Now()
		if err := runMode(m, o); err != nil {
			fmt.Printf("informers: %s FAILED after %.1f s: %v\n", m.name, time.Since(start).Seconds(), err)
			os.Exit(1)
		}
		fmt.Printf("informers: %s ok, %.1f s\n", m.name, time.Since(start).Seconds())
	}
	if !found {
		fmt.Fprintf(os.Stderr, "informers: no mode %q\n", *wanted)
		os.Exit(2)
	}
}

func runMode(m mode, o options) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(o.seconds)*time.Second+10*time.Minute)
	defer cancel()
	w, err := newWorld(ctx, o.kubeconfig, m.name)
	if err != nil {
		return err
	}
	return m.run(ctx, w, o)
}

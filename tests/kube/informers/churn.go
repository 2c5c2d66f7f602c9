package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// churn writes at random from several goroutines while informers look on and the server is killed and restarted. In the
// end every acknowledged write must be there, and every cache must equal the server.
func churn(ctx context.Context, w *world, o options) error {
	fmt.Printf("informers: churn with seed %d, %d writers, %d s, streaming lists %v\n", o.seed, o.writers, o.seconds, streaming())
	if err := w.define(ctx); err != nil {
		return err
	}
	kinds := []schema.GroupVersionResource{configMaps, pods, sprockets}
	c, err := openCaches(ctx, w, kinds...)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	writers := make([]*writer, o.writers)
	for i := range writers {
		writers[i] = &writer{w: w, id: i, kind: kinds[i%len(kinds)], r: rand.New(rand.NewSource(o.seed + int64(i))),
			slots: map[string]*slot{}}
		all.Go(func() { writers[i].run(running, ctx) })
	}
	// At least as long as told; on a slow machine until all restarts were made.
	over := time.After(time.Duration(o.seconds) * time.Second)
	restarted := restartServer(running, o)
	if restarted == nil {
		<-over
	}
	stop()
	all.Wait()
	if restarted != nil {
		return restarted
	}
	writes, lost := 0, 0
	for _, one := range writers {
		writes += one.acknowledged
		lost += one.unknown
		if err := one.verify(ctx); err != nil {
			return err
		}
	}
	total, err := c.equal(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("informers: %d acknowledged writes, %d cut off by restarts, %d objects in the end, %d events seen\n",
		writes, lost, total, c.events)
	if o.restart != "" && o.restarts > 0 && lost == 0 {
		fmt.Println("informers: note: no request was cut off; the restarts hit quiet moments")
	}
	if writes < 100 {
		return fmt.Errorf("only %d writes were acknowledged", writes)
	}
	return nil
}

// restartServer runs the command at equal distances within the churn, later where a restart takes longer.
func restartServer(ctx context.Context, o options) error {
	if o.restart == "" {
		return nil
	}
	for i := range o.restarts {
		pause := time.Duration(o.seconds) * time.Second / time.Duration(o.restarts+1)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		command := exec.Command("sh", "-c", o.restart)
		command.Stdout, command.Stderr = os.Stderr, os.Stderr
		start := time.Now()
		if err := command.Run(); err != nil {
			return fmt.Errorf("restart command: %w", err)
		}
		fmt.Printf("informers: restart %d took %.2f s\n", i+1, time.Since(start).Seconds())
	}
	return nil
}

// unsure tells whether a failed request may have been done all the same: anything but a refusal by the server.
func unsure(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	code := status.Status().Code
	return code >= 500 || code == 429
}

// verify compares what the server holds with what it has acknowledged to this writer.
func (t *writer) verify(ctx context.Context) error {
	found, err := t.client().List(ctx, metav1.ListOptions{LabelSelector: fmt.Sprintf("writer=%d", t.id)})
	if err != nil {
		return err
	}
	have := map[string]string{}
	for _, item := range found.Items {
		have[item.GetName()] = item.GetLabels()["value"]
	}
	for name, s := range t.slots {
		if !s.allows(have[name]) {
			return fmt.Errorf("%s %s: the server holds %q, acknowledged was %q%s", t.kind.Resource, name, have[name], s.value, s.doubt())
		}
		delete(have, name)
	}
	for name := range have {
		return fmt.Errorf("%s %s exists, but nobody made it", t.kind.Resource, name)
	}
	return nil
}

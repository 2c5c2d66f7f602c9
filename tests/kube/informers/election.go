package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	leaseDuration = 3 * time.Second
	renewDeadline = 2 * time.Second
	retryPeriod   = 300 * time.Millisecond
)

// arena follows who leads; at no time may two.
type arena struct {
	mutex   sync.Mutex
	leaders map[string]bool
	fault   string
}

func (a *arena) lead(name string, leads bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if leads && len(a.leaders) > 0 {
		a.fault = fmt.Sprintf("%s leads while %v leads", name, a.leaders)
	}
	if leads {
		a.leaders[name] = true
	} else {
		delete(a.leaders, name)
	}
}

func (a *arena) is(name string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.leaders[name]
}

// election lets candidates take over from each other on one Lease: first by release, then by expiry.
func election(ctx context.Context, w *world, _ options) error {
	a := &arena{leaders: map[string]bool{}}
	stopFirst := w.candidate(ctx, a, "first", true)
	if err := a.await(ctx, w, "first"); err != nil {
		return err
	}
	stopSecond := w.candidate(ctx, a, "second", false)
	stopFirst() // releases
	if err := a.await(ctx, w, "second"); err != nil {
		return err
	}
	stopThird := w.candidate(ctx, a, "third", true)
	defer stopThird()
	stopSecond() // does not release: the lease must expire
	if err := a.await(ctx, w, "third"); err != nil {
		return err
	}
	lease, err := w.typed.CoordinationV1().Leases(w.namespace).Get(ctx, "lock", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if lease.Spec.LeaseTransitions == nil || *lease.Spec.LeaseTransitions < 2 {
		return fmt.Errorf("the lease counts %v transitions", lease.Spec.LeaseTransitions)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.fault != "" {
		return fmt.Errorf("%s", a.fault)
	}
	return nil
}

// await waits until a candidate leads and the lease names it.
func (a *arena) await(ctx context.Context, w *world, name string) error {
	if err := within(ctx, 10*leaseDuration, name+" does not become the leader", func() bool { return a.is(name) }); err != nil {
		return err
	}
	lease, err := w.typed.CoordinationV1().Leases(w.namespace).Get(ctx, "lock", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != name {
		return fmt.Errorf("%s leads, but the lease names %v", name, lease.Spec.HolderIdentity)
	}
	return nil
}

// candidate runs for the lease until the returned function is called, which waits for its end.
func (w *world) candidate(ctx context.Context, a *arena, name string, release bool) func() {
	limited, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	lock := &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "lock", Namespace: w.namespace},
		Client: w.typed.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: name}}
	go func() {
		defer close(ended)
		leaderelection.RunOrDie(limited, leaderelection.LeaderElectionConfig{Lock: lock, ReleaseOnCancel: release,
			LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, Name: name,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { a.lead(name, true) },
				OnStoppedLeading: func() { a.lead(name, false) },
			}})
	}()
	return func() {
		cancel()
		<-ended
	}
}

package main

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// caches are shared informers for some kinds in one namespace, with a check on every event: revisions of one object
// never fall.
type caches struct {
	w      *world
	byKind map[schema.GroupVersionResource]cache.SharedIndexInformer
	mutex  sync.Mutex
	faults []string
	events int
}

// openCaches starts typed informers for core kinds and dynamic ones for others, and waits until they have synced.
func openCaches(ctx context.Context, w *world, kinds ...schema.GroupVersionResource) (*caches, error) {
	out := &caches{w: w, byKind: map[schema.GroupVersionResource]cache.SharedIndexInformer{}}
	typed := informers.NewSharedInformerFactoryWithOptions(w.typed, 0, informers.WithNamespace(w.namespace))
	custom := dynamicinformer.NewFilteredDynamicSharedInformerFactory(w.dynamic, 0, w.namespace, nil)
	for _, kind := range kinds {
		if generic, err := typed.ForResource(kind); err == nil {
			out.byKind[kind] = generic.Informer()
		} else {
			out.byKind[kind] = custom.ForResource(kind).Informer()
		}
		if _, err := out.byKind[kind].AddEventHandler(out.handler()); err != nil {
			return nil, err
		}
	}
	typed.Start(ctx.Done())
	custom.Start(ctx.Done())
	for kind, informer := range out.byKind {
		limited, cancel := context.WithTimeout(ctx, equalLimit)
		synced := cache.WaitForCacheSync(limited.Done(), informer.HasSynced)
		cancel()
		if !synced {
			return nil, fmt.Errorf("the informer of %s did not sync within %s", kind.Resource, equalLimit)
		}
	}
	return out, nil
}

func (c *caches) handler() cache.ResourceEventHandler {
	count := func() {
		c.mutex.Lock()
		c.events++
		c.mutex.Unlock()
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { count() },
		DeleteFunc: func(any) { count() },
		UpdateFunc: func(old, next any) {
			count()
			before, errBefore := meta.Accessor(old)
			after, errAfter := meta.Accessor(next)
			if errBefore != nil || errAfter != nil || before.GetUID() != after.GetUID() {
				return
			}
			if number(after.GetResourceVersion()) < number(before.GetResourceVersion()) {
				c.mutex.Lock()
				c.faults = append(c.faults, fmt.Sprintf("%s went back from revision %s to %s", after.GetName(),
					before.GetResourceVersion(), after.GetResourceVersion()))
				c.mutex.Unlock()
			}
		},
	}
}

func number(revision string) uint64 {
	out, _ := strconv.ParseUint(revision, 10, 64)
	return out
}

// revisionsOf lists a kind at the server: name → uid and revision.
func (w *world) revisionsOf(ctx context.Context, kind schema.GroupVersionResource) (map[string]string, error) {
	found, err := w.dynamic.Resource(kind).Namespace(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range found.Items {
		out[item.GetName()] = string(item.GetUID()) + " at " + item.GetResourceVersion()
	}
	return out, nil
}

// equal waits until every cache equals the server's list, object by object with the same revisions.
func (c *caches) equal(ctx context.Context) (int, error) {
	total := 0
	for kind, informer := range c.byKind {
		want, err := c.w.revisionsOf(ctx, kind)
		if err != nil {
			return 0, err
		}
		total += len(want)
		var complaint string
		deadline := time.Now().Add(equalLimit)
		for {
			have := map[string]string{}
			for _, item := range informer.GetStore().List() {
				object, _ := meta.Accessor(item)
				have[object.GetName()] = string(object.GetUID()) + " at " + object.GetResourceVersion()
			}
			if complaint = unequal(have, want); complaint == "" {
				break
			}
			if time.Now().After(deadline) {
				return 0, fmt.Errorf("the cache of %s differs from the server: %s", kind.Resource, complaint)
			}
			time.Sleep(retryPause)
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.faults) > 0 {
		return 0, fmt.Errorf("%d faults, first: %s", len(c.faults), c.faults[0])
	}
	return total, nil
}

// unequal names the first few differences, or nothing.
func unequal(have, want map[string]string) string {
	var out []string
	for name, revision := range want {
		if have[name] != revision {
			out = append(out, fmt.Sprintf("%s: cache %q, server %q", name, have[name], revision))
		}
	}
	for name := range have {
		if want[name] == "" {
			out = append(out, name+": only in the cache")
		}
	}
	sort.Strings(out)
	if len(out) > 5 {
		out = append(out[:5], fmt.Sprintf("and %d more", len(out)-5))
	}
	return strings.Join(out, "; ")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func configMap(name, value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name}, "data": map[string]any{"v": value}}}
}

// paging fills a namespace, reads it in pages that must fit together, and with informers.
func paging(ctx context.Context, w *world, o options) error {
	if err := w.fill(ctx, o.objects); err != nil {
		return err
	}
	if err := w.readPages(ctx, o.objects); err != nil {
		return err
	}
	before := w.wire.initial.Load()
	c, err := openCaches(ctx, w, configMaps)
	if err != nil {
		return err
	}
	if used := w.wire.initial.Load() > before; used != streaming() {
		return fmt.Errorf("streaming lists: wanted %v, seen on the wire %v", streaming(), used)
	}
	total, err := c.equal(ctx)
	if err != nil {
		return err
	}
	if total < o.objects {
		return fmt.Errorf("the informer holds %d of %d objects", total, o.objects)
	}
	return nil
}

func (w *world) fill(ctx context.Context, objects int) error {
	var next atomic.Int64
	var all sync.WaitGroup
	failures := make([]error, 16)
	for i := range failures {
		all.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= objects {
					return
				}
				_, err := w.dynamic.Resource(configMaps).Namespace(w.namespace).
					Create(ctx, configMap(fmt.Sprintf("item-%06d", n), "0"), metav1.CreateOptions{})
				if err != nil {
					failures[i] = fmt.Errorf("create %d: %w", n, err)
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// readPages lists with a limit while something changes between pages: all pages show the revision of the first.
func (w *world) readPages(ctx context.Context, objects int) error {
	client := w.dynamic.Resource(configMaps).Namespace(w.namespace)
	seen := map[string]bool{}
	revision, token := "", ""
	for page := 0; ; page++ {
		found, err := client.List(ctx, metav1.ListOptions{Limit: pageSize, Continue: token})
		if err != nil {
			return fmt.Errorf("page %d: %w", page, err)
		}
		if len(found.Items) > pageSize {
			return fmt.Errorf("page %d holds %d objects", page, len(found.Items))
		}
		if revision != "" && found.GetResourceVersion() != revision {
			return fmt.Errorf("page %d is of revision %s, the first of %s", page, found.GetResourceVersion(), revision)
		}
		revision = found.GetResourceVersion()
		for _, item := range found.Items {
			if seen[item.GetName()] {
				return fmt.Errorf("page %d repeats %s", page, item.GetName())
			}
			seen[item.GetName()] = true
		}
		if token = found.GetContinue(); token == "" {
			break
		}
		late := fmt.Sprintf("zz-late-%03d", page) // sorts last: an inconsistent page would show it
		if _, err := client.Create(ctx, configMap(late, "0"), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for name := range seen {
		if len(name) > 2 && name[:2] == "zz" {
			return fmt.Errorf("a page shows %s, which is newer than the list", name)
		}
	}
	if len(seen) < objects {
		return fmt.Errorf("pages hold %d of %d objects", len(seen), objects)
	}
	return nil
}

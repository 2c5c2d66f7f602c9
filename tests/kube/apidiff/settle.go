package main

import (
	"net/http"
	"strings"
	"time"
)

const (
	anchorName   = "anchor" // a ConfigMap in each namespace that owns others and is never deleted
	sentinelName = "zz-sentinel"
	settleLimit  = 20 * time.Second
)

// settle plays the controllers that one of the servers lacks. A real API server alone keeps deleted namespaces and
// objects deleted in the foreground for ever; a standalone one finishes them itself. After such a call the rest is done
// on both (whoever is first wins), and the sequence goes on when both have come to the end.
func settle(c *call) func(a, b *server) {
	if c.method != "DELETE" {
		return nil
	}
	return func(a, b *server) {
		for _, s := range []*server{a, b} {
			if c.kind == "namespaces" {
				s.finishNamespace(s.memory.names.resolve(c.path))
			} else if c.key != "" {
				s.finishDeletion(s.memory.names.resolve(c.path))
			}
		}
	}
}

func (s *server) plain(method, target, contentType string, body any) *answer {
	var data []byte
	if body != nil {
		data = encode(body)
	}
	return s.exchange(&call{method: method, contentType: contentType}, target, data)
}

// finishDeletion removes the finalizers of the garbage collector.
func (s *server) finishDeletion(path string) {
	deadline := time.Now().Add(settleLimit)
	for time.Now().Before(deadline) {
		found := s.get(path)
		if found == nil || at(found, "metadata.deletionTimestamp") == nil {
			return
		}
		finalizers, _ := at(found, "metadata.finalizers").([]any)
		var rest []any
		for _, name := range finalizers {
			if name != "foregroundDeletion" && name != "orphan" {
				rest = append(rest, name)
			}
		}
		if len(rest) == len(finalizers) {
			s.memory.learn(keyOf(path, s), found, false)
			return
		}
		patch := object{"metadata": object{"finalizers": rest, "resourceVersion": text(found, "metadata.resourceVersion")}}
		s.plain("PATCH", path, "application/merge-patch+json", patch)
	}
}

// keyOf finds the key under which the object of a path is remembered.
func keyOf(path string, s *server) string {
	for _, k := range s.kinds {
		parts := strings.Split(strings.TrimPrefix(path, k.root()+"/"), "/")
		if k.clusterWide && len(parts) == 2 && parts[0] == k.plural {
			return k.key("", s.memory.names.mask(parts[1]))
		}
		if !k.clusterWide && len(parts) == 4 && parts[2] == k.plural {
			return k.key(parts[1], s.memory.names.mask(parts[3]))
		}
	}
	return path
}

// finishNamespace empties a deleted namespace of what servers put into each, finalizes it and waits until it is gone.
func (s *server) finishNamespace(path string) {
	deadline := time.Now().Add(settleLimit)
	for time.Now().Before(deadline) {
		found := s.get(path)
		if found == nil || at(found, "metadata.deletionTimestamp") == nil {
			return
		}
		if finalizers, _ := at(found, "metadata.finalizers").([]any); len(finalizers) > 0 {
			s.plain("PATCH", path, "application/merge-patch+json", parse(`{"metadata":{"finalizers":null}}`))
		}
		put(found, "spec.finalizers", list())
		drop(found, "metadata.resourceVersion")
		s.plain("PUT", path+"/finalize", "", found)
	}
}

// waitFor polls until the code of a GET is as wanted.
func (s *server) waitFor(path string, code int, ready func(object) bool) {
	deadline := time.Now().Add(settleLimit)
	for time.Now().Before(deadline) {
		got := s.plain(http.MethodGet, path, "", nil)
		value, _ := got.value.(object)
		if got.code == code && (ready == nil || ready(value)) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

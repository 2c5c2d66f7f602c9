package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// stream is one open watch and the events it has received.
type stream struct {
	mutex  sync.Mutex
	events []object
	wake   chan struct{} // one element when something new is there
	ended  bool
	code   int
	cancel context.CancelFunc
}

// watch opens a watch; events arrive in the background until the stream is closed.
func (s *server) watch(path string, query url.Values) *stream {
	ctx, cancel := context.WithCancel(context.Background())
	out := &stream{wake: make(chan struct{}, 1), cancel: cancel}
	query.Set("watch", "true")
	request, _ := http.NewRequestWithContext(ctx, "GET", s.conf.Base+path+"?"+query.Encode(), nil)
	s.conf.Authorize(request)
	request.Header.Set("User-Agent", "apidiff/1")
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		out.ended = true
		return out
	}
	out.code = response.StatusCode
	go out.read(response.Body)
	return out
}

func (t *stream) read(body io.ReadCloser) {
	defer body.Close()
	decoder := json.NewDecoder(bufio.NewReaderSize(body, 1<<16))
	decoder.UseNumber()
	for {
		var event object
		err := decoder.Decode(&event)
		t.mutex.Lock()
		if err != nil {
			t.ended = true
		} else {
			t.events = append(t.events, event)
		}
		t.mutex.Unlock()
		select {
		case t.wake <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// until waits for the event that is last by the given test, and returns all up to it.
func (t *stream) until(last func(event object) bool) []object {
	timeout := time.After(settleLimit)
	seen := 0
	for {
		t.mutex.Lock()
		events, ended := t.events, t.ended
		t.mutex.Unlock()
		for ; seen < len(events); seen++ {
			if last(events[seen]) {
				return events[:seen+1]
			}
		}
		if ended {
			return events
		}
		select {
		case <-t.wake:
		case <-timeout:
			return events
		}
	}
}

func isSentinel(event object) bool { return text(event, "object.metadata.name") == sentinelName }

func isInitialEnd(event object) bool {
	return event["type"] == "BOOKMARK" && text(event, "object.metadata.annotations.k8s.io/initial-events-end") == "true" ||
		event["type"] == "BOOKMARK" && hasMember(event, "object.metadata.annotations", "k8s.io/initial-events-end")
}

func hasMember(value any, path, member string) bool {
	found, ok := at(value, path).(object)
	return ok && found[member] != nil
}

// watched is what is followed during the whole run: each kind, and some with selectors, where objects come into and
// go out of sight by their changes.
type watched struct {
	k     *kind
	query url.Values
	a, b  *stream
}

func openWatches(kinds []*kind, a, b *server) []*watched {
	var out []*watched
	add := func(k *kind, query url.Values) {
		w := &watched{k: k, query: query}
		w.a, w.b = a.watchNow(k, query), b.watchNow(k, query)
		out = append(out, w)
	}
	for _, k := range kinds {
		if k.plural == "resourcequotas" {
			continue // its status moves on one side only
		}
		add(k, url.Values{})
		switch k.plural {
		case "pods":
			add(k, url.Values{"labelSelector": {"app=red"}})
			add(k, url.Values{"fieldSelector": {"spec.nodeName=n1"}})
		case "widgets", "configmaps":
			add(k, url.Values{"labelSelector": {"app=red"}})
		}
	}
	return out
}

// watchNow watches from the revision of a list made now.
func (s *server) watchNow(k *kind, query url.Values) *stream {
	value := s.get(k.path("", "", ""))
	full := url.Values{"resourceVersion": {text(value, "metadata.resourceVersion")}}
	for key, values := range query {
		full[key] = values
	}
	return s.watch(k.path("", "", ""), full)
}

// finish closes the watches: a last object of each kind marks the end, then the two sequences are compared. A second
// watch from a revision some calls back, and a third with initial events, are compared as well.
func finish(rounds []*watched, a, b *server, r *report) {
	for _, w := range rounds {
		before := [2]string{back(a), back(b)}
		for _, s := range []*server{a, b} {
			s.plain("POST", w.k.path(firstNamespace, "", ""), "", sentinel(w.k))
		}
		label := w.k.plural + " " + w.query.Encode()
		r.sequences("watch "+label, w.k, a, b, w.a.until(isSentinel), w.b.until(isSentinel))
		w.a.cancel()
		w.b.cancel()
		if len(w.query) == 0 {
			late := [2]*stream{}
			for i, s := range []*server{a, b} {
				late[i] = s.watch(w.k.path("", "", ""), url.Values{"resourceVersion": {before[i]}})
			}
			r.sequences("watch back "+label, w.k, a, b, late[0].until(isSentinel), late[1].until(isSentinel))
			for i, s := range []*server{a, b} {
				late[i].cancel()
				late[i] = s.watch(w.k.path("", "", ""), url.Values{"sendInitialEvents": {"true"},
					"resourceVersionMatch": {"NotOlderThan"}, "allowWatchBookmarks": {"true"}})
			}
			r.sequences("watch list "+label, w.k, a, b, late[0].until(isInitialEnd), late[1].until(isInitialEnd))
			late[0].cancel()
			late[1].cancel()
		}
		for _, s := range []*server{a, b} {
			path := w.k.path(firstNamespace, sentinelName, "")
			s.plain("DELETE", path+"?gracePeriodSeconds=0", "", nil)
			s.finishDeletion(path)
		}
	}
}

func back(s *server) string {
	recorded := s.memory.recorded
	return recorded[max(0, len(recorded)-maxRecorded)]
}

// sentinel is an object that every watch of its kind sees.
func sentinel(k *kind) object {
	out := k.make(newSeed(1), firstNamespace, sentinelName)
	if k.plural == "pods" {
		out["spec"] = parse(`{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}`)
	}
	put(out, "metadata.labels", object{"app": "red"})
	return out
}

// sequences compares two event sequences and reports them like one call.
func (r *report) sequences(label string, k *kind, a, b *server, left, right []object) {
	c := &call{verb: "watch", kind: k.plural, note: label, path: label}
	x, y := maskEvents(k, a, left), maskEvents(k, b, right)
	var found []difference
	compare("", x, y, &found)
	r.add(r.calls, c, &answer{code: 200, request: fmt.Sprintf("%s: %d and %d events", label, len(x), len(y)),
		plain: types(x)}, &answer{code: 200, plain: types(y)}, found)
}

// types shows the shape of a sequence: first letters of the types with names.
func types(events []any) string {
	out := ""
	for _, event := range events {
		out += text(event, "type")[:1] + ":" + text(event, "object.metadata.name") + " "
	}
	return out
}

func maskEvents(k *kind, s *server, events []object) []any {
	out := []any{}
	for _, event := range events {
		if event["type"] != "BOOKMARK" && k.foreign(text(event, "object.metadata.namespace"), text(event, "object.metadata.name")) {
			continue
		}
		out = append(out, masker{&s.memory.names}.value("", event))
	}
	if k.plural == claims {
		out = sameClaims(out)
	}
	return out
}

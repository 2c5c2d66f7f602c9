package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"basalt.test/kube/kubeconf"
)

// maxQuiet is how long a watcher may receive nothing before it counts as broken.
const maxQuiet = 60 * time.Second

// revisions of the created pods, as their answers told them.
type revisions struct{ list []uint64 }

func newRevisions(pods int) *revisions { return &revisions{make([]uint64, pods)} }

func (r *revisions) created(i int, revision uint64) { r.list[i] = revision }

// maxResumes bounds how often one watcher opens its stream again.
const maxResumes = 1000

// watcher reads one stream and notes the revision of each event, nothing more: parsing a thousand copies of every pod
// would measure the client. A server may close a watcher that is too slow; it goes on from its last revision, as
// client-go does, and the sequence must still have no gap.
type watcher struct {
	conf    *kubeconf.Server
	path    string
	last    uint64 // the revision to go on from
	line    *line
	mutex   sync.Mutex // guards seen
	seen    []uint64
	resumes int
	err     error
	done    chan struct{}
}

type watches struct{ all []*watcher }

// openWatches opens them one after the other and starts to read once all are open.
func openWatches(conf *kubeconf.Server, namespace string, count int) (*watches, error) {
	out := &watches{}
	if count == 0 {
		return out, nil
	}
	path := "/api/v1/namespaces/" + namespace + "/pods"
	l, err := dial(conf)
	if err != nil {
		return nil, err
	}
	defer l.close()
	code, body, err := l.exchange([]byte("GET " + path + " HTTP/1.1\r\n" + headers(conf) + "\r\n"))
	if err != nil || code != 200 {
		return nil, fmt.Errorf("list: code %d, %v", code, err)
	}
	start := revisionIn(body)
	for range count {
		w := &watcher{conf: conf, path: path, last: start, done: make(chan struct{})}
		if err := w.open(); err != nil {
			return nil, err
		}
		out.all = append(out.all, w)
	}
	for _, w := range out.all {
		go w.run()
	}
	return out, nil
}

// open starts the stream after the last revision.
func (w *watcher) open() error {
	l, err := dial(w.conf)
	if err != nil {
		return err
	}
	request := fmt.Sprintf("GET %s?watch=true&resourceVersion=%d HTTP/1.1\r\n%s\r\n", w.path, w.last, headers(w.conf))
	if _, err := l.socket.Write([]byte(request)); err != nil {
		return err
	}
	code, _, chunked, err := l.head()
	if err != nil || code != 200 || !chunked {
		l.close()
		return fmt.Errorf("watch: code %d, chunked %v, %v", code, chunked, err)
	}
	w.line = l
	return nil
}

func (w *watcher) run() {
	defer close(w.done)
	for w.err == nil {
		w.read()
		w.line.close()
		if w.err == nil {
			if w.resumes++; w.resumes > maxResumes {
				w.err = fmt.Errorf("closed by the server %d times", w.resumes)
				return
			}
			w.err = w.open()
		}
	}
}

// read notes every event until the stream ends: one JSON object per line, in chunks of any size.
func (w *watcher) read() {
	w.line.body.Reset()
	for w.err == nil {
		w.line.socket.SetDeadline(time.Now().Add(maxQuiet))
		size, err := w.line.chunk()
		if err != nil || size == 0 {
			return
		}
		w.takeLines()
	}
}

func (w *watcher) takeLines() {
	for {
		data := w.line.body.Bytes()
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			return
		}
		if !bytes.HasPrefix(data, []byte(`{"type":"ADDED"`)) && !bytes.HasPrefix(data, []byte(`{"type":"MODIFIED"`)) {
			w.err = fmt.Errorf("unexpected event %.120s", data[:end])
			return
		}
		w.line.body.Next(end + 1)
		w.note(revisionIn(data[:end]))
	}
}

func (w *watcher) note(revision uint64) {
	w.mutex.Lock()
	w.seen = append(w.seen, revision)
	w.last = revision
	w.mutex.Unlock()
}

func (w *watcher) count() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return len(w.seen)
}

// check waits until all have received count events and verifies: rising revisions (so each once and in order), the
// same set for every watcher, and every created revision among them.
func (w *watches) check(count int, made *revisions) error {
	deadline := time.Now().Add(maxQuiet)
	for i, one := range w.all {
		for one.count() < count {
			select {
			case <-one.done:
				return fmt.Errorf("watcher %d ended after %d of %d events: %v", i, one.count(), count, orEnd(one.err))
			case <-time.After(5 * time.Millisecond):
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("watcher %d has %d of %d events", i, one.count(), count)
			}
		}
	}
	for _, one := range w.all {
		one.mutex.Lock() // until the end of the program's use of it: nothing may arrive any more
		defer one.mutex.Unlock()
	}
	for i, one := range w.all {
		if len(one.seen) != count {
			return fmt.Errorf("watcher %d received %d events, not %d", i, len(one.seen), count)
		}
		for j := 1; j < len(one.seen); j++ {
			if one.seen[j] <= one.seen[j-1] {
				return fmt.Errorf("watcher %d: revision %d after %d", i, one.seen[j], one.seen[j-1])
			}
		}
		if !slices.Equal(one.seen, w.all[0].seen) {
			return fmt.Errorf("watchers 0 and %d received different events", i)
		}
	}
	for _, revision := range made.list {
		if _, found := slices.BinarySearch(w.all[0].seen, revision); !found {
			return fmt.Errorf("no event for the pod created at revision %d", revision)
		}
	}
	return nil
}

// resumed counts how often the server closed watchers.
func (w *watches) resumed() int {
	total := 0
	for _, one := range w.all {
		total += one.resumes
	}
	return total
}

func orEnd(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

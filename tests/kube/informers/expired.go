package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// maxUpdates bounds how much history is made before a revision must have expired.
const maxUpdates = 400000

// firstRevision is older than all that a server keeps, once it has forgotten anything.
const firstRevision = "1"

// expired makes the server forget, checks that an old watch is answered with 410, then breaks the stream of an informer
// and lets it resume from the forgotten revision: it must list anew and end with an equal cache.
func expired(ctx context.Context, w *world, _ options) error {
	if err := w.fill(ctx, 200); err != nil {
		return err
	}
	updates, err := w.forget(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("informers: watch from revision %s is refused with 410 after %d updates\n", firstRevision, updates)
	bender := &bender{}
	w.wire.bend = bender.request
	w.wire.next = bender.wrap(w.wire.next)
	c, err := openCaches(ctx, w, configMaps)
	if err != nil {
		return err
	}
	for i := range 50 { // something that the broken stream misses
		name := fmt.Sprintf("item-%06d", i)
		if err := w.dynamic.Resource(configMaps).Namespace(w.namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		if i == 25 {
			bender.breakStream()
		}
	}
	if err := within(ctx, equalLimit, "the informer did not resume from the forgotten revision", bender.used); err != nil {
		return err
	}
	_, err = c.equal(ctx)
	return err
}

// forget updates one object until a watch from the first revision is refused.
func (w *world) forget(ctx context.Context) (int, error) {
	client := w.dynamic.Resource(configMaps).Namespace(w.namespace)
	for updates := 0; updates < maxUpdates; updates += 2000 {
		gone, err := w.isGone(ctx, firstRevision)
		if err != nil {
			return updates, err
		}
		if gone {
			return updates, nil
		}
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for j := range 125 {
					patch := fmt.Appendf(nil, `{"data":{"v":"%d-%d"}}`, updates, j)
					name := fmt.Sprintf("item-%06d", i)
					client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
				}
			})
		}
		all.Wait()
	}
	return maxUpdates, fmt.Errorf("after %d updates revision %s is still not forgotten", maxUpdates, firstRevision)
}

// isGone opens a watch at an old revision and looks whether it is refused, in the answer or as its first event.
func (w *world) isGone(ctx context.Context, revision string) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	stream, err := w.dynamic.Resource(configMaps).Namespace(w.namespace).Watch(limited,
		metav1.ListOptions{ResourceVersion: revision})
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer stream.Stop()
	event, open := <-stream.ResultChan()
	if !open {
		return false, fmt.Errorf("a watch from revision %s ends without an event", revision)
	}
	if event.Type != watch.Error {
		return false, nil
	}
	if status, ok := event.Object.(*unstructured.Unstructured); ok {
		code, _, _ := unstructured.NestedInt64(status.Object, "code")
		return code == http.StatusGone, nil
	}
	failure := apierrors.FromObject(event.Object)
	return apierrors.IsResourceExpired(failure) || apierrors.IsGone(failure), nil
}

// bender breaks the running watch once and makes the one after it start at the forgotten revision.
type bender struct {
	mutex  sync.Mutex
	broken bool
	bent   bool
	body   io.Closer
}

// stream is the body of a watch that can be ended as if the server had ended it.
type stream struct {
	io.ReadCloser
	ended func() bool
}

// Read reads on, and says end of file once the stream is broken.
func (s *stream) Read(to []byte) (int, error) {
	n, err := s.ReadCloser.Read(to)
	if err != nil && s.ended() {
		err = io.EOF
	}
	return n, err
}

func (b *bender) request(request *http.Request) *http.Request {
	query := request.URL.Query()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if query.Get("watch") == "" || !b.broken || b.bent || query.Get("sendInitialEvents") == "true" {
		return request
	}
	b.bent = true
	out := request.Clone(request.Context())
	query.Set("resourceVersion", firstRevision)
	out.URL.RawQuery = query.Encode()
	return out
}

func (b *bender) used() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bent
}

func (b *bender) breakStream() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.broken = true
	if b.body != nil {
		b.body.Close()
	}
}

// wrap notes the body of the latest watch, to be able to break it.
func (b *bender) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil && request.URL.Query().Get("watch") != "" {
			b.mutex.Lock()
			b.body = response.Body
			broken := b.broken // a stream that starts later is whole
			b.mutex.Unlock()
			response.Body = &stream{response.Body, func() bool {
				b.mutex.Lock()
				defer b.mutex.Unlock()
				return b.broken && !broken
			}}
		}
		return response, err
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	pageSize    = 500
	equalLimit  = 60 * time.Second // how long a cache may need to become equal to the server
	retryPause  = 50 * time.Millisecond
	customGroup = "informers.example.com"
)

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	sprockets   = schema.GroupVersionResource{Group: customGroup, Version: "v1", Resource: "sprockets"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// world is a server, clients of it, and a namespace of its own for one mode.
type world struct {
	config    *rest.Config
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	wire      *wire
	namespace string
}

// wire counts how reflectors ask, and can bend a request (see expired.go).
type wire struct {
	next    http.RoundTripper
	initial atomic.Int64 // watches with sendInitialEvents
	paged   atomic.Int64 // lists with a limit
	gone    atomic.Int64 // answers 410
	bend    func(*http.Request) *http.Request
}

// RoundTrip counts and passes on.
func (t *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if query.Get("sendInitialEvents") == "true" {
		t.initial.Add(1)
	}
	if query.Get("limit") != "" {
		t.paged.Add(1)
	}
	if t.bend != nil {
		request = t.bend(request)
	}
	response, err := t.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusGone {
		t.gone.Add(1)
	}
	return response, err
}

// streaming tells whether client-go is told to use streaming lists; it does so by default since 1.35.
func streaming() bool { return os.Getenv("KUBE_FEATURE_WatchListClient") != "false" }

func newWorld(ctx context.Context, kubeconfig, name string) (*world, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // no throttling on our side
	w := &world{wire: &wire{}, namespace: fmt.Sprintf("informers-%s-%d", name, time.Now().UnixNano()%1e9)}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		w.wire.next = next
		return w.wire
	})
	w.config = config
	shared, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	if w.typed, err = kubernetes.NewForConfigAndClient(config, shared); err != nil {
		return nil, err
	}
	if w.dynamic, err = dynamic.NewForConfigAndClient(config, shared); err != nil {
		return nil, err
	}
	home := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": w.namespace}}}
	_, err = w.dynamic.Resource(namespaces).Create(ctx, home, metav1.CreateOptions{})
	return w, err
}

// define applies the definition of sprockets and waits until they are served.
func (w *world) define(ctx context.Context) error {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "sprockets." + customGroup},
		"spec": map[string]any{"group": customGroup, "scope": "Namespaced",
			"names": map[string]any{"plural": "sprockets", "singular": "sprocket", "kind": "Sprocket", "listKind": "SprocketList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": open}}}}}}
	_, err := w.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("definition: %w", err)
	}
	return within(ctx, equalLimit, "sprockets are not served", func() bool {
		_, err := w.dynamic.Resource(sprockets).Namespace(w.namespace).List(ctx, metav1.ListOptions{})
		return err == nil
	})
}

// within polls a condition until it holds or time is over.
func within(ctx context.Context, limit time.Duration, complaint string, holds func() bool) error {
	deadline := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%s (after %s)", complaint, limit)
		}
		time.Sleep(retryPause)
	}
	return nil
}

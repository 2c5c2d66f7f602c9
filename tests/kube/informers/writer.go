package main

import (
	"context"
	"fmt"
	"math/rand"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// slotsPerWriter is how many names a writer uses.
const slotsPerWriter = 40

// slot is what one writer knows about one of its objects: nobody else writes it, so the last acknowledged value is the
// truth, except after requests whose answer was lost: each may have happened or not, even later than the ones after it
// that were refused by a broken connection.
type slot struct {
	value  string   // "" = not there
	maybes []string // values that unanswered requests since then would have made
}

func (s *slot) allows(value string) bool {
	if value == s.value {
		return true
	}
	for _, maybe := range s.maybes {
		if maybe == value {
			return true
		}
	}
	return false
}

func (s *slot) doubt() string {
	if len(s.maybes) == 0 {
		return ""
	}
	return fmt.Sprintf(", or one of the unanswered %q", s.maybes)
}

// writer makes random writes to objects of its own, one at a time.
type writer struct {
	w                     *world
	id                    int
	kind                  schema.GroupVersionResource
	r                     *rand.Rand
	slots                 map[string]*slot
	count                 int
	acknowledged, unknown int
}

func (t *writer) client() dynamic.ResourceInterface {
	return t.w.dynamic.Resource(t.kind).Namespace(t.w.namespace)
}

// run writes until running ends; requests themselves use the longer context, so that none is cut off by the end.
func (t *writer) run(running, ctx context.Context) {
	for running.Err() == nil {
		name := fmt.Sprintf("w%d-%02d", t.id, t.r.Intn(slotsPerWriter))
		s := t.slots[name]
		if s == nil {
			s = &slot{}
			t.slots[name] = s
		}
		t.count++
		value := fmt.Sprintf("%d", t.count)
		if s.value == "" {
			t.settle(s, value, t.create(ctx, name, value))
			continue
		}
		switch t.r.Intn(4) {
		case 0:
			t.settle(s, "", t.client().Delete(ctx, name, metav1.DeleteOptions{}))
		case 1:
			t.settle(s, value, t.update(ctx, name, value))
		default:
			patch := fmt.Appendf(nil, `{"metadata":{"labels":{"value":"%s"}}}`, value)
			_, err := t.client().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
			t.settle(s, value, err)
		}
	}
}

// settle takes the outcome of a request that wanted to make value.
func (t *writer) settle(s *slot, value string, err error) {
	switch {
	case err == nil:
		t.acknowledged++
		s.value, s.maybes = value, nil
	case unsure(err):
		t.unknown++
		s.maybes = append(s.maybes, value)
		time.Sleep(retryPause) // the server is away
	case apierrors.IsNotFound(err) && s.allows(""):
		s.value, s.maybes = "", nil // an unanswered delete did happen
	case apierrors.IsAlreadyExists(err) && len(s.maybes) > 0:
		s.value = s.maybes[len(s.maybes)-1] // an unanswered create did happen, whichever it was
	case apierrors.IsConflict(err) && len(s.maybes) > 0:
	default:
		s.value = fmt.Sprintf("refused: %v", err) // never right: verify will complain with this text
		s.maybes = nil
	}
}

func (t *writer) object(name, value string) *unstructured.Unstructured {
	labels := map[string]any{"writer": fmt.Sprint(t.id), "value": value}
	out := map[string]any{"apiVersion": "v1", "metadata": map[string]any{"name": name, "labels": labels}}
	switch t.kind {
	case configMaps:
		out["kind"], out["data"] = "ConfigMap", map[string]any{"v": value}
	case pods:
		out["kind"] = "Pod"
		out["spec"] = map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}
	default:
		out["apiVersion"], out["kind"], out["spec"] = customGroup+"/v1", "Sprocket", map[string]any{"v": value}
	}
	return &unstructured.Unstructured{Object: out}
}

func (t *writer) create(ctx context.Context, name, value string) error {
	_, err := t.client().Create(ctx, t.object(name, value), metav1.CreateOptions{})
	return err
}

// update reads and writes back with the revision it read.
func (t *writer) update(ctx context.Context, name, value string) error {
	found, err := t.client().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	labels := found.GetLabels()
	labels["value"] = value
	found.SetLabels(labels)
	_, err = t.client().Update(ctx, found, metav1.UpdateOptions{})
	return err
}

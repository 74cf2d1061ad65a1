package cleanup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message"
)

const other = "eks-node-monitoring-agent"

// node has conditions, each written by a manager.
func node(name string, ready corev1.ConditionStatus, by map[string]string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid"}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	for kind, manager := range by {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeConditionType(kind), Status: corev1.ConditionTrue})
		n.ManagedFields = append(n.ManagedFields, writtenBy(manager, kind))
	}
	return n
}

func writtenBy(manager, kind string) metav1.ManagedFieldsEntry {
	fields := fmt.Sprintf(`{"f:status":{"f:conditions":{"k:{\"type\":\"%s\"}":{".":{},"f:lastHeartbeatTime":{},"f:type":{}}}}}`, kind)
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: "status", APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(fields),
	}
}

// pod is one of the agent's; one that was told to end stays until its finalizer is gone.
func pod(name, on string, ending bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", Name: name, Labels: map[string]string{"app.kubernetes.io/name": "naosu-agent"}}}
	p.Spec.NodeName, p.Status.Phase = on, corev1.PodRunning
	if ending {
		p.DeletionTimestamp, p.Finalizers = new(metav1.Now()), []string{"test/kubelet"}
	}
	return p
}

// world is a cluster whose API server holds objects, and what naosu says of it.
type world struct {
	t      *testing.T
	client client.Client
	out    bytes.Buffer
}

func newWorld(t *testing.T, on interceptor.Funcs, objects ...client.Object) *world {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	tracker := clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())
	built := fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(tracker).WithReturnManagedFields().WithStatusSubresource(&corev1.Node{}).WithObjects(objects...).Build()
	return &world{t: t, client: interceptor.NewClient(built, on)}
}

func (w *world) run() error {
	o := &Options{
		IOStreams: genericiooptions.IOStreams{Out: &w.out, ErrOut: &w.out}, Clock: clock.RealClock{}, Timeout: 2 * time.Minute,
		Say: message.English(), Client: w.client,
	}
	return o.Run(w.t.Context())
}

func (w *world) conditions(name string) []string {
	w.t.Helper()
	var n corev1.Node
	if err := w.client.Get(w.t.Context(), client.ObjectKey{Name: name}, &n); err != nil {
		w.t.Fatal(err)
	}
	var kinds []string
	for _, c := range n.Status.Conditions {
		kinds = append(kinds, string(c.Type))
	}
	slices.Sort(kinds)
	return kinds
}

func (w *world) has(name string, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.conditions(name)); diff != "" {
		w.t.Errorf("conditions of %s (-want +got):\n%s", name, diff)
	}
}

func TestRemovesItsOwn(t *testing.T) {
	w := newWorld(t, interceptor.Funcs{},
		node("own", corev1.ConditionTrue, map[string]string{"KernelReady": "naosu-agent", "StorageReady": "naosu-agent"}),
		node("shared", corev1.ConditionTrue, map[string]string{"KernelReady": other, "StorageReady": "naosu-agent"}),
		node("another's", corev1.ConditionTrue, map[string]string{"KernelReady": other}),
		node("plain", corev1.ConditionTrue, nil),
	)
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	w.has("own", "Ready")
	w.has("shared", "KernelReady", "Ready")
	w.has("another's", "KernelReady", "Ready")
	w.has("plain", "Ready")
	if got, want := w.out.String(), "node/own: removed KernelReady and StorageReady.\nnode/shared: removed StorageReady.\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	w.out.Reset()
	if err := w.run(); err != nil || w.out.String() != "No Node has conditions that the agent wrote.\n" {
		t.Errorf("again: %v, %q", err, w.out.String())
	}
}

// TestTakenMeanwhile has another agent take a condition up, and its node be deleted, between the look and the write.
func TestTakenMeanwhile(t *testing.T) {
	w := newWorld(t, interceptor.Funcs{SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
		var n corev1.Node
		if err := c.Get(ctx, client.ObjectKeyFromObject(o), &n); err != nil {
			return err
		}
		switch {
		case n.Name == "gone":
			if err := c.Delete(ctx, &n); err != nil {
				return err
			}
		case n.ManagedFields[0].Manager != other:
			if err := errors.Join(c.Delete(ctx, &n), c.Create(ctx, node(n.Name, corev1.ConditionTrue, map[string]string{"KernelReady": other}))); err != nil {
				return err
			}
			return apierrors.NewConflict(schema.GroupResource{Resource: "nodes"}, n.Name, errors.New("it has changed"))
		}
		return c.SubResource(sub).Patch(ctx, o, patch, opts...)
	}},
		node("gone", corev1.ConditionTrue, map[string]string{"KernelReady": "naosu-agent"}),
		node("taken", corev1.ConditionTrue, map[string]string{"KernelReady": "naosu-agent"}),
	)
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	w.has("taken", "KernelReady", "Ready")
}

// TestWaits has the agent's pods end after a while, and one not: its node does not answer.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := map[string]string{"KernelReady": "naosu-agent"}
		w := newWorld(t, interceptor.Funcs{},
			node("a", corev1.ConditionTrue, own), node("dead", corev1.ConditionUnknown, own), pod("a", "a", true), pod("dead", "dead", true), pod("left", "left", true))
		began := time.Now()
		time.AfterFunc(20*time.Second, func() {
			w.has("a", "KernelReady", "Ready")
			ended := pod("a", "a", true)
			if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(ended), ended); err != nil {
				t.Error(err)
			}
			ended.Finalizers = nil
			if err := w.client.Update(t.Context(), ended); err != nil {
				t.Error(err)
			}
		})
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 20*time.Second || took > 22*time.Second {
			t.Errorf("it took %v", took)
		}
		w.has("a", "Ready")
		w.has("dead", "Ready")
		if !strings.HasPrefix(w.out.String(), "The agent is still running on 1 node; waiting") {
			t.Errorf("it says %q", w.out.String())
		}
	})
}

// TestAgentRuns has an agent that was not uninstalled: what it would write again stays, and that is said.
func TestAgentRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := map[string]string{"KernelReady": "naosu-agent"}
		ended := pod("over", "b", false)
		ended.Status.Phase = corev1.PodSucceeded
		w := newWorld(t, interceptor.Funcs{},
			node("a", corev1.ConditionUnknown, own), node("b", corev1.ConditionTrue, own), pod("a", "a", false), ended, pod("unplaced", "", false))
		err := w.run()
		if exit.Code(err) != exit.Found || !strings.Contains(err.Error(), "1 node") || !strings.HasSuffix(err.Error(), ": a; uninstall it first") {
			t.Errorf("error %v", err)
		}
		if kept := exit.Talking("host", err); exit.Code(kept) != exit.Found {
			t.Errorf("on the command line it is %v", kept)
		}
		w.has("a", "KernelReady", "Ready")
		w.has("b", "Ready")
	})
}

func TestBadTimeout(t *testing.T) {
	if err := (&Options{}).Validate(); exit.Code(err) != exit.NoAnswer {
		t.Errorf("error %v", err)
	}
}

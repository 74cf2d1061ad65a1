package action

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/repair/drillcondition"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

func TestRaised(t *testing.T) {
	raised := func(w *world, kind corev1.NodeConditionType) drillcondition.Condition {
		return drillcondition.Condition{Client: w.api.Client, Node: v1alpha1.NodeReference{Name: "n2", UID: "n2"}, Condition: corev1.NodeCondition{
			Type: kind, Status: corev1.ConditionFalse, Reason: "InterfaceNotUp", Message: "drill abcdefgh", LastTransitionTime: metav1.NewTime(start),
		}}
	}
	for name, kind := range map[string]corev1.NodeConditionType{"a condition that was there": "NetworkingReady", "one that was not": "StorageReady"} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, v1alpha1.ActionReboot), t.Context()
			before := w.node(ctx, "n2").Status.Conditions
			r := raised(w, kind)
			for i, want := range []bool{false, false} {
				if again, err := r.Set(ctx); err != nil || again != want {
					t.Fatalf("Set, call %d: %t, %v", i, again, err)
				}
			}
			if !isSet(r, w.node(ctx, "n2")) {
				t.Fatal("the condition is not set")
			}
			w.edit(ctx, "n2", func(n *corev1.Node) {
				for i := range n.Status.Conditions {
					if n.Status.Conditions[i].Type == kind {
						n.Status.Conditions[i].Status = corev1.ConditionTrue
					}
				}
			})
			if again, err := r.Set(ctx); err != nil || !again {
				t.Fatalf("Set after somebody took it back: %t, %v", again, err)
			}
			for range 2 { // twice is once
				w.must(r.Restore(ctx))
			}
			after := w.node(ctx, "n2")
			if diff := cmp.Diff(before, after.Status.Conditions); diff != "" {
				t.Errorf("conditions (-before +after):\n%s", diff)
			}
			if _, left := after.Annotations[drillcondition.Annotation]; left {
				t.Error("the annotation is still there")
			}
		})
	}

	t.Run("killed anywhere, it is taken back by another", func(t *testing.T) {
		for k := 1; ; k++ {
			w, ctx := newWorld(t, v1alpha1.ActionReboot), t.Context()
			before := w.node(ctx, "n2").Status.Conditions
			n := 0
			w.api.After = func(memory.Call) error {
				if n++; n >= k {
					return errKilled
				}
				return nil
			}
			_, err := raised(w, "NetworkingReady").Set(ctx)
			w.api.After = nil
			w.must(raised(w, "NetworkingReady").Restore(ctx))
			if diff := cmp.Diff(before, w.node(ctx, "n2").Status.Conditions); diff != "" {
				t.Errorf("killed at call %d, conditions (-before +after):\n%s", k, diff)
			}
			if err == nil {
				break
			}
		}
	})

	t.Run("what somebody else has written since is left", func(t *testing.T) {
		w, ctx := newWorld(t, v1alpha1.ActionReboot), t.Context()
		r := raised(w, "NetworkingReady")
		_, err := r.Set(ctx)
		w.must(err)
		w.edit(ctx, "n2", func(n *corev1.Node) {
			for i := range n.Status.Conditions {
				n.Status.Conditions[i].Reason = "RealFault"
			}
		})
		want := w.node(ctx, "n2").Status.Conditions
		w.must(r.Restore(ctx))
		if diff := cmp.Diff(want, w.node(ctx, "n2").Status.Conditions); diff != "" {
			t.Errorf("conditions (-want +got):\n%s", diff)
		}
	})

	t.Run("another node of the name is not touched", func(t *testing.T) {
		w, ctx := newWorld(t, v1alpha1.ActionReboot), t.Context()
		r := raised(w, "NetworkingReady")
		r.Node.UID = "older"
		w.api.Before = func(c memory.Call) error {
			if c.Writes() {
				t.Errorf("it wrote: %s", c)
			}
			return nil
		}
		if _, err := r.Set(ctx); !errors.Is(err, drillcondition.ErrNodeGone) {
			t.Errorf("Set: %v", err)
		}
		if err := r.Restore(ctx); err != nil {
			t.Errorf("TakeBack: %v", err)
		}
	})

	t.Run("a conflict is tried again", func(t *testing.T) {
		w, ctx := newWorld(t, v1alpha1.ActionReboot), t.Context()
		meddled := false
		w.api.Before = func(c memory.Call) error {
			if c.Verb == "patch/status" && !meddled {
				meddled = true
				w.edit(context.Background(), "n2", func(n *corev1.Node) { n.Labels["other"] = "yes" })
			}
			return nil
		}
		r := raised(w, "NetworkingReady")
		if _, err := r.Set(ctx); err != nil {
			t.Fatal(err)
		}
		var n corev1.Node
		w.must(w.api.Direct.Get(ctx, client.ObjectKey{Name: "n2"}, &n))
		if !meddled || !isSet(r, &n) || n.Labels["other"] == "" {
			t.Errorf("meddled: %t, conditions %v, labels %v", meddled, n.Status.Conditions, n.Labels)
		}
	})
}

func isSet(r drillcondition.Condition, node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return cmp.Equal(c, r.Condition) })
}

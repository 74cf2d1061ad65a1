package rebalance

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A node that may be used again is used, after the dwell time: not 10 minutes later, since without it there was no plan.
func TestUsableAgain(t *testing.T) {
	for name, edit := range map[string]func(*corev1.Node, bool){
		"cordoned": func(n *corev1.Node, usable bool) { n.Spec.Unschedulable = !usable },
		"tainted": func(n *corev1.Node, usable bool) {
			n.Spec.Taints = nil
			if !usable {
				n.Spec.Taints = []corev1.Taint{{Key: "busy", Effect: corev1.TaintEffectNoSchedule}}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, story2(), policy(nil))
			set := func(usable bool) {
				var n3 corev1.Node
				if err := f.api.Get(t.Context(), types.NamespacedName{Name: "n3"}, &n3); err != nil {
					t.Fatal(err)
				}
				edit(&n3, usable)
				if err := f.api.Update(t.Context(), &n3); err != nil {
					t.Fatal(err)
				}
			}
			set(false)
			f.pass(t, 3*time.Minute)
			set(true)
			f.Reconcile(t.Context()) //nolint:errcheck // Nothing to do yet.
			f.pass(t, 14*time.Second)
			if got := f.counts(t); got != "n1:2 n2:4" {
				t.Errorf("within the dwell time pods are on %s", got)
			}
			f.pass(t, 11*time.Second)
			if got := f.counts(t); got != "n1:2 n2:2 n3:2" {
				t.Errorf("pods are on %s", got)
			}
		})
	}
}

// A plan that is not made because a pod is starting or terminating is made soon after.
func TestSettled(t *testing.T) {
	f := newFixture(t, story2(), policy(nil))
	var moving []corev1.Pod
	for _, pod := range f.pods(t) { // One pod of each workload starts.
		if pod.Spec.NodeName == "n1" {
			pod.Status.Conditions[0].Status = corev1.ConditionFalse
			if err := f.api.Status().Update(t.Context(), &pod); err != nil {
				t.Fatal(err)
			}
			moving = append(moving, pod)
		}
	}
	f.pass(t, 2*time.Minute)
	if got := f.counts(t); len(moving) != 2 || got != "n1:2 n2:4" {
		t.Fatalf("while %d pods start, pods are on %s", len(moving), got)
	}
	for _, pod := range moving {
		pod.Status.Conditions[0].Status = corev1.ConditionTrue
		if err := f.api.Status().Update(t.Context(), &pod); err != nil {
			t.Fatal(err)
		}
	}
	f.pass(t, 40*time.Second)
	if got := f.counts(t); got != "n1:2 n2:2 n3:2" {
		t.Errorf("40 s after they are ready, pods are on %s", got)
	}
}

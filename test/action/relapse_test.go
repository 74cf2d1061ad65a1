package action

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestRelapse has the node be well between two looks: the rule must be met anew for as long as it demands.
func TestRelapse(t *testing.T) {
	unhealthy := func(t *testing.T) (*world, context.Context) {
		t.Helper()
		w, ctx := newWorld(t, reboot), t.Context()
		w.policy.Spec.Rules[0].For = metav1.Duration{Duration: 10 * time.Minute}
		w.edit(ctx, "n1", func(n *corev1.Node) {
			n.Status.Conditions[1].LastTransitionTime = metav1.NewTime(start.Add(-time.Hour))
		})
		return w, ctx
	}
	relapse := func(ctx context.Context, w *world) {
		w.edit(ctx, "n1", func(n *corev1.Node) {
			w.state(n, "NetworkingReady", true)
			w.state(n, "NetworkingReady", false)
		})
	}
	t.Run("of a proposal", func(t *testing.T) {
		w, ctx := unhealthy(t)
		w.policy.Spec.Paused = true
		w.later(time.Minute, func() { relapse(ctx, w) })
		w.later(2*time.Minute, func() { w.policy.Spec.Paused = false })
		w.play(ctx, func() {})
		w.notAsked(ctx, notDue, "Assess Guard(Skipped)")
	})
	t.Run("during a drain", func(t *testing.T) {
		w, ctx := unhealthy(t)
		w.budget(ctx, 0)
		w.until(ctx, "Drain")
		relapse(ctx, w)
		w.play(ctx, func() {})
		w.notAsked(ctx, notDue, "Assess Guard Cordon Drain(Skipped) Uncordon")
	})
}

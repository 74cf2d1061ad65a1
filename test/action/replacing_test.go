package action

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
)

// TestAcceptedReplacementOutlives has the replacement of a machine asked for, and the record end before the node is gone: the
// node stays cordoned and counted until it is gone or a person uncordons it.
func TestAcceptedReplacementOutlives(t *testing.T) {
	for name, end := range map[string]func(context.Context, *world){
		"its time runs out": func(ctx context.Context, w *world) {
			w.play(ctx, nil)
			if got, want := w.line(ctx), "Assess Guard Cordon Drain Act Wait(Failed) Uncordon(Skipped): DidNotHelp"; got != want {
				w.t.Errorf("got  %s\nwant %s", got, want)
			}
			end := meta.FindStatusCondition(w.remediation(ctx).Status.Conditions, v1alpha1.RemediationSucceeded)
			if !strings.Contains(end.Message, "stays cordoned") {
				w.t.Errorf("it says %q", end.Message)
			}
		},
		"its time runs out, and then it is deleted": func(ctx context.Context, w *world) {
			w.play(ctx, nil)
			w.force(ctx)
		},
		"it is aborted": func(ctx context.Context, w *world) {
			w.until(ctx, v1alpha1.StepWait)
			r := w.remediation(ctx)
			metav1.SetMetaDataAnnotation(&r.ObjectMeta, v1alpha1.RemediationAbortAnnotation, "true")
			w.must(w.api.Direct.Update(ctx, r))
			w.advance(ctx)
			if got, want := w.line(ctx), "Assess Guard Cordon Drain Act Wait(Skipped) Uncordon(Skipped): Aborted"; got != want {
				w.t.Errorf("got  %s\nwant %s", got, want)
			}
		},
		"it is deleted": func(ctx context.Context, w *world) {
			w.until(ctx, v1alpha1.StepWait)
			w.must(w.api.Direct.Delete(ctx, w.remediation(ctx)))
			w.advance(ctx)
			w.gone(ctx)
		},
		"it is deleted past its finalizer": func(ctx context.Context, w *world) {
			w.until(ctx, v1alpha1.StepWait)
			w.force(ctx)
		},
		"it is deleted while the cloud is asked": func(ctx context.Context, w *world) {
			w.cloud.seen = func() error {
				w.cloud.seen = nil
				w.force(ctx)
				return nil
			}
			for range 100 {
				_, _ = w.performer().Advance(ctx, "mend", w.policy)
				if w.cloud.replaces > 0 {
					return
				}
				w.clock.SetTime(w.clock.Now().Add(10 * time.Second))
				w.tick(ctx)
			}
			w.t.Fatal("nobody is asked")
		},
		"nobody knows whether it was accepted": func(ctx context.Context, w *world) {
			w.cloud.lost = func() error { return errKilled }
			w.play(ctx, nil)
		},
		"it was cordoned by a person before": func(ctx context.Context, w *world) {
			w.edit(ctx, "n1", func(n *corev1.Node) { n.Spec.Unschedulable = true })
			w.play(ctx, nil)
		},
	} {
		for what, leaves := range map[string]func(context.Context, *world){
			"until it is gone": func(ctx context.Context, w *world) { w.must(w.api.Direct.Delete(ctx, w.node(ctx, "n1"))) },
			"until another has its name": func(ctx context.Context, w *world) {
				w.must(w.api.Direct.Delete(ctx, w.node(ctx, "n1")))
				another := w.newNode("n1", "a", true)
				another.UID, another.Spec.Unschedulable = "another", true // another's cordon
				w.must(w.api.Direct.Create(ctx, another))
				w.allow = []string{"n1"}
			},
			"until a person takes it over": func(ctx context.Context, w *world) {
				w.edit(ctx, "n1", func(n *corev1.Node) { n.Spec.Unschedulable = false })
			},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				w, ctx := newWorld(t, replace), t.Context()
				w.cloud.deaf = true
				end(ctx, w)
				w.cloud.lost = nil
				for range 3 {
					w.must(w.performer().CollectGarbage(ctx))
					w.clock.SetTime(w.clock.Now().Add(24 * time.Hour))
					w.tick(ctx)
				}
				w.leaving(ctx)
				leaves(ctx, w)
				w.must(w.performer().CollectGarbage(ctx))
				w.tidy(ctx, 0)
			})
		}
	}
}

// leaving demands that n1 is cordoned and counted: its own next repair and that of another node wait for it.
func (w *world) leaving(ctx context.Context) {
	w.t.Helper()
	if !w.node(ctx, "n1").Spec.Unschedulable {
		w.t.Error("the node that is ending takes pods again")
	}
	w.edit(ctx, "n2", func(n *corev1.Node) { w.state(n, "NetworkingReady", false) })
	for name, want := range map[string]string{"n1": "InHand", "n2": "BudgetFull"} {
		r := newRemediation(replace)
		r.Name, r.UID = "again-"+name, "again"
		r.Spec.Node = v1alpha1.NodeReference{Name: name, UID: w.node(ctx, name).UID}
		w.must(w.api.Direct.Create(ctx, r))
		_, err := w.performer().Advance(ctx, r.Name, w.policy)
		w.must(err)
		w.must(w.api.Direct.Get(ctx, client.ObjectKeyFromObject(r), r))
		verdicts := map[string]bool{}
		for _, v := range r.Status.Verdicts {
			verdicts[v.Reason] = true
		}
		if !verdicts[want] || r.Status.Phase == v1alpha1.PhaseRunning {
			w.t.Errorf("%s of %s: %+v, want %s", r.Name, name, r.Status.Verdicts, want)
		}
		w.must(w.api.Direct.Delete(ctx, r))
	}
	w.edit(ctx, "n2", func(n *corev1.Node) { w.state(n, "NetworkingReady", true) })
}

// TestReplacementThatWasNot uncordons a node whose machine is not replaced: no provider was called, or the provider refused.
func TestReplacementThatWasNot(t *testing.T) {
	for name, end := range map[string]func(context.Context, *world){
		"deleted while it drains": func(ctx context.Context, w *world) {
			w.until(ctx, v1alpha1.StepDrain)
			w.must(w.api.Direct.Delete(ctx, w.remediation(ctx)))
			w.advance(ctx)
			w.gone(ctx)
		},
		"deleted past its finalizer while it drains": func(ctx context.Context, w *world) {
			w.until(ctx, v1alpha1.StepDrain)
			w.force(ctx)
		},
		"refused": func(ctx context.Context, w *world) {
			w.cloud.fails = func(int) error { return errKilled }
			w.play(ctx, nil)
		},
		"refused, and its record deleted before the node is put back": func(ctx context.Context, w *world) {
			w.cloud.fails = func(int) error { return errKilled }
			w.play(ctx, nil)
			w.force(ctx)
			w.edit(ctx, "n1", func(n *corev1.Node) {
				n.Spec.Unschedulable = true
				metav1.SetMetaDataAnnotation(&n.ObjectMeta, action.CordonedByAnnotation, "mend")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, replace), t.Context()
			end(ctx, w)
			w.must(w.performer().CollectGarbage(ctx))
			w.tidy(ctx, 0)
		})
	}
}

package action

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// TestDeleted deletes a Remediation at each of its steps: the node is put back, the abort is noted, and the record goes.
func TestDeleted(t *testing.T) {
	for _, at := range []v1alpha1.StepName{v1alpha1.StepDrain, v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify} {
		t.Run(string(at), func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.cloud.sick = at == v1alpha1.StepWait
			w.unready = at == v1alpha1.StepVerify
			w.until(ctx, at)
			w.must(w.performer().CollectGarbage(ctx))
			if !w.node(ctx, "n1").Spec.Unschedulable {
				t.Fatal("garbage collection uncordons the node of a Remediation that goes on")
			}
			asked := w.cloud.reboots
			w.must(w.api.Direct.Delete(ctx, w.remediation(ctx)))
			w.advance(ctx)
			w.gone(ctx)
			w.tidy(ctx, 0)
			w.tried(ctx, 0, asked)
			if w.cloud.reboots != asked {
				t.Errorf("%d reboots, want %d", w.cloud.reboots, asked)
			}
		})
	}
}

// TestDeletedPastItsFinalizer removes the finalizer first: what the Remediation left is removed, and it
// counts as aborted.
func TestDeletedPastItsFinalizer(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.until(ctx, v1alpha1.StepWait)
	w.force(ctx)
	w.advance(ctx)
	w.leads = false
	w.must(w.performer().CollectGarbage(ctx))
	if !w.node(ctx, "n1").Spec.Unschedulable {
		t.Error("a replica that does not lead has collected garbage")
	}
	w.leads = true
	w.must(w.performer().CollectGarbage(ctx))
	w.tidy(ctx, 0)
	w.tried(ctx, 0, 1)
}

// TestMadeAgain deletes a Remediation, with its finalizer or past it, and makes another of the same name, as the planner would:
// the machine is not rebooted a second time before the cool-down is over, and what did not help stays recorded.
func TestMadeAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		force bool
		sick  bool // the reboot does not help, and the record is deleted after that
	}{
		"deleted while it boots": {}, "deleted while it boots, past its finalizer": {force: true},
		"deleted when it did not help": {sick: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.policy.Spec.CoolDown, w.policy.Spec.RememberFailure = span(30*time.Minute), span(24*time.Hour)
			w.publish(ctx)
			if tc.sick {
				w.cloud.sick = true
				w.play(ctx, nil)
			} else {
				w.until(ctx, v1alpha1.StepWait)
			}
			deleted := w.clock.Now()
			if tc.force {
				w.force(ctx)
			} else {
				w.must(w.api.Direct.Delete(ctx, w.remediation(ctx)))
				w.advance(ctx)
			}
			w.gone(ctx)
			again := newRemediation(reboot)
			again.UID = "mend-2"
			w.must(w.api.Direct.Create(ctx, again))
			for w.clock.Since(deleted) < 25*time.Minute {
				w.advance(ctx)
				w.must(w.performer().CollectGarbage(ctx))
				w.clock.SetTime(w.clock.Now().Add(30 * time.Second))
				w.tick(ctx)
			}
			if w.cloud.reboots != 1 {
				t.Errorf("%d reboots within the cool-down, want 1", w.cloud.reboots)
			}
			w.tried(ctx, map[bool]int{true: 1}[tc.sick], 1)
			w.tidy(ctx, 0)
		})
	}
}

// TestSecondRepairIsCounted has a Remediation begin under the name of another that has ended: it has an entry of its own in the
// ledger, by which budgets count it.
func TestSecondRepairIsCounted(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.enter(ctx, ledger.Entry{Remediation: "mend", UID: "earlier", Node: "n1", Action: reboot})
	records := w.performer().Records
	read, err := records.ReadLedger(ctx)
	w.must(err)
	w.must(records.WriteLedger(ctx, read, read.End(ledger.Holder{Name: "mend", UID: "earlier"}, start.Add(-8*24*time.Hour), ledger.Helped)))
	w.until(ctx, v1alpha1.StepDrain)
	if _, ok := w.ledger(ctx).Ongoing(ledger.Holder{Name: "mend", UID: "mend"}); !ok {
		t.Errorf("it runs outside every budget: %v", w.ledger(ctx).Entries)
	}
}

// TestForgedStatus writes statuses that the ledger does not confirm: the record is not continued.
func TestForgedStatus(t *testing.T) {
	at := metav1.NewMicroTime(start)
	step := func(name v1alpha1.StepName, ended bool) v1alpha1.Step {
		s := v1alpha1.Step{Name: name, StartedAt: at, Actuator: "machines"}
		if ended {
			s.EndedAt, s.Result = &at, v1alpha1.StepDone
		}
		return s
	}
	ways := map[string][]v1alpha1.Step{
		"running, at no step":      nil,
		"at its cordon":            {step(v1alpha1.StepCordon, false)},
		"drained":                  {step(v1alpha1.StepCordon, true), step(v1alpha1.StepDrain, false)},
		"about to act":             {step(v1alpha1.StepCordon, true), step(v1alpha1.StepDrain, true), step(v1alpha1.StepAct, false)},
		"turned away, to ask anew": {step(v1alpha1.StepAct, false)},
		"waiting for the machine":  {step(v1alpha1.StepAct, true), step(v1alpha1.StepWait, false)},
		"about to be verified":     {step(v1alpha1.StepAct, true), step(v1alpha1.StepWait, true), step(v1alpha1.StepVerify, false)},
	}
	ways["turned away, to ask anew"][0].EndedAt, ways["turned away, to ask anew"][0].Result = &at, v1alpha1.StepFailed
	ledgers := map[string]func(context.Context, *world){
		"no ledger": func(context.Context, *world) {},
		"another's reservation": func(ctx context.Context, w *world) {
			w.enter(ctx, ledger.Entry{Remediation: "mend", UID: "other", Node: "n1"})
		},
		"a record that runs beside it": func(ctx context.Context, w *world) { w.runOther(ctx) },
	}
	for _, what := range []v1alpha1.Action{reboot, replace, restart} {
		for name, steps := range ways {
			for of, enter := range ledgers {
				t.Run(fmt.Sprintf("%s, %s, %s", what, name, of), func(t *testing.T) {
					w, ctx := newWorld(t, what), t.Context()
					w.policy.Spec.Budgets.Zone, w.policy.Spec.Budgets.Group, w.policy.Spec.Budgets.Cluster = nil, nil, nil
					w.publish(ctx)
					enter(ctx, w)
					r := w.remediation(ctx)
					r.Status.Phase, r.Status.Steps = v1alpha1.PhaseRunning, steps
					w.must(w.api.Direct.Status().Update(ctx, r))
					w.play(ctx, nil)
					end := meta.FindStatusCondition(w.remediation(ctx).Status.Conditions, v1alpha1.RemediationSucceeded)
					if end == nil || end.Reason != v1alpha1.RemediationGaveUpReason || w.cloud.reboots+w.cloud.replaces > 0 {
						t.Errorf("condition %v, the cloud was asked %d times", end, w.cloud.reboots+w.cloud.replaces)
					}
					if n := w.ledger(ctx).Failures(ledger.Machine{Node: "n1"}, what, start.Add(-time.Hour)); n > 0 {
						t.Errorf("%d failures are remembered of what never was", n)
					}
				})
			}
		}
	}
}

// TestReservationIsOver resets a status to before it began.
func TestReservationIsOver(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.until(ctx, v1alpha1.StepDwell)
	records := w.performer().Records
	read, err := records.ReadLedger(ctx)
	w.must(err)
	w.must(records.WriteLedger(ctx, read, read.End(ledger.Holder{Name: "mend", UID: "mend"}, start.Add(-8*24*time.Hour), ledger.Helped)))
	w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", false) })
	r := w.remediation(ctx)
	r.Status = v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseProposed}
	w.must(w.api.Direct.Status().Update(ctx, r))
	w.clock.SetTime(w.clock.Now().Add(time.Hour))
	w.play(ctx, nil)
	if got, want := w.line(ctx), ": GaveUp"; got != want || w.cloud.reboots != 1 {
		t.Errorf("got  %s\nwant %s\n%d reboots", got, want, w.cloud.reboots)
	}
}

// TestDeletedProposal rejects it, for as long as the node has the evidence.
func TestDeletedProposal(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.policy.Spec.Mode = v1alpha1.ModeApprove
	w.publish(ctx)
	r := w.remediation(ctx)
	w.force(ctx)
	r.Spec.Evidence.Since, r.ResourceVersion = metav1.NewTime(start), ""
	w.must(w.api.Direct.Create(ctx, r))
	w.advance(ctx)
	proposed := func() int {
		var all v1alpha1.RemediationList
		w.must(w.api.Direct.List(ctx, &all))
		return len(repairpolicy.Propose([]v1alpha1.NodeRepairPolicy{*w.policy}, []*corev1.Node{w.node(ctx, "n1")}, all.Items, w.ledger(ctx), w.clock.Now()).Remediations)
	}
	w.must(w.api.Direct.Delete(ctx, w.remediation(ctx)))
	w.advance(ctx)
	w.gone(ctx)
	if entries := w.ledger(ctx).Entries; len(entries) > 0 {
		t.Errorf("a proposal leaves entries: %v", entries)
	}
	w.clock.SetTime(w.clock.Now().Add(40 * 24 * time.Hour))
	w.must(w.performer().CollectGarbage(ctx))
	if n := proposed(); n != 0 {
		t.Errorf("%d are proposed for the evidence that a person has rejected", n)
	}
	w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", true) })
	w.must(w.performer().CollectGarbage(ctx))
	if rejections := w.ledger(ctx).Rejections; len(rejections) > 0 {
		t.Errorf("rejections of evidence that is gone are kept: %v", rejections)
	}
	w.clock.SetTime(w.clock.Now().Add(time.Hour))
	w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", false) })
	if n := proposed(); n != 1 {
		t.Errorf("%d are proposed for new evidence, want 1", n)
	}
}

// TestAborted has a person abort a Remediation by its annotation: the node is put back, and the record is kept.
func TestAborted(t *testing.T) {
	for at, want := range map[v1alpha1.StepName]string{
		"":                  ": Aborted",
		v1alpha1.StepDrain:  "Assess Guard Cordon Drain(Skipped) Uncordon: Aborted",
		v1alpha1.StepWait:   "Assess Guard Cordon Drain Act Wait(Skipped) Uncordon: Aborted",
		v1alpha1.StepVerify: "Assess Guard Cordon Drain Act Wait Dwell Verify(Skipped) Uncordon: Aborted",
	} {
		t.Run(string(at), func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.unready = at == v1alpha1.StepVerify
			if at != "" {
				w.until(ctx, at)
			}
			r := w.remediation(ctx)
			metav1.SetMetaDataAnnotation(&r.ObjectMeta, v1alpha1.RemediationAbortAnnotation, "true")
			w.must(w.api.Direct.Update(ctx, r))
			w.advance(ctx)
			if got := w.line(ctx); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if r := w.remediation(ctx); len(r.Finalizers) > 0 || r.Status.Phase != v1alpha1.PhaseEnded {
				t.Errorf("phase %s, finalizers %v", r.Status.Phase, r.Finalizers)
			}
			w.tidy(ctx, 0)
		})
	}
}

// TestFinalizer is on what goes on, whoever made it, and on nothing that has ended.
func TestFinalizer(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.until(ctx, v1alpha1.StepDrain)
	if f := w.remediation(ctx).Finalizers; len(f) != 1 || f[0] != v1alpha1.RemediationFinalizer {
		t.Errorf("while it goes on its finalizers are %v", f)
	}
	w.play(ctx, nil)
	w.advance(ctx)
	if f := w.remediation(ctx).Finalizers; len(f) > 0 {
		t.Errorf("what has ended has the finalizers %v", f)
	}
}

// advance advances the Remediation once.
func (w *world) advance(ctx context.Context) {
	w.t.Helper()
	_, err := w.performer().Advance(ctx, "mend", w.policy)
	w.must(err)
}

// force deletes the Remediation although it has finalizers.
func (w *world) force(ctx context.Context) {
	w.t.Helper()
	r := w.remediation(ctx)
	if len(r.Finalizers) > 0 {
		r.Finalizers = nil
		w.must(w.api.Direct.Update(ctx, r))
	}
	w.must(client.IgnoreNotFound(w.api.Direct.Delete(ctx, r)))
}

// tried demands that so many reboots of n1 are remembered as failures, and as attempts.
func (w *world) tried(ctx context.Context, failures, attempts int) {
	w.t.Helper()
	l := w.ledger(ctx)
	if f, a := l.Failures(ledger.Machine{Node: "n1"}, reboot, start.Add(-time.Hour)), l.Attempts(ledger.Machine{Node: "n1"}, reboot, start.Add(-time.Hour)); f != failures || a != attempts {
		w.t.Errorf("%d failures and %d attempts are remembered, want %d and %d", f, a, failures, attempts)
	}
}

// gone demands that there is no such Remediation.
func (w *world) gone(ctx context.Context) {
	w.t.Helper()
	var r v1alpha1.Remediation
	if err := w.api.Direct.Get(ctx, client.ObjectKey{Name: "mend"}, &r); !apierrors.IsNotFound(err) {
		w.t.Fatalf("it is there: %s, finalizers %v, error %v", r.Status.Phase, r.Finalizers, err)
	}
}

// runOther makes a Remediation that begins beside the forged one, and enters itself in the ledger.
func (w *world) runOther(ctx context.Context) {
	w.t.Helper()
	r := w.remediation(ctx)
	r.Status.Phase = v1alpha1.PhaseRunning
	w.must(w.api.Direct.Status().Update(ctx, r))
	w.edit(ctx, "n2", func(n *corev1.Node) { w.state(n, "NetworkingReady", false) })
	other := newRemediation(r.Spec.Action())
	other.Name, other.UID, other.Spec.Node = "other", types.UID("other"), v1alpha1.NodeReference{Name: "n2", UID: "n2"}
	w.must(w.api.Direct.Create(ctx, other))
	_, err := w.performer().Advance(ctx, "other", w.policy)
	w.must(err)
}

// TestMadeAgainAndHeldUp deletes a Remediation past its finalizer while it drains, and makes another of its name that may not
// begin: the node is not left cordoned for it.
func TestMadeAgainAndHeldUp(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.until(ctx, v1alpha1.StepDrain)
	w.force(ctx)
	w.policy.Spec.Paused = true
	w.publish(ctx)
	again := newRemediation(reboot)
	again.UID = "mend-2"
	w.must(w.api.Direct.Create(ctx, again))
	w.advance(ctx)
	w.must(w.performer().CollectGarbage(ctx))
	if w.node(ctx, "n1").Spec.Unschedulable {
		t.Error("the node is left cordoned")
	}
}

package action

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// TestWrittenDownBefore looks at what is written when something is done.
func TestWrittenDownBefore(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	var actions []string
	saw := func(action string) { actions = append(actions, action+" in "+string(step(w.remediation(ctx)))) }
	w.api.Before = func(c memory.Call) error {
		if c.Kind == "Node" && c.Writes() || c.Verb == "create/eviction" {
			saw(c.Verb)
		}
		return nil
	}
	w.cloud.seen = func() error {
		saw("reboot")
		last := w.remediation(ctx).Status.Steps[4]
		if last.Before != "first-n1" || last.Actuator != "machines" {
			t.Errorf("the step says %+v", last)
		}
		if _, out := w.ledger(ctx).Ongoing(ledger.Holder{Name: "mend", UID: "mend"}); !out {
			t.Error("the ledger has no entry")
		}
		return nil
	}
	w.play(ctx, nil)
	if diff := cmp.Diff([]string{"patch in Cordon", "create/eviction in Drain", "reboot in Act", "patch in Uncordon"}, actions); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
}

// TestReportOnly writes down what would be done, once.
func TestReportOnly(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.policy.Spec.Mode = v1alpha1.ModeReport
	w.publish(ctx)
	writes := map[string]int{}
	w.api.Before = func(c memory.Call) error {
		if c.Writes() {
			writes[c.Verb+" "+c.Kind]++
		}
		return nil
	}
	for range 10 {
		again, err := w.performer().Advance(ctx, "mend", w.policy)
		if err != nil || again != 5*time.Minute {
			t.Fatalf("Advance: again in %v, %v", again, err)
		}
		w.clock.SetTime(w.clock.Now().Add(10 * time.Second))
	}
	if diff := cmp.Diff(map[string]int{"patch/status Remediation": 1}, writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	r := w.remediation(ctx)
	allowed := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed)
	if r.Status.Phase != v1alpha1.PhaseProposed || allowed.Status != metav1.ConditionFalse || allowed.Reason != "ReportOnly" {
		t.Errorf("phase %s, condition %v", r.Status.Phase, allowed)
	}
	if n := len(guard.Checks()) + 1; len(r.Status.Verdicts) != n {
		t.Errorf("%d verdicts, want %d", len(r.Status.Verdicts), n)
	}
	want := []v1alpha1.PodForecast{{
		Namespace: "default", Name: "web-a", Fate: "Moved", Node: "n2",
		Owner: &v1alpha1.OwnerReference{Kind: "ReplicaSet", Name: "web", UID: "rs", Ready: 2},
	}}
	if diff := cmp.Diff(want, r.Status.Forecast.Pods); diff != "" {
		t.Errorf("forecast (-want +got):\n%s", diff)
	}
}

// TestNotBegun lets nothing begin.
func TestNotBegun(t *testing.T) {
	for name, tc := range map[string]struct {
		with   func(context.Context, *world)
		phase  v1alpha1.Phase
		reason string
		fails  bool
	}{
		"nobody has approved": {
			with: func(_ context.Context, w *world) { w.policy.Spec.Mode = v1alpha1.ModeApprove }, phase: v1alpha1.PhaseProposed, reason: "AwaitingApproval",
		},
		"paused": {with: func(_ context.Context, w *world) { w.policy.Spec.Paused = true }, phase: v1alpha1.PhaseWaiting, reason: "Paused"},
		"a budget that is spent": {
			with: func(ctx context.Context, w *world) {
				w.enter(ctx, ledger.Entry{Remediation: "other", Node: "n2", Zone: "b", Group: "workers"})
			}, phase: v1alpha1.PhaseWaiting, reason: "BudgetFull",
		},
		"a budget that another spends, whose entry somebody has deleted": {
			with: func(ctx context.Context, w *world) {
				other := newRemediation(reboot)
				other.Name, other.UID, other.Spec.Node.Name, other.Spec.Node.UID = "other", "other", "n2", "n2"
				w.must(w.api.Direct.Create(ctx, other))
				other.Status.Phase = v1alpha1.PhaseRunning
				w.must(w.api.Direct.Status().Update(ctx, other))
			}, phase: v1alpha1.PhaseWaiting, reason: "BudgetFull",
		},
		"a ledger that is damaged": {
			with: func(ctx context.Context, w *world) {
				w.must(w.api.Direct.Create(ctx, &corev1.ConfigMap{
					ObjectMeta: metav1.ObjectMeta{Namespace: record.DefaultNamespace, Name: record.LedgerName}, Data: map[string]string{"ledger.json": `{"entries":[`},
				}))
			}, phase: v1alpha1.PhaseWaiting, reason: "Unknown", fails: true,
		},
		"nobody who could reboot": {
			with: func(_ context.Context, w *world) { w.cloud.foreign = true }, phase: v1alpha1.PhaseProposed, reason: "NoActuator",
		},
		"a machine that the cloud would not reboot": {
			with: func(_ context.Context, w *world) { w.cloud.may = protected }, phase: v1alpha1.PhaseProposed, reason: "Refused",
		},
		"no lease": {with: func(_ context.Context, w *world) { w.leads = false }},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			tc.with(ctx, w)
			w.publish(ctx)
			w.api.Before = func(c memory.Call) error {
				if c.Writes() && c.Kind != "Remediation" {
					t.Errorf("it wrote: %s", c)
				}
				return nil
			}
			if _, err := w.performer().Advance(ctx, "mend", w.policy); (err != nil) != tc.fails {
				t.Errorf("Advance: %v", err)
			}
			r, reason := w.remediation(ctx), ""
			if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed); c != nil && c.Status == metav1.ConditionFalse {
				reason = c.Reason
			}
			if r.Status.Phase != tc.phase || reason != tc.reason || w.cloud.reboots > 0 {
				t.Errorf("phase %q, reason %q, want %q, %q; %d reboots", r.Status.Phase, reason, tc.phase, tc.reason, w.cloud.reboots)
			}
		})
	}
}

// TestReservedThenDenied releases the reservation of a controller that was killed before it began.
func TestReservedThenDenied(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.enter(ctx, ledger.Entry{Remediation: "mend", Node: "n1"})
	w.policy.Spec.Paused = true
	w.publish(ctx)
	if _, err := w.performer().Advance(ctx, "mend", w.policy); err != nil {
		t.Fatal(err)
	}
	if entries := w.ledger(ctx).Entries; len(entries) > 0 {
		t.Errorf("the ledger is left with %v", entries)
	}
	w.policy.Spec.Paused = false
	w.play(ctx, nil)
	if entries := w.ledger(ctx).Entries; len(entries) != 1 || entries[0].Result != ledger.Helped {
		t.Errorf("the ledger has %v", entries)
	}
}

// TestBudgetIsOne has two want the one place there is, each seeing it free.
func TestBudgetIsOne(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	meddled := false
	w.api.Before = func(c memory.Call) error {
		if c.Kind == "ConfigMap" && c.Writes() && !meddled {
			meddled = true
			w.enter(ctx, ledger.Entry{Remediation: "other", Node: "n2", Zone: "b", Group: "workers"})
		}
		return nil
	}
	if _, err := w.performer().Advance(ctx, "mend", w.policy); err != nil {
		t.Fatal(err)
	}
	r := w.remediation(ctx)
	if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed); !meddled || c == nil || c.Reason != "BudgetFull" {
		t.Errorf("meddled: %t, phase %s, condition %v", meddled, r.Status.Phase, c)
	}
}

// TestConflicts writes the node and the Remediation right before each write to them.
func TestConflicts(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	meddled := 0
	w.api.Before = func(c memory.Call) error {
		switch {
		case !c.Writes() || meddled%2 == 1: // every other time it gets through
			meddled += map[bool]int{true: 1}[c.Writes()]
			return nil
		case c.Kind == "Node":
			w.edit(ctx, c.Key.Name, func(n *corev1.Node) { n.Labels["meddled"] = fmt.Sprint(meddled) })
		case c.Kind == "Remediation":
			r := w.remediation(ctx)
			r.Labels = map[string]string{"meddled": fmt.Sprint(meddled)}
			w.must(w.api.Direct.Update(ctx, r))
		}
		meddled++
		return nil
	}
	w.play(ctx, nil)
	if got, want := w.line(ctx), "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast"; got != want || w.cloud.reboots != 1 || meddled < 10 {
		t.Errorf("got  %s\nwant %s\n%d reboots, meddled %d times", got, want, w.cloud.reboots, meddled)
	}
	w.tidy(ctx, 0)
}

// TestTheAgentsWord is not overwritten.
func TestTheAgentsWord(t *testing.T) {
	w, ctx := newWorld(t, restart), t.Context()
	w.until(ctx, v1alpha1.StepAct)
	r := w.remediation(ctx)
	said := false
	w.api.Before = func(c memory.Call) error {
		if c.Verb == "patch/status" && !said {
			said = true
			now := w.remediation(ctx)
			now.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentAccepted, At: metav1.NewMicroTime(start)}
			w.must(w.api.Direct.Status().Update(ctx, now))
		}
		return nil
	}
	records := w.performer().Records
	_, err := records.UpdateStatus(ctx, r, func(s *v1alpha1.RemediationStatus) { s.Agent, s.ObservedGeneration = nil, 7 })
	if err == nil {
		t.Error("it was written over what was not read")
	}
	if _, err := records.UpdateStatus(ctx, w.remediation(ctx), func(s *v1alpha1.RemediationStatus) { s.Agent, s.ObservedGeneration = nil, 7 }); err != nil {
		t.Error(err)
	}
	if r := w.remediation(ctx); !said || r.Status.Agent == nil || r.Status.ObservedGeneration != 7 {
		t.Errorf("said: %t, status %+v", said, r.Status)
	}
}

// TestTwoReplacements do not take one new node for both of theirs.
func TestTwoReplacements(t *testing.T) {
	w, ctx := newWorld(t, replace), t.Context()
	w.until(ctx, v1alpha1.StepDwell)
	var taken string
	for _, s := range w.remediation(ctx).Status.Steps {
		if s.Name == v1alpha1.StepWait {
			taken = s.Operation
		}
	}
	if taken != "node/n4" {
		t.Fatalf("the Wait says %q", taken)
	}
	other, asked := newRemediation(replace), start.Add(time.Second)
	other.Name, other.UID, other.Spec.Node = "other", "other", v1alpha1.NodeReference{Name: "n9", UID: "n9"}
	w.must(w.api.Direct.Create(ctx, other))
	other.Status = v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseRunning, Steps: []v1alpha1.Step{
		{Name: v1alpha1.StepAct, StartedAt: metav1.NewMicroTime(asked), EndedAt: new(metav1.NewMicroTime(asked)), Result: v1alpha1.StepDone, Actuator: "machines"},
		{Name: v1alpha1.StepWait, StartedAt: metav1.NewMicroTime(w.clock.Now())},
	}}
	w.must(w.api.Direct.Status().Update(ctx, other))
	w.enter(ctx, ledger.Entry{Remediation: "other", Node: "n9", Group: "workers"})
	advance := func() v1alpha1.StepName {
		if _, err := w.performer().Advance(ctx, "other", w.policy); err != nil {
			t.Fatal(err)
		}
		var r v1alpha1.Remediation
		w.must(w.api.Direct.Get(ctx, client.ObjectKey{Name: "other"}, &r))
		return step(&r)
	}
	if at := advance(); at != v1alpha1.StepWait {
		t.Errorf("with one new node it is at %s", at)
	}
	w.must(w.api.Direct.Create(ctx, w.newNode("n5", "a", true)))
	if at := advance(); at != v1alpha1.StepDwell {
		t.Errorf("with two new nodes it is at %s", at)
	}
}

// budget is a PodDisruptionBudget of web that lets so many pods go.
func (w *world) budget(ctx context.Context, lets int32, name ...string) {
	w.t.Helper()
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: strings.Join(append(name, "web"), "-")},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: lets, CurrentHealthy: 2, DesiredHealthy: 2 - lets, ExpectedPods: 2},
	}
	w.must(client.IgnoreNotFound(w.api.Direct.Delete(ctx, b.DeepCopy())))
	status := b.Status
	w.must(w.api.Direct.Create(ctx, b))
	b.Status = status
	w.must(w.api.Direct.Status().Update(ctx, b))
}

// TestDamagedMidway has the ledger damaged while a node is drained: it is not left cordoned, and when a person has repaired
// the ledger the Remediation ends.
func TestDamagedMidway(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.until(ctx, v1alpha1.StepDrain)
	var stored corev1.ConfigMap
	w.must(w.api.Direct.Get(ctx, client.ObjectKey{Namespace: record.DefaultNamespace, Name: record.LedgerName}, &stored))
	whole := stored.Data["ledger.json"]
	damage := func(data string) {
		stored.Data = map[string]string{"ledger.json": data}
		w.must(w.api.Direct.Update(ctx, &stored))
	}
	damage("{")
	for range 40 {
		if _, err := w.performer().Advance(ctx, "mend", w.policy); err == nil {
			t.Fatal("nobody is told")
		}
		w.clock.SetTime(w.clock.Now().Add(5 * time.Second))
		w.tick(ctx)
	}
	if n := w.node(ctx, "n1"); n.Spec.Unschedulable || w.cloud.reboots > 0 {
		t.Errorf("cordoned: %t, %d reboots", n.Spec.Unschedulable, w.cloud.reboots)
	}
	damage(whole)
	w.play(ctx, nil)
	if got, want := w.line(ctx), "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.tidy(ctx, 0)
}

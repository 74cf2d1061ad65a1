package repair

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/facts"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/cli/repair/drillcondition"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/terminal"
)

const (
	// conditionPollInterval is the time between two reads of the node while the condition is set.
	conditionPollInterval = 2 * time.Second
	// heartbeatInterval is the time between two heartbeats of the condition: repairers do not act on a stale one.
	heartbeatInterval = reason.Heartbeat - time.Minute
	// defaultWait is how long a repairer waits whose rule does not say: EKS node auto repair's default.
	defaultWait = 30 * time.Minute
)

// raise sets the condition on the node, keeps it set, and observes whether a repair follows. The condition before is restored in every
// case.
func (o *DrillOptions) raise(ctx context.Context, page *page) (answer Drilled, err error) {
	expected, err := o.expect(ctx)
	if err != nil {
		return Drilled{}, err
	}
	t := &conditionDrill{DrillOptions: o, page: page, expected: expected, began: o.Clock.Now(), wait: cmp.Or(o.Wait, expected.wait())}
	t.answer = Drilled{Node: o.Node, Condition: o.Condition, Reason: o.Reason, Depth: v1alpha1.DrillRaised, By: expected.By, Hops: []Hop{}}
	page.begin(o, expected.By)

	r := o.remediation(v1alpha1.DrillRaised)
	r.Annotations[repaircheck.RepairerAnnotation] = expected.By
	switch err := o.objects.Create(ctx, r); {
	case err == nil:
		t.answer.Remediation = r.Name
	case !own.Absent(err):
		return Drilled{}, exit.Talking(o.objects.Host, err)
	default: // Where naosu is not installed there is nothing to keep a record in.
		terminal.WriteLine(o.ErrOut, o.Say.Say(sentence.DrillUnrecorded()))
	}
	err = t.run(ctx)
	if t.answer.Remediation != "" {
		if err != nil {
			o.deleteDrill(ctx, r)
		} else {
			t.record(ctx, r)
		}
	}
	return t.answer, err
}

// expect is the repair that would follow by naosu repair check; an error if none would.
func (o *DrillOptions) expect(ctx context.Context) (expectedRepair, error) {
	read, err := facts.Read(ctx, &input.Options{IOStreams: o.IOStreams, Config: o.Config, Clock: o.Clock})
	if err != nil {
		return expectedRepair{}, err
	}
	read.Nodes = slices.DeleteFunc(read.Nodes, func(n *corev1.Node) bool { return n.Name != o.Node })
	best := expectedRepair{Row: repaircheck.Row{Status: repaircheck.UnhealthyStatus(o.Condition)}}
	for _, row := range repaircheck.Check(read.Facts) {
		if row.Condition == o.Condition && row.By != "" && row.Action != v1alpha1.ActionNone && (row.Reason == o.Reason || row.Reason == anyReason && best.By == "") {
			best = expectedRepair{Row: row}
			if row.Reason == o.Reason {
				break
			}
		}
	}
	for i := range read.Policies {
		p := &read.Policies[i]
		if rule, ok := p.Rule(best.Rule); ok && "noderepairpolicy/"+p.Name == best.By {
			best.match = &v1alpha1.Match{Policy: p.Reference(best.Rule), Generation: p.Generation, Plan: repairpolicy.PlanOf(rule, best.Action)}
		}
	}
	return best, nil
}

const anyReason = "*"

// expectedRepair is the repairer that would act, and by which rule.
type expectedRepair struct {
	repaircheck.Row
	// match is the policy's rule, if it is one of naosu's.
	match *v1alpha1.Match
}

func (e expectedRepair) wait() time.Duration {
	wait, err := time.ParseDuration(e.For)
	if err != nil {
		return defaultWait
	}
	return wait
}

// conditionDrill is a drill that sets a condition on a node.
type conditionDrill struct {
	*DrillOptions
	page     *page
	expected expectedRepair
	answer   Drilled
	wait     time.Duration
	began    time.Time
	raised   time.Time
	// acted is when it was observed that the machine was acted on.
	acted  time.Time
	resets int // how often somebody took the condition back
	sign   string
	steps  []v1alpha1.Step
}

// run waits for one hop after the other. A hop that does not come is an answer, not an error.
func (t *conditionDrill) run(ctx context.Context) error {
	held := drillcondition.Condition{Client: t.objects, Node: v1alpha1.NodeReference{Name: t.node.Name, UID: t.node.UID}, Condition: t.condition()}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if err := held.Restore(ctx); err != nil {
			terminal.WriteLine(t.ErrOut, t.Say.Say(sentence.DrillNotPutBack(t.Condition, "node/"+t.Node, err.Error())))
		}
	}()
	if _, err := held.Set(ctx); err != nil {
		return t.failed(ctx, err)
	}
	t.raised = t.Clock.Now()
	t.pass(HopRaise, v1alpha1.StepDetect, t.Say.Say(sentence.DrillRaisedSays(t.Condition, string(t.expected.Status), t.Reason)))
	if err := t.holdCondition(ctx, &held); err != nil || t.answer.FailedAt != "" {
		return err
	}
	// The machine was acted on: with the condition the node would not become healthy.
	if err := held.Restore(ctx); err != nil {
		return t.failed(ctx, err)
	}
	return t.verify(ctx)
}

func (t *conditionDrill) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exit.Failure(sentence.ErrInterrupted())
	}
	return exit.Talking(t.objects.Host, err)
}

// condition is the condition to set. Its message says that it is a drill.
func (t *conditionDrill) condition() corev1.NodeCondition {
	now := metav1.NewTime(t.Clock.Now())
	return corev1.NodeCondition{
		Type: corev1.NodeConditionType(t.Condition), Status: corev1.ConditionStatus(t.expected.Status), Reason: t.Reason,
		Message:           message.English().Say(sentence.DrillMark(now.UTC().Format(time.RFC3339))),
		LastHeartbeatTime: now, LastTransitionTime: now,
	}
}

// holdCondition keeps the condition set until the machine is acted on, or the repairer's time is over.
func (t *conditionDrill) holdCondition(ctx context.Context, held *drillcondition.Condition) error {
	progress := output.NewProgress(t.ErrOut)
	defer progress.End()
	ticker := t.Clock.NewTicker(conditionPollInterval)
	defer ticker.Stop()
	waited := false
	for {
		now := t.Clock.Now()
		since := now.Sub(t.raised)
		if !waited && since >= t.wait {
			waited = true
			t.pass(HopWait, v1alpha1.StepWait, t.Say.Say(sentence.DrillWaited(duration.HumanDuration(t.wait))))
		}
		acted, err := t.observe(ctx)
		switch {
		case err != nil:
			return t.failed(ctx, err)
		case acted != "":
			t.acted = now
			t.pass(HopAction, v1alpha1.StepAct, acted)
			return nil
		case since >= t.wait+t.Margin:
			return t.explainMissing(ctx)
		}
		progress.Show(t.Say.Say(sentence.DrillHolding(duration.HumanDuration(since), duration.HumanDuration(t.wait+t.Margin))), int(since), int(t.wait+t.Margin))
		again, err := held.Set(ctx)
		if errors.Is(err, drillcondition.ErrNodeGone) {
			continue // The next look tells what became of it.
		}
		if err != nil {
			return t.failed(ctx, err)
		}
		if again {
			t.resets++
		}
		if now.Sub(held.Condition.LastHeartbeatTime.Time) >= heartbeatInterval {
			since := held.Condition.LastTransitionTime
			held.Condition = t.condition()
			held.Condition.LastTransitionTime = since
			if _, err := held.Set(ctx); err != nil && !errors.Is(err, drillcondition.ErrNodeGone) {
				return t.failed(ctx, err)
			}
		}
		select {
		case <-ctx.Done():
			return exit.Failure(sentence.ErrInterrupted())
		case <-ticker.C():
		}
	}
}

func (t *conditionDrill) pass(name HopName, step v1alpha1.StepName, says string) {
	now, before := t.Clock.Now(), t.began
	if n := len(t.answer.Hops); n > 0 {
		before = t.answer.Hops[n-1].At.Time
	}
	hop := Hop{name, metav1.NewMicroTime(now), now.Sub(before).Round(time.Millisecond).String(), says}
	t.answer.Hops = append(t.answer.Hops, hop)
	ended := metav1.NewMicroTime(now)
	t.steps = append(t.steps, v1alpha1.Step{Name: step, StartedAt: metav1.NewMicroTime(before), EndedAt: &ended, Result: v1alpha1.StepDone, Message: says})
	t.page.hop(hop)
}

// record records the result in the drill's Remediation, as a proof for check.
func (t *conditionDrill) record(ctx context.Context, r *v1alpha1.Remediation) {
	status, reason, text := metav1.ConditionTrue, v1alpha1.RemediationDrillPassedReason, message.English().Say(sentence.DrillThrough(true, ""))
	if t.answer.FailedAt != "" {
		status, reason = metav1.ConditionFalse, v1alpha1.RemediationDrillFailedReason
		text = message.English().Say(sentence.DrillFailedAt(string(t.answer.FailedAt), t.answer.Message))
	}
	err := t.end(ctx, r, status, reason, text, func(s *v1alpha1.RemediationStatus) {
		s.Match, s.Steps = t.expected.match, t.steps
	})
	if err != nil {
		terminal.WriteLine(t.ErrOut, t.Say.Say(sentence.DrillNotWritten(err.Error())))
	}
}

// explainMissing names the hop that did not come, by naosu's Remediation of the node, or by signs on the node.
func (t *conditionDrill) explainMissing(ctx context.Context) error {
	t.answer.FailedAt = HopAction
	by, held := t.expected.By, duration.HumanDuration(t.Clock.Now().Sub(t.raised))
	t.answer.Message = t.Say.Say(sentence.DrillNeverHappened(held, by, t.sign, t.resets))
	if !strings.HasPrefix(t.expected.By, "noderepairpolicy/") {
		return nil
	}
	var all v1alpha1.RemediationList
	if err := t.objects.List(ctx, &all); err != nil {
		return t.failed(ctx, err)
	}
	made := slices.IndexFunc(all.Items, func(r v1alpha1.Remediation) bool {
		return r.Spec.Drill == nil && r.Spec.Node.UID == t.node.UID && !r.CreationTimestamp.Time.Before(t.raised.Add(-time.Second))
	})
	if made < 0 {
		t.answer.FailedAt, t.answer.Message = HopController, t.Say.Say(sentence.DrillNotProposed(held, by, t.resets, t.sign))
		return nil
	}
	r := &all.Items[made]
	if began := slices.ContainsFunc(r.Status.Steps, func(s v1alpha1.Step) bool { return s.Name == v1alpha1.StepAct }); !began {
		t.answer.FailedAt = HopGuard
		t.answer.Message = t.Say.Say(sentence.DrillHeldBack(by, "remediation/"+r.Name, string(r.Status.Phase), held, heldMessage(r), t.resets, t.sign))
	}
	return nil
}

// heldMessage is why a Remediation does not continue.
func heldMessage(r *v1alpha1.Remediation) string {
	for _, c := range r.Status.Conditions {
		if c.Type == v1alpha1.RemediationAllowed && c.Status != metav1.ConditionTrue || c.Type == v1alpha1.RemediationSucceeded {
			return c.Message
		}
	}
	return ""
}

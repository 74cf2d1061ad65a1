package noderepair

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// agentTimeout is how long a drill waits for the node's agent; the command that created it waits less.
const agentTimeout = 5 * time.Minute

// drill passes the evidence that an agent made up through the steps of a real repair, up to the action, which is not performed, and
// records each step. A drill that sets a real condition is run by the command that created it.
func (c *Reconciler) drill(ctx context.Context, r *v1alpha1.Remediation) (time.Duration, error) {
	if r.Spec.Drill.Depth == v1alpha1.DrillRaised {
		return 0, nil
	}
	d := &drillRun{clock: c.Clock.Now, r: r}
	switch agent := r.Status.Agent; {
	case agent != nil && agent.Evidence != nil:
		c.runDrill(ctx, d, *agent)
	case agent != nil && (agent.State == v1alpha1.AgentFailed || agent.State == v1alpha1.AgentRefused):
		d.began = r.CreationTimestamp.Time
		d.fail(v1alpha1.StepDetect, sentence.DrillNotRun(agent.Message))
	default:
		if left := r.CreationTimestamp.Add(agentTimeout).Sub(c.Clock.Now()); left > 0 {
			return left, nil
		}
		d.began = r.CreationTimestamp.Time
		d.fail(v1alpha1.StepDetect, sentence.DrillSilent("node/"+r.Spec.Node.Name, agentTimeout.String()))
	}
	_, err := c.Records.UpdateStatus(ctx, r, d.writeStatus)
	return 0, err
}

// runDrill runs the steps until one fails.
func (c *Reconciler) runDrill(ctx context.Context, d *drillRun, agent v1alpha1.AgentReport) {
	d.recordDetection(agent)
	world := c.World()
	known := guard.Fact[ledger.Ledger]{}
	if read, err := c.Records.ReadLedger(ctx); err == nil {
		known = guard.Known(read.Ledger, c.Clock.Now())
	}
	node, err := nodeOf(world, d.r)
	if err != nil {
		d.fail(v1alpha1.StepMatch, sentence.DrillNoNode("node/"+d.r.Spec.Node.Name))
		return
	}
	policy := c.matchRule(ctx, d, node, *agent.Evidence, known.Value)
	if policy == nil {
		return
	}
	real := d.realRemediation(node, *agent.Evidence)
	outcome, err := c.forecasts.forecast(ctx, world, real, node, known.Value)
	if err != nil {
		d.fail(v1alpha1.StepAssess, sentence.DrillUnplayed(err.Error()))
		return
	}
	if d.forecast, err = c.performer().Forecast(ctx, outcome); err != nil {
		d.fail(v1alpha1.StepAssess, sentence.DrillUnplayed(err.Error()))
		return
	}
	d.pass(v1alpha1.StepAssess, sentence.DrillAssessed(len(outcome.Fates)))
	ruling, err := c.CheckGuard(ctx, real, policy, outcome, known)
	if err != nil {
		d.fail(v1alpha1.StepGuard, sentence.DrillUnplayed(err.Error()))
		return
	}
	if d.checkRuling(ruling) {
		c.dryRun(ctx, d, node)
	}
}

// matchRule finds the rule that the evidence meets, of the policies that select the node, and the action that the escalation has come
// to by the ledger. It returns the policy, nil if there is none.
func (c *Reconciler) matchRule(ctx context.Context, d *drillRun, node *corev1.Node, evidence v1alpha1.Evidence, l ledger.Ledger) *v1alpha1.NodeRepairPolicy {
	own, err := c.objects(ctx)
	if err != nil {
		d.fail(v1alpha1.StepMatch, sentence.DrillUnplayed(err.Error()))
		return nil
	}
	slices.SortFunc(own.policies, func(a, b v1alpha1.NodeRepairPolicy) int { return strings.Compare(a.Name, b.Name) })
	why := sentence.DrillNoPolicy("node/" + node.Name)
	for i := range own.policies {
		policy := &own.policies[i]
		if len(repairpolicy.Selected(policy, []*corev1.Node{node})) == 0 {
			continue
		}
		found, met := repairpolicy.MatchLasting(policy.Spec.Rules, evidence)
		if !met {
			why = sentence.DrillNoRule(evidence.Condition, string(evidence.Status), evidence.Reason)
			continue
		}
		action := found.Rule.Action
		if action != v1alpha1.ActionNone {
			action = repairpolicy.NextAction(&policy.Spec, action, repairpolicy.MachineOf(node), l, c.Clock.Now())
		}
		d.setMatch(policy, found.Rule, action)
		if action == v1alpha1.ActionNone {
			d.fail(v1alpha1.StepMatch, sentence.DrillNone(found.Rule.Name, policy.Name))
			return nil
		}
		d.pass(v1alpha1.StepMatch, sentence.DrillMatched(found.Rule.Name, policy.Name, string(action), found.Rule.For.Duration.String()))
		return policy
	}
	d.fail(v1alpha1.StepMatch, why)
	return nil
}

// dryRun asks the actuator whether it would permit the action.
func (c *Reconciler) dryRun(ctx context.Context, d *drillRun, node *corev1.Node) {
	action := d.match.Action()
	asked := c.actuators(action, []*corev1.Node{node})[0]
	told := c.askPermission(ctx, action, asked)[0]

	d.actuator = asked.name
	switch told.may {
	case v1alpha1.MayYes:
		d.pass(v1alpha1.StepAct, sentence.DrillWouldAct(string(action), asked.name, told.why))
	case v1alpha1.MayNo:
		d.fail(v1alpha1.StepAct, sentence.DrillMayNot(string(action), asked.name, told.why))
	default:
		d.skip(v1alpha1.StepAct, sentence.DrillNotProven(string(action), asked.name, told.why))
	}
}

// drillRun is the progress of a drill, before it is recorded.
type drillRun struct {
	clock func() time.Time
	r     *v1alpha1.Remediation

	began    time.Time
	steps    []v1alpha1.Step
	match    v1alpha1.Match
	forecast *v1alpha1.Forecast
	verdicts []v1alpha1.Verdict
	actuator string
	failed   bool
}

// recordDetection records the agent's step, by the times that it reports.
func (d *drillRun) recordDetection(agent v1alpha1.AgentReport) {
	d.began = d.r.CreationTimestamp.Time
	if len(agent.Hops) > 0 && agent.Hops[0].At.After(d.began) {
		d.began = agent.Hops[0].At.Time
	}
	d.pass(v1alpha1.StepDetect, sentence.DrillSeen(agent.Evidence.Condition, agent.Evidence.Reason))
}

func (d *drillRun) setMatch(policy *v1alpha1.NodeRepairPolicy, rule v1alpha1.RepairRule, action v1alpha1.Action) {
	d.match = v1alpha1.Match{
		Policy: policy.Reference(rule.Name), Generation: policy.Generation, Plan: repairpolicy.PlanOf(rule, action),
	}
}

// realRemediation is the Remediation that would be proposed for real evidence.
func (d *drillRun) realRemediation(node *corev1.Node, evidence v1alpha1.Evidence) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: d.r.Name},
		Spec: v1alpha1.RemediationSpec{
			Policy: d.match.Policy, Node: v1alpha1.NodeReference{Name: node.Name, UID: node.UID, ProviderID: node.Spec.ProviderID},
			Evidence: evidence, Plan: d.match.Plan,
		},
	}
}

// checkRuling records the guard's verdicts and says whether the drill continues. A permanent verdict fails the drill, since no repair
// would follow. So does an unknown fact: a repair would wait for that fact too. Other delays pass, and are listed.
func (d *drillRun) checkRuling(ruling guard.Ruling) bool {
	d.verdicts = action.VerdictsOf(ruling, nil, d.clock())
	permanent := ruling.Named
	if at := slices.IndexFunc(ruling.All, func(v guard.Named) bool { return v.Permanent() }); at >= 0 {
		permanent = ruling.All[at]
	}
	unknown := slices.IndexFunc(ruling.All, func(v guard.Named) bool { return v.Reason == guard.Unknown })
	switch {
	case permanent.Permanent():
		d.fail(v1alpha1.StepGuard, sentence.DrillDenied(permanent.Check, permanent.Message))
		return false
	case unknown >= 0:
		d.fail(v1alpha1.StepGuard, sentence.DrillUnjudged(ruling.All[unknown].Check, ruling.All[unknown].Message))
		return false
	case ruling.Decision == guard.Allow:
		d.pass(v1alpha1.StepGuard, sentence.DrillAllowed())
		return true
	}
	var held message.List
	for _, by := range ruling.All {
		if by.Decision != guard.Allow {
			held = append(held, sentence.DrillHeldBy(by.Check, by.Message))
		}
	}
	d.pass(v1alpha1.StepGuard, sentence.DrillHeld(held))
	return true
}

func (d *drillRun) pass(name v1alpha1.StepName, said message.Sentence) {
	d.step(name, v1alpha1.StepDone, said)
}

func (d *drillRun) skip(name v1alpha1.StepName, said message.Sentence) {
	d.step(name, v1alpha1.StepSkipped, said)
}

func (d *drillRun) fail(name v1alpha1.StepName, said message.Sentence) {
	d.step(name, v1alpha1.StepFailed, said)
	d.failed = true
}

// step records a step that ended now and began when the one before it ended.
func (d *drillRun) step(name v1alpha1.StepName, result v1alpha1.StepResult, said message.Sentence) {
	now := d.clock()
	if now.Before(d.began) { // The agent's clock is ahead.
		now = d.began
	}
	d.steps = append(d.steps, v1alpha1.Step{
		Name: name, StartedAt: metav1.NewMicroTime(d.began), EndedAt: new(metav1.NewMicroTime(now)), Result: result,
		Message: truncateStep(message.English().Say(said)), Actuator: d.actuator,
	})
	d.began = now
}

// writeStatus writes the result of the drill and ends it.
func (d *drillRun) writeStatus(s *v1alpha1.RemediationStatus) {
	s.Phase, s.ObservedGeneration, s.Steps = v1alpha1.PhaseEnded, d.r.Generation, d.steps
	s.Forecast, s.Verdicts = d.forecast, d.verdicts
	if d.match.Policy.Name != "" {
		s.Match = &d.match
	}
	last := d.steps[len(d.steps)-1]
	end := metav1.Condition{
		Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.RemediationDrillPassedReason, ObservedGeneration: d.r.Generation,
		LastTransitionTime: metav1.NewTime(d.clock()), Message: message.English().Say(sentence.DrillPassed()),
	}
	if d.failed {
		end.Status, end.Reason = metav1.ConditionFalse, v1alpha1.RemediationDrillFailedReason
		end.Message = message.English().Say(sentence.DrillFailed(string(last.Name), last.Message))
	}
	s.Conditions = []metav1.Condition{end}
}

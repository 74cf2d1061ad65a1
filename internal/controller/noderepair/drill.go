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
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// agentPatience is how long a drill waits for the node's agent; whoever asked for it waits less.
const agentPatience = 5 * time.Minute

// drill takes the evidence that an agent made up for a drill the way that real evidence goes, up to the action, which is
// not done, and writes down each link that it passed. One that raises a real condition is its maker's own affair.
func (c *Concern) drill(ctx context.Context, r *v1alpha1.Remediation) (time.Duration, error) {
	if r.Spec.Drill.Depth == v1alpha1.DrillRaised {
		return 0, nil
	}
	d := &drilled{clock: c.Clock.Now, r: r}
	switch agent := r.Status.Agent; {
	case agent != nil && agent.Evidence != nil:
		c.follow(ctx, d, *agent)
	case agent != nil && (agent.State == v1alpha1.AgentFailed || agent.State == v1alpha1.AgentRefused):
		d.began = r.CreationTimestamp.Time
		d.cut(v1alpha1.StepDetect, message.Of(message.DrillFailed, message.Args{"words": agent.Message}))
	default:
		if left := r.CreationTimestamp.Add(agentPatience).Sub(c.Clock.Now()); left > 0 {
			return left, nil
		}
		d.began = r.CreationTimestamp.Time
		d.cut(v1alpha1.StepDetect, message.Of(message.DrillSilent, message.Args{"node": "node/" + r.Spec.Node.Name, "after": agentPatience.String()}))
	}
	_, err := c.Records.UpdateStatus(ctx, r, d.write)
	return 0, err
}

// follow goes from link to link until one is cut.
func (c *Concern) follow(ctx context.Context, d *drilled, agent v1alpha1.AgentReport) {
	d.detected(agent)
	world := c.World()
	known := guard.Fact[ledger.Ledger]{}
	if read, err := c.Records.ReadLedger(ctx); err == nil {
		known = guard.Known(read.Ledger, c.Clock.Now())
	}
	node, err := nodeOf(world, d.r)
	if err != nil {
		d.cut(v1alpha1.StepMatch, message.Of(message.DrillNoNode, message.Args{"node": "node/" + d.r.Spec.Node.Name}))
		return
	}
	policy := c.match(ctx, d, node, *agent.Evidence, known.Value)
	if policy == nil {
		return
	}
	real := d.asReal(node, *agent.Evidence)
	outcome, err := c.forecasts.of(ctx, world, real, node, known.Value)
	if err != nil {
		d.cut(v1alpha1.StepAssess, message.Of(message.DrillUnplayed, message.Args{"words": err.Error()}))
		return
	}
	if d.forecast, err = c.performer().Forecast(ctx, outcome); err != nil {
		d.cut(v1alpha1.StepAssess, message.Of(message.DrillUnplayed, message.Args{"words": err.Error()}))
		return
	}
	d.pass(v1alpha1.StepAssess, message.Of(message.DrillAssessed, message.Args{"n": len(outcome.Fates)}))
	ruling, err := c.CheckGuard(ctx, real, policy, outcome, known)
	if err != nil {
		d.cut(v1alpha1.StepGuard, message.Of(message.DrillUnplayed, message.Args{"words": err.Error()}))
		return
	}
	if d.ruled(ruling) {
		c.dryRun(ctx, d, node)
	}
}

// match finds the rule that the evidence meets, of the policies that select the node, and the step of its ladder that would be
// proposed by what the ledger remembers of the node.
func (c *Concern) match(ctx context.Context, d *drilled, node *corev1.Node, evidence v1alpha1.Evidence, l ledger.Ledger) *v1alpha1.NodeRepairPolicy {
	own, err := c.objects(ctx)
	if err != nil {
		d.cut(v1alpha1.StepMatch, message.Of(message.DrillUnplayed, message.Args{"words": err.Error()}))
		return nil
	}
	slices.SortFunc(own.policies, func(a, b v1alpha1.NodeRepairPolicy) int { return strings.Compare(a.Name, b.Name) })
	why := message.Of(message.DrillNoPolicy, message.Args{"node": "node/" + node.Name})
	for i := range own.policies {
		policy := &own.policies[i]
		if len(repairpolicy.Selected(policy, []*corev1.Node{node})) == 0 {
			continue
		}
		found, met := repairpolicy.Would(policy.Spec.Rules, evidence)
		if !met {
			why = message.Of(message.DrillNoRule, message.Args{"condition": evidence.Condition, "status": string(evidence.Status), "reason": evidence.Reason})
			continue
		}
		action := found.Rule.Action
		if action != v1alpha1.ActionNone {
			action = repairpolicy.NextAction(&policy.Spec, action, repairpolicy.MachineOf(node), l, c.Clock.Now())
		}
		d.met(policy, found.Rule, action)
		if action == v1alpha1.ActionNone {
			d.cut(v1alpha1.StepMatch, message.Of(message.DrillNone, message.Args{"policy": policy.Name, "rule": found.Rule.Name}))
			return nil
		}
		d.pass(v1alpha1.StepMatch, message.Of(message.DrillMatched, message.Args{
			"policy": policy.Name, "rule": found.Rule.Name, "action": string(action), "after": found.Rule.For.Duration.String(),
		}))
		return policy
	}
	d.cut(v1alpha1.StepMatch, why)
	return nil
}

// dryRun asks whoever would be asked whether the action may be taken.
func (c *Concern) dryRun(ctx context.Context, d *drilled, node *corev1.Node) {
	action := d.match.Action()
	asked := c.actuators(action, []*corev1.Node{node})[0]
	told := c.ask(ctx, action, asked)[0]
	about := message.Args{"actuator": asked.name, "action": string(action), "why": told.why}
	d.actuator = asked.name
	switch told.may {
	case v1alpha1.MayYes:
		d.pass(v1alpha1.StepAct, message.Of(message.DrillWouldAct, about))
	case v1alpha1.MayNo:
		d.cut(v1alpha1.StepAct, message.Of(message.DrillMayNot, about))
	default:
		d.skip(v1alpha1.StepAct, message.Of(message.DrillNotProven, about))
	}
}

// drilled is how far a drill has come, before it is written down.
type drilled struct {
	clock func() time.Time
	r     *v1alpha1.Remediation

	began    time.Time
	steps    []v1alpha1.Step
	match    v1alpha1.Match
	forecast *v1alpha1.Forecast
	verdicts []v1alpha1.Verdict
	actuator string
	isCut    bool
}

// detected is the agent's part, by the times that it gives.
func (d *drilled) detected(agent v1alpha1.AgentReport) {
	d.began = d.r.CreationTimestamp.Time
	if len(agent.Hops) > 0 && agent.Hops[0].At.After(d.began) {
		d.began = agent.Hops[0].At.Time
	}
	d.pass(v1alpha1.StepDetect, message.Of(message.DrillSeen, message.Args{"condition": agent.Evidence.Condition, "reason": agent.Evidence.Reason}))
}

func (d *drilled) met(policy *v1alpha1.NodeRepairPolicy, rule v1alpha1.RepairRule, action v1alpha1.Action) {
	d.match = v1alpha1.Match{
		Policy: policy.Reference(rule.Name), Generation: policy.Generation, Plan: repairpolicy.PlanOf(rule, action),
	}
}

// asReal is the Remediation that real evidence would have led to.
func (d *drilled) asReal(node *corev1.Node, evidence v1alpha1.Evidence) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: d.r.Name},
		Spec: v1alpha1.RemediationSpec{
			Policy: d.match.Policy, Node: v1alpha1.NodeReference{Name: node.Name, UID: node.UID, ProviderID: node.Spec.ProviderID},
			Evidence: evidence, Plan: d.match.Plan,
		},
	}
}

// ruled notes what the guard says. What waiting does not change cuts the chain, since no repair would come. So does that the guard
// has no verdict, because a fact cannot be known: a repair would wait for that fact too. Delays that pass cut nothing, for it is
// the chain that is drilled, and all of them are said.
func (d *drilled) ruled(ruling guard.Ruling) bool {
	d.verdicts = action.VerdictsOf(ruling, nil, d.clock())
	about := func(by guard.Named) message.Args {
		return message.Args{"check": by.Check, "why": message.English().Say(by.Message)}
	}
	permanent := ruling.Named
	if at := slices.IndexFunc(ruling.All, func(v guard.Named) bool { return v.Permanent() }); at >= 0 {
		permanent = ruling.All[at]
	}
	unknown := slices.IndexFunc(ruling.All, func(v guard.Named) bool { return v.Reason == guard.Unknown })
	switch {
	case permanent.Permanent():
		d.cut(v1alpha1.StepGuard, message.Of(message.DrillDenied, about(permanent)))
		return false
	case unknown >= 0:
		d.cut(v1alpha1.StepGuard, message.Of(message.DrillUnjudged, about(ruling.All[unknown])))
		return false
	case ruling.Decision == guard.Allow:
		d.pass(v1alpha1.StepGuard, message.Of(message.DrillAllowed, nil))
		return true
	}
	var held []message.Args
	for _, by := range ruling.All {
		if by.Decision != guard.Allow {
			held = append(held, about(by))
		}
	}
	d.pass(v1alpha1.StepGuard, message.Of(message.DrillHeld, message.Args{"held": held}))
	return true
}

func (d *drilled) pass(name v1alpha1.StepName, said message.Sentence) {
	d.step(name, v1alpha1.StepDone, said)
}

func (d *drilled) skip(name v1alpha1.StepName, said message.Sentence) {
	d.step(name, v1alpha1.StepSkipped, said)
}

func (d *drilled) cut(name v1alpha1.StepName, said message.Sentence) {
	d.step(name, v1alpha1.StepFailed, said)
	d.isCut = true
}

// step notes a link that ended now and began when the one before it ended.
func (d *drilled) step(name v1alpha1.StepName, result v1alpha1.StepResult, said message.Sentence) {
	now := d.clock()
	if now.Before(d.began) { // The agent's clock is ahead.
		now = d.began
	}
	d.steps = append(d.steps, v1alpha1.Step{
		Name: name, StartedAt: metav1.NewMicroTime(d.began), EndedAt: new(metav1.NewMicroTime(now)), Result: result,
		Message: cut(message.English().Say(said)), Actuator: d.actuator,
	})
	d.began = now
}

// write ends the drill.
func (d *drilled) write(s *v1alpha1.RemediationStatus) {
	s.Phase, s.ObservedGeneration, s.Steps = v1alpha1.PhaseEnded, d.r.Generation, d.steps
	s.Forecast, s.Verdicts = d.forecast, d.verdicts
	if d.match.Policy.Name != "" {
		s.Match = &d.match
	}
	last := d.steps[len(d.steps)-1]
	end := metav1.Condition{
		Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.RemediationDrillPassedReason, ObservedGeneration: d.r.Generation,
		LastTransitionTime: metav1.NewTime(d.clock()), Message: message.English().Text(message.DrillPassed, nil),
	}
	if d.isCut {
		end.Status, end.Reason = metav1.ConditionFalse, v1alpha1.RemediationDrillCutReason
		end.Message = message.English().Text(message.DrillCut, message.Args{"step": string(last.Name), "why": last.Message})
	}
	s.Conditions = []metav1.Condition{end}
}

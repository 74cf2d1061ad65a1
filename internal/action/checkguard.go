package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// checkGuard simulates the action, runs the guard's checks, and starts if they allow: an entry is reserved in the very ledger that the
// guard read, and only then the first step is recorded. A controller that takes over in between finds the entry reserved for this
// Remediation, and runs the checks again.
func (p *Performer) checkGuard(ctx context.Context, r *v1alpha1.Remediation, s observation) (again time.Duration, err error) {
	began := p.Clock.Now()
	read, unread := p.Records.ReadLedger(ctx)
	var known guard.Fact[ledger.Ledger]
	if unread == nil {
		counted, err := p.withRunningRemediations(ctx, read.Ledger)
		if err != nil {
			return 0, err
		}
		known = guard.Known(counted, p.Clock.Now())
	}
	outcome, err := p.Advisor.Assess(ctx, r, known)
	if err != nil {
		return 0, fmt.Errorf("assess %s: %w", r.Name, err)
	}
	forecast, err := p.Forecast(ctx, outcome)
	if err != nil {
		return 0, err
	}
	ruling, err := p.Advisor.CheckGuard(ctx, r, s.policy, outcome, known)
	if err != nil {
		return 0, fmt.Errorf("ask the guard about %s: %w", r.Name, err)
	}
	ruling = p.withPermissionVerdict(ctx, withActuatorVerdict(ruling, r, s.offered), r, s)
	if unread != nil {
		ruling.Named = unknownLedger
	}
	assessed := func(status *v1alpha1.RemediationStatus) {
		status.Forecast = forecast
		status.Verdicts = VerdictsOf(ruling, r.Status.Verdicts, p.Clock.Now())
		setAllowedCondition(status, ruling, p.Clock.Now())
		status.Steps = initialSteps(began, p.Clock.Now(), ruling)
	}
	if ruling.Decision == guard.Allow {
		return 0, p.start(ctx, r, s, read, assessed)
	}
	if _, reserved := read.Ongoing(ledger.HolderOf(r)); reserved {
		if err := p.Records.WriteLedger(ctx, read, read.Release(ledger.HolderOf(r))); err != nil {
			return 0, err
		}
	}
	if needsUpdate(r, ruling, forecast, p.Clock.Now()) {
		if _, err := p.write(ctx, r, transition{}, assessed, func(status *v1alpha1.RemediationStatus) { status.Phase = phaseOf(ruling) }); err != nil {
			return 0, errors.Join(unread, err)
		}
	}
	if ruling.Decision == guard.Delay {
		return max(ruling.RetryAfter, time.Second), unread
	}
	return guardRetryInterval, unread
}

// start reserves an entry in the ledger that the guard read, and records the first step.
func (p *Performer) start(ctx context.Context, r *v1alpha1.Remediation, s observation, read record.Ledger, assessed func(*v1alpha1.RemediationStatus)) error {
	entry := p.entry(r, s)
	entry.ConsecutiveReplacements = consecutiveReplacements(read.Ledger, entry, r, s)
	if err := p.Records.WriteLedger(ctx, read, read.Reserve(entry)); err != nil {
		return err
	}
	first := v1alpha1.Step{Name: v1alpha1.StepCordon, StartedAt: metav1.NewMicroTime(p.Clock.Now())}
	if r.Spec.Action() == v1alpha1.ActionRestartService {
		first.Name, first.Actuator, first.Preexisting = v1alpha1.StepAct, agentActuator, preexisting(r, s)
	}
	_, err := p.write(ctx, r, transition{}, assessed, func(status *v1alpha1.RemediationStatus) {
		status.Phase = v1alpha1.PhaseRunning
		status.Steps = append(status.Steps, first)
	})
	return err
}

// The verdicts where the ledger cannot be read, or the guard's checks cannot run.
var unknownLedger, unknownGuard = unknown("ledger"), unknown("guard")

func unknown(fact string) guard.Named {
	return guard.Named{Check: "fresh", Verdict: guard.Verdict{
		Decision: guard.Delay, Reason: guard.Unknown, RetryAfter: time.Minute, Message: sentence.GuardUnknown(fact),
	}}
}

// agentActuator is the actuator that restarts services.
const agentActuator = "agent"

// withRunningRemediations is a ledger with entries of the Remediations that run and have none, as after the ledger was deleted, so that
// budgets count them. It is never written: a Remediation whose status was forged would get a reservation by it.
func (p *Performer) withRunningRemediations(ctx context.Context, l ledger.Ledger) (ledger.Ledger, error) {
	var all v1alpha1.RemediationList
	if err := p.Client.List(ctx, &all); err != nil {
		return l, fmt.Errorf("list Remediations: %w", err)
	}
	for i := range all.Items {
		r := &all.Items[i]
		if r.Status.Phase != v1alpha1.PhaseRunning || r.Spec.Drill != nil || r.Spec.Node.Name == "" {
			continue
		}
		node, err := p.node(ctx, r.Spec.Node.Name)
		if err != nil {
			return l, err
		}
		l = l.Reserve(p.entry(r, observation{node: node}))
	}
	return l, nil
}

// entry is the ledger entry of a Remediation.
func (p *Performer) entry(r *v1alpha1.Remediation, s observation) ledger.Entry {
	of := r.Spec.Node
	e := ledger.Entry{Remediation: r.Name, UID: r.UID, Node: of.Name, NodeUID: of.UID, ProviderID: of.ProviderID, Action: r.Spec.Action(), Began: p.Clock.Now()}
	if s.node != nil {
		e.Zone, e.Group = cluster.Zone(s.node), cluster.GroupName(s.node)
	}
	if s.node != nil && s.node.UID == of.UID {
		e.ProviderID, e.Image = s.node.Spec.ProviderID, cluster.MachineImage(s.node)
	}
	return e
}

// consecutiveReplacements is how many replacements have led to the one that is to start.
func consecutiveReplacements(l ledger.Ledger, e ledger.Entry, r *v1alpha1.Remediation, s observation) int {
	if e.Action != v1alpha1.ActionReplace {
		return 0
	}
	node := ledger.Node{
		Machine: e.Machine(), Group: e.Group, Image: e.Image,
		Created: s.node.CreationTimestamp.Time, UnhealthySince: repairpolicy.UnhealthySince(s.node, r.Spec.Evidence, s.now),
	}
	return l.ConsecutiveReplacements(node, repairpolicy.RememberFailure(&s.policy.Spec))
}

// NoActuator is the reason of the condition Allowed where no actuator offers the action.
const NoActuator guard.Reason = "NoActuator"

// actuatorCheck is the name of the verdict on the actuator.
const actuatorCheck = "actuator"

// withActuatorVerdict adds to the guard's verdicts whether an actuator offers the action: no pod is evicted for one that cannot follow.
func withActuatorVerdict(ruling guard.Ruling, r *v1alpha1.Remediation, offered bool) guard.Ruling {
	verdict := guard.Named{Check: actuatorCheck, Verdict: guard.Verdict{Decision: guard.Allow}}
	if !offered {
		verdict.Verdict = guard.Verdict{
			Decision: guard.Deny, Reason: NoActuator,
			Message: sentence.ActionNoActuator(string(r.Spec.Action()), nodeOf(r)),
		}
	}
	ruling.All = append(slices.Clone(ruling.All), verdict)
	if !offered && ruling.Decision != guard.Deny {
		ruling.Named = verdict
	}
	return ruling
}

// withPermissionVerdict denies what a ruling allows if the provider's dry run refuses the action on this machine: no pod is evicted for
// what is refused then. A policy's status has the answer for one machine of each kind only. Clouds limit requests, so that it is asked
// when all checks allow. An answer other than No denies nothing.
func (p *Performer) withPermissionVerdict(ctx context.Context, ruling guard.Ruling, r *v1alpha1.Remediation, s observation) guard.Ruling {
	provider, _ := p.provider(r, s.node)
	permitter, asks := provider.(cloud.Permitter)
	if ruling.Decision != guard.Allow || !asks {
		return ruling
	}
	told, err := permitter.May(ctx, r.Spec.Action(), cloud.MachineOf(s.node))
	if err != nil || told.May != v1alpha1.MayNo {
		return ruling
	}
	verdict := guard.Named{Check: actuatorCheck, Verdict: guard.Verdict{Decision: guard.Deny, Reason: guard.ActionRefused, Message: told.Why}}
	ruling.All = slices.Clone(ruling.All)
	for i := range ruling.All {
		if ruling.All[i].Check == actuatorCheck {
			ruling.All[i] = verdict
		}
	}
	ruling.Named = verdict
	return ruling
}

// initialSteps are the steps before the first that changes anything. While the guard does not allow, its step has not ended.
func initialSteps(began, now time.Time, ruling guard.Ruling) []v1alpha1.Step {
	at := metav1.NewMicroTime(now)
	steps := []v1alpha1.Step{
		{Name: v1alpha1.StepAssess, StartedAt: metav1.NewMicroTime(began), EndedAt: &at, Result: v1alpha1.StepDone},
		{Name: v1alpha1.StepGuard, StartedAt: at},
	}
	if ruling.Decision == guard.Allow {
		steps[1].EndedAt, steps[1].Result = &at, v1alpha1.StepDone
	}
	return steps
}

// VerdictsOf are the guard's verdicts as a Remediation records them; a verdict that has not changed keeps its time.
func VerdictsOf(ruling guard.Ruling, before []v1alpha1.Verdict, now time.Time) []v1alpha1.Verdict {
	var all []v1alpha1.Verdict
	for _, n := range ruling.All {
		v := v1alpha1.Verdict{
			Check: n.Check, Decision: v1alpha1.Decision(n.Decision.String()), Reason: string(n.Reason), Message: englishText(n.Message), Since: metav1.NewTime(now),
		}
		for _, b := range before {
			if sameVerdict(v, b) {
				v.Since = b.Since
			}
		}
		all = append(all, v)
	}
	return all
}

func sameVerdict(a, b v1alpha1.Verdict) bool {
	return a.Check == b.Check && a.Decision == b.Decision && a.Reason == b.Reason
}

// setAllowedCondition sets the condition Allowed.
func setAllowedCondition(status *v1alpha1.RemediationStatus, ruling guard.Ruling, now time.Time) {
	if ruling.Decision == guard.Allow {
		setCondition(status, v1alpha1.RemediationAllowed, metav1.ConditionTrue, "Allowed", englishText(sentence.ActionAllowed()), now)
		return
	}
	setCondition(status, v1alpha1.RemediationAllowed, metav1.ConditionFalse, reasonOf(ruling), englishText(ruling.Message), now)
}

// reasonOf is the reason of the guard's decision, or Unknown where it is empty: a condition must have one.
func reasonOf(ruling guard.Ruling) string {
	if ruling.Reason == "" {
		return string(guard.Unknown)
	}
	return string(ruling.Reason)
}

// phaseOf is the phase of a Remediation that is not allowed: Waiting if time alone may change that, and Proposed if a person must.
func phaseOf(ruling guard.Ruling) v1alpha1.Phase {
	for _, v := range ruling.All {
		if v.Decision == guard.Deny || v.Reason == guard.AwaitingApproval {
			return v1alpha1.PhaseProposed
		}
	}
	return v1alpha1.PhaseWaiting
}

// needsUpdate says whether verdicts are to be recorded again. Where only times have changed they are not, for guardRetryInterval.
func needsUpdate(r *v1alpha1.Remediation, ruling guard.Ruling, forecast *v1alpha1.Forecast, now time.Time) bool {
	before := r.Status.Forecast
	if !approvalRecorded(r) || r.Status.Phase != phaseOf(ruling) || before == nil || len(before.Pods) != len(forecast.Pods) || now.Sub(before.At.Time) >= guardRetryInterval {
		return true
	}
	if before.Futures != forecast.Futures || before.WorseFutures != forecast.WorseFutures {
		return true
	}
	for i, pod := range forecast.Pods {
		if was := before.Pods[i]; was.Namespace != pod.Namespace || was.Name != pod.Name || was.Fate != pod.Fate || was.Node != pod.Node {
			return true
		}
	}
	return !slices.EqualFunc(VerdictsOf(ruling, nil, now), r.Status.Verdicts, sameVerdict)
}

package action

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// ago is a step that began so long ago and goes on.
func ago(d time.Duration, name v1alpha1.StepName) v1alpha1.Step {
	return v1alpha1.Step{Name: name, StartedAt: metav1.NewMicroTime(now.Add(-d)), Actuator: "machines", Before: "boot-1"}
}

func finished(step v1alpha1.Step, result v1alpha1.StepResult) v1alpha1.Step {
	at := metav1.NewMicroTime(step.StartedAt.Add(time.Second))
	step.EndedAt, step.Result = &at, result
	return step
}

func running(action v1alpha1.Action, steps ...v1alpha1.Step) *v1alpha1.Remediation {
	return &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: "mend", Finalizers: []string{v1alpha1.RemediationFinalizer}},
		Spec: v1alpha1.RemediationSpec{
			Plan: v1alpha1.NodePlan(action, ""), Node: v1alpha1.NodeReference{Name: "n1", UID: "n1"},
			Evidence: v1alpha1.Evidence{Condition: "NetworkingReady", Status: metav1.ConditionFalse},
		},
		Status: v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseRunning, Steps: steps},
	}
}

// node is one that has been so for an hour.
func node(name, boot string, ready bool) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{}}}
	n.Status.NodeInfo.BootID = boot
	status := map[bool]corev1.ConditionStatus{true: corev1.ConditionTrue, false: corev1.ConditionFalse}[ready]
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(now.Add(-time.Hour))}}
	return n
}

// unhealthyNode is an observation of a node that needs its repair, by a policy that acts unasked.
func unhealthyNode() observation {
	return observation{
		now: now, policy: &v1alpha1.NodeRepairPolicy{Spec: v1alpha1.NodeRepairPolicySpec{Mode: v1alpha1.ModeAuto}}, node: node("n1", "boot-1", true), unhealthy: true, offered: true,
		verdict: guard.Named{Verdict: guard.Verdict{Decision: guard.Allow}},
	}
}

func observed(change func(*observation)) observation {
	s := unhealthyNode()
	change(&s)
	return s
}

// healthyNode is an observation of the node after a reboot.
func healthyNode(change ...func(*observation)) observation {
	s := observation{now: now, policy: &v1alpha1.NodeRepairPolicy{Spec: v1alpha1.NodeRepairPolicySpec{Mode: v1alpha1.ModeAuto}}, node: node("n1", "boot-2", true)}
	for _, c := range change {
		c(&s)
	}
	return s
}

// summary is a transition in short, for a table.
type summary struct {
	effect       effect
	end          v1alpha1.StepResult
	begin        v1alpha1.StepName
	restart      bool
	reason       string
	why          message.ID
	requeueAfter time.Duration
}

func summarize(m transition) summary {
	s := summary{effect: m.effect, begin: m.begin, restart: m.restart, requeueAfter: m.requeueAfter}
	if m.end != nil {
		s.end = m.end.result
	}
	if m.conclude != nil {
		s.reason, s.why = m.conclude.reason, m.conclude.message.ID
	}
	return s
}

func TestNextTransition(t *testing.T) {
	const (
		reboot, replace, restart          = v1alpha1.ActionReboot, v1alpha1.ActionReplace, v1alpha1.ActionRestartService
		cordonStep, drainStep, actStep    = v1alpha1.StepCordon, v1alpha1.StepDrain, v1alpha1.StepAct
		waitStep, dwellStep, verifyStep   = v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify
		uncordonStep                      = v1alpha1.StepUncordon
		doneStep, failedStep, skipped     = v1alpha1.StepDone, v1alpha1.StepFailed, v1alpha1.StepSkipped
		refused                           = v1alpha1.RemediationRefusedReason
		gaveUp, didNotHelp, notNeeded     = v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationNotNeededReason
		aborted                           = v1alpha1.RemediationAbortedReason
		rejected, asForecast, notForecast = v1alpha1.RemediationRejectedReason, v1alpha1.RemediationAsForecastReason, v1alpha1.RemediationNotAsForecastReason
	)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	done := func(name v1alpha1.StepName) v1alpha1.Step {
		return finished(ago(time.Hour, name), v1alpha1.StepDone)
	}
	perhaps := func(name v1alpha1.StepName) v1alpha1.Step {
		step := done(name)
		step.Message = "It is not known."
		return step
	}
	cordoned := done(cordonStep)
	proposed := running(reboot)
	proposed.Status = v1alpha1.RemediationStatus{}
	rejectedOne := func(r *v1alpha1.Remediation) *v1alpha1.Remediation {
		r.Spec.Approval = v1alpha1.Rejected
		return r
	}
	agentSays := func(r *v1alpha1.Remediation, state v1alpha1.AgentState) *v1alpha1.Remediation {
		r.Status.Agent = &v1alpha1.AgentReport{State: state}
		return r
	}
	by := func(actuator string, s v1alpha1.Step) v1alpha1.Step {
		s.Actuator = actuator
		return s
	}
	decided := func(r *v1alpha1.Remediation) *v1alpha1.Remediation {
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.RemediationSucceeded}}
		return r
	}
	marked := func(s *observation, by string) {
		s.node.Spec.Unschedulable, s.node.Annotations[CordonedByAnnotation] = true, by
		disableScaleDown(s.node, by)
	}
	isDeleted := func(r *v1alpha1.Remediation) *v1alpha1.Remediation {
		r.DeletionTimestamp = &metav1.Time{Time: now}
		return r
	}
	isAborted := func(r *v1alpha1.Remediation) *v1alpha1.Remediation {
		r.Annotations = map[string]string{v1alpha1.RemediationAbortAnnotation: "true"}
		return r
	}
	bare := func(r *v1alpha1.Remediation) *v1alpha1.Remediation {
		r.Finalizers = nil
		return r
	}
	hasEnded := running(reboot)
	hasEnded.Status.Phase = v1alpha1.PhaseEnded
	braked := guard.Named{Verdict: guard.Verdict{Decision: guard.Delay, Message: sentence.GuardAPIServer()}}

	for name, tc := range map[string]struct {
		r    *v1alpha1.Remediation
		s    observation
		want summary
	}{
		"what has ended stays so":  {&v1alpha1.Remediation{Status: v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseEnded}}, unhealthyNode(), summary{}},
		"what has ended is let go": {hasEnded, unhealthyNode(), summary{effect: removeFinalizer}},
		"a drill is not for it":    {&v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Drill: &v1alpha1.Drill{}}}, unhealthyNode(), summary{}},

		"a proposal is ruled over":           {proposed, unhealthyNode(), summary{effect: checkGuard}},
		"one whose node is well":             {proposed, observed(func(s *observation) { s.unhealthy = false }), summary{reason: notNeeded, why: message.ActionHealthy}},
		"one whose node is gone":             {proposed, observed(func(s *observation) { s.node = nil }), summary{reason: notNeeded, why: message.ActionNodeGone}},
		"one whose policy is gone":           {proposed, observed(func(s *observation) { s.policy = nil }), summary{reason: gaveUp, why: message.ActionPolicyGone}},
		"one that is rejected":               {rejectedOne(proposed.DeepCopy()), unhealthyNode(), summary{reason: rejected, why: message.GuardRejected}},
		"one of a policy that only reports":  {proposed, observed(func(s *observation) { s.policy.Spec.Mode = v1alpha1.ModeReport }), summary{effect: checkGuard}},
		"concluded before anything was done": {decided(proposed.DeepCopy()), unhealthyNode(), summary{effect: finish}},

		"without a finalizer, not begun":       {bare(proposed.DeepCopy()), unhealthyNode(), summary{effect: addFinalizer}},
		"without a finalizer, begun":           {bare(running(reboot, cordoned, ago(0, drainStep))), unhealthyNode(), summary{effect: addFinalizer}},
		"a proposal that is deleted":           {isDeleted(proposed.DeepCopy()), unhealthyNode(), summary{reason: rejected, why: message.ActionProposalDeleted}},
		"a proposal that is aborted":           {isAborted(proposed.DeepCopy()), unhealthyNode(), summary{end: skipped, reason: aborted, why: message.ActionAborted}},
		"deleted while it drains":              {isDeleted(running(reboot, cordoned, ago(0, drainStep))), unhealthyNode(), summary{end: skipped, begin: uncordonStep, reason: aborted, why: message.ActionAborted}},
		"aborted while it is asked for":        {isAborted(running(reboot, cordoned, ago(0, actStep))), unhealthyNode(), summary{end: doneStep, begin: uncordonStep, reason: aborted, why: message.ActionAborted}},
		"aborted while a service is restarted": {isAborted(running(restart, ago(0, actStep))), unhealthyNode(), summary{end: skipped, reason: aborted, why: message.ActionAborted}},
		"deleted while the machine boots":      {isDeleted(running(reboot, cordoned, done(actStep), ago(0, waitStep))), unhealthyNode(), summary{end: skipped, begin: uncordonStep, reason: aborted, why: message.ActionAborted}},
		"deleted when it was concluded":        {isDeleted(decided(running(reboot, cordoned, ago(0, uncordonStep)))), healthyNode(), summary{effect: finish}},
		"what the ledger does not bear out": {
			running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.ledgerMismatch = true }), summary{end: skipped, begin: uncordonStep, reason: gaveUp, why: message.ActionNotReserved},
		},

		"cordon":         {running(reboot, ago(0, cordonStep)), unhealthyNode(), summary{effect: cordon}},
		"cordoned by it": {running(reboot, ago(0, cordonStep)), observed(func(s *observation) { marked(s, "mend") }), summary{end: doneStep, begin: drainStep}},
		"cordoned by a person": {
			running(replace, ago(0, cordonStep)), observed(func(s *observation) { s.node.Spec.Unschedulable = true }), summary{end: doneStep, begin: drainStep},
		},
		"cordoned by a person, not kept from autoscalers": {
			running(reboot, ago(0, cordonStep)), observed(func(s *observation) { s.node.Spec.Unschedulable = true }), summary{effect: cordon},
		},
		"cordoned by a person, kept from autoscalers": {
			running(reboot, ago(0, cordonStep)), observed(func(s *observation) { s.node.Spec.Unschedulable = true; disableScaleDown(s.node, "mend") }), summary{end: doneStep, begin: drainStep},
		},
		"cordoned by another, which is over": {running(replace, ago(0, cordonStep)), observed(func(s *observation) { marked(s, "other") }), summary{effect: cordon}},
		"well again before the cordon": {
			running(reboot, ago(0, cordonStep)), observed(func(s *observation) { s.unhealthy = false }), summary{end: skipped, begin: uncordonStep, reason: notNeeded, why: message.ActionHealthy},
		},
		"steps that somebody has changed": {
			running(reboot, done(v1alpha1.StepGuard)), unhealthyNode(), summary{end: failedStep, reason: gaveUp, why: message.ActionLost},
		},

		"evict":                {running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.evictable = []*corev1.Pod{pod} }), summary{effect: evict, requeueAfter: podPollInterval}},
		"wait for pods to end": {running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.leaving = []*corev1.Pod{pod} }), summary{requeueAfter: podPollInterval}},
		"no longer than the deadline": {
			running(reboot, cordoned, ago(15*time.Minute-time.Second, drainStep)), observed(func(s *observation) { s.leaving = []*corev1.Pod{pod} }), summary{requeueAfter: time.Second},
		},
		"at the deadline": {
			running(reboot, cordoned, ago(15*time.Minute, drainStep)), observed(func(s *observation) { s.evictable = []*corev1.Pod{pod} }),
			summary{end: failedStep, begin: uncordonStep, reason: gaveUp, why: message.ActionPodsLeft},
		},
		"at the deadline, where the policy goes on": {
			running(reboot, cordoned, ago(15*time.Minute, drainStep)), observed(func(s *observation) {
				s.staying, s.policy.Spec.Drain.Fallback = []*corev1.Pod{pod}, v1alpha1.DrainProceed
			}), summary{end: failedStep, begin: actStep, effect: actuate},
		},
		"drained": {running(reboot, cordoned, ago(0, drainStep)), unhealthyNode(), summary{end: doneStep, begin: actStep, effect: actuate}},
		"drained, and nobody can act": {
			running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.offered = false }), summary{end: doneStep, begin: uncordonStep, reason: gaveUp, why: message.ActionNoActuator},
		},
		"held before an eviction": {
			running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.evictable, s.verdict = []*corev1.Pod{pod}, braked }), summary{requeueAfter: nodePollInterval},
		},
		"held before the act":      {running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.verdict = braked }), summary{requeueAfter: nodePollInterval}},
		"held by nobody's verdict": {running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.verdict = guard.Named{} }), summary{requeueAfter: nodePollInterval}},
		"held till the deadline": {
			running(reboot, cordoned, ago(15*time.Minute, drainStep)), observed(func(s *observation) {
				s.verdict, s.policy.Spec.Drain.Fallback = braked, v1alpha1.DrainProceed
			}), summary{end: failedStep, begin: uncordonStep, reason: gaveUp, why: message.GuardAPIServer},
		},
		"rejected while it drains": {
			rejectedOne(running(reboot, cordoned, ago(0, drainStep))), unhealthyNode(), summary{end: skipped, begin: uncordonStep, reason: rejected, why: message.GuardRejected},
		},
		"the mode is Approve now, and nobody has": {
			running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.policy.Spec.Mode = v1alpha1.ModeApprove }),
			summary{end: skipped, begin: uncordonStep, reason: gaveUp, why: message.ActionNoLeave},
		},
		"paused": {running(reboot, cordoned, ago(0, drainStep)), observed(func(s *observation) { s.policy.Spec.Paused = true }), summary{end: doneStep, begin: actStep, effect: actuate}},

		"a reboot that somebody began is not asked for": {running(reboot, cordoned, ago(0, actStep)), unhealthyNode(), summary{end: doneStep, begin: waitStep}},
		"a replacement is":                 {running(replace, cordoned, ago(0, actStep)), unhealthyNode(), summary{effect: actuate}},
		"unless it is held":                {running(replace, cordoned, ago(0, actStep)), observed(func(s *observation) { s.verdict = braked }), summary{requeueAfter: nodePollInterval}},
		"unless it is withdrawn":           {rejectedOne(running(replace, cordoned, ago(0, actStep))), unhealthyNode(), summary{end: doneStep, begin: waitStep}},
		"unless it was tried for too long": {running(replace, cordoned, ago(15*time.Minute, actStep)), unhealthyNode(), summary{end: doneStep, begin: waitStep}},
		"unless the machine is gone":       {running(replace, cordoned, ago(0, actStep)), observed(func(s *observation) { s.node = nil }), summary{end: doneStep, begin: waitStep}},
		"turned away a moment ago": {
			running(reboot, cordoned, finished(ago(11*time.Second, actStep), failedStep)), unhealthyNode(), summary{requeueAfter: actuateRetryDelay - 10*time.Second},
		},
		"turned away, and asked again":   {running(reboot, cordoned, finished(ago(time.Minute, actStep), failedStep)), unhealthyNode(), summary{begin: actStep, effect: actuate}},
		"turned away, and held":          {running(reboot, cordoned, finished(ago(time.Minute, actStep), failedStep)), observed(func(s *observation) { s.verdict = braked }), summary{begin: uncordonStep, reason: gaveUp, why: message.GuardAPIServer}},
		"turned away, and healthy again": {running(reboot, cordoned, finished(ago(time.Minute, actStep), failedStep)), observed(func(s *observation) { s.unhealthy = false }), summary{begin: uncordonStep, reason: notNeeded, why: message.ActionHealthy}},

		"the agent has not answered":       {running(restart, ago(time.Minute, actStep)), unhealthyNode(), summary{requeueAfter: 14 * time.Minute}},
		"the agent never does":             {running(restart, ago(15*time.Minute, actStep)), unhealthyNode(), summary{end: failedStep, reason: gaveUp, why: message.ActionAgentSilent}},
		"the agent has taken it up":        {agentSays(rejectedOne(running(restart, ago(0, actStep))), v1alpha1.AgentAccepted), unhealthyNode(), summary{requeueAfter: 15 * time.Minute}},
		"the agent has done it":            {agentSays(running(restart, ago(0, actStep)), v1alpha1.AgentDone), unhealthyNode(), summary{end: doneStep, begin: waitStep}},
		"the agent refuses":                {agentSays(running(restart, ago(0, actStep)), v1alpha1.AgentRefused), unhealthyNode(), summary{end: failedStep, reason: refused, why: message.ActionAgentSaid}},
		"the agent has failed":             {agentSays(running(restart, ago(0, actStep)), v1alpha1.AgentFailed), unhealthyNode(), summary{end: failedStep, reason: didNotHelp, why: message.ActionAgentSaid}},
		"rejected before the agent did it": {rejectedOne(running(restart, ago(0, actStep))), unhealthyNode(), summary{end: skipped, reason: rejected, why: message.GuardRejected}},

		"rebooted and well":         {running(reboot, cordoned, done(actStep), ago(0, waitStep)), healthyNode(), summary{end: doneStep, begin: dwellStep}},
		"rebooted, not Ready":       {running(reboot, cordoned, done(actStep), ago(0, waitStep)), healthyNode(func(s *observation) { s.node = node("n1", "boot-2", false) }), summary{requeueAfter: nodePollInterval}},
		"rebooted, still unhealthy": {running(reboot, cordoned, done(actStep), ago(0, waitStep)), healthyNode(func(s *observation) { s.unhealthy = true }), summary{requeueAfter: nodePollInterval}},
		"well, and not rebooted":    {running(reboot, cordoned, done(actStep), ago(0, waitStep)), healthyNode(func(s *observation) { s.node = node("n1", "boot-1", true) }), summary{requeueAfter: nodePollInterval}},
		"never rebooted": {
			running(reboot, cordoned, done(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.node = node("n1", "boot-1", true) }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionNotRebooted},
		},
		"never rebooted, and nobody knows whether it was asked for": {
			running(reboot, cordoned, perhaps(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.node = node("n1", "boot-1", true) }),
			summary{end: failedStep, begin: uncordonStep, reason: gaveUp, why: message.ActionNotSeen},
		},
		"rebooted by an actuator that did not report it, still unhealthy": {
			running(reboot, cordoned, perhaps(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.unhealthy = true }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionStillUnhealthy},
		},
		"rebooted, and never Ready": {
			running(reboot, cordoned, done(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.node = node("n1", "boot-2", false) }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionNotReady},
		},
		"rebooted, and gone": {
			running(reboot, cordoned, done(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.node = nil }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionNodeGone},
		},
		"rejected while it boots": {rejectedOne(running(reboot, cordoned, done(actStep), ago(0, waitStep))), healthyNode(), summary{end: doneStep, begin: dwellStep}},
		"replaced": {
			running(replace, cordoned, done(actStep), ago(0, waitStep)), healthyNode(func(s *observation) { s.node, s.successor = nil, node("n4", "", true) }), summary{end: doneStep, begin: dwellStep},
		},
		"a new node, and the old one is there": {
			running(replace, cordoned, done(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.successor = node("n4", "", true) }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionNotGone},
		},
		"gone, and no new node": {
			running(replace, cordoned, done(actStep), ago(15*time.Minute, waitStep)), healthyNode(func(s *observation) { s.node = nil }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionNoSuccessor},
		},
		"gone, and Karpenter brings no new node unasked": {
			running(replace, cordoned, by("karpenter", done(actStep)), ago(0, waitStep)), healthyNode(func(s *observation) { s.node = nil }), summary{end: doneStep, begin: verifyStep},
		},
		"a service restarted, well": {running(restart, done(actStep), ago(0, waitStep)), healthyNode(), summary{end: doneStep, begin: dwellStep}},

		"dwelling":             {running(reboot, cordoned, ago(time.Minute, waitStep), ago(time.Minute, dwellStep)), healthyNode(), summary{requeueAfter: 4 * time.Minute}},
		"dwelt":                {running(reboot, cordoned, ago(time.Minute, waitStep), ago(5*time.Minute, dwellStep)), healthyNode(), summary{end: doneStep, begin: verifyStep}},
		"unhealthy in between": {running(reboot, cordoned, ago(6*time.Minute, waitStep), ago(5*time.Minute, dwellStep)), healthyNode(func(s *observation) { s.unhealthy = true }), summary{restart: true, requeueAfter: nodePollInterval}},
		"it was, unseen":       {running(reboot, cordoned, ago(2*time.Hour, waitStep), ago(2*time.Hour, dwellStep)), healthyNode(), summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionRelapsed}},
		"unhealthy for too long": {
			running(reboot, cordoned, ago(15*time.Minute, waitStep), ago(5*time.Minute, dwellStep)), healthyNode(func(s *observation) { s.unhealthy = true }),
			summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionRelapsed},
		},
		"the new node is unhealthy": {
			running(replace, cordoned, done(actStep), ago(6*time.Minute, waitStep), ago(5*time.Minute, dwellStep)), healthyNode(func(s *observation) {
				s.node, s.successor, s.successorUnhealthy = nil, node("n4", "", true), true
			}), summary{restart: true, requeueAfter: nodePollInterval},
		},

		"all pods run":         {running(reboot, cordoned, ago(0, verifyStep)), healthyNode(), summary{end: doneStep, begin: uncordonStep, reason: asForecast, why: message.ActionAsForecast}},
		"not all yet":          {running(reboot, cordoned, ago(0, verifyStep)), healthyNode(func(s *observation) { s.missing = []string{"replicaset/web"} }), summary{requeueAfter: nodePollInterval}},
		"not all, in time":     {running(reboot, cordoned, ago(10*time.Minute, verifyStep)), healthyNode(func(s *observation) { s.missing = []string{"replicaset/web"} }), summary{end: failedStep, begin: uncordonStep, reason: notForecast, why: message.ActionPodsMissing}},
		"not the node's own":   {running(reboot, cordoned, ago(10*time.Minute, verifyStep)), healthyNode(func(s *observation) { s.broken = []string{"kube-system/cni"} }), summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionPodsBroken}},
		"unhealthy in the end": {running(reboot, cordoned, ago(0, verifyStep)), healthyNode(func(s *observation) { s.unhealthy = true }), summary{end: failedStep, begin: uncordonStep, reason: didNotHelp, why: message.ActionRelapsed}},
		"a service, and all is well": {
			running(restart, done(actStep), ago(0, verifyStep)), healthyNode(), summary{end: doneStep, reason: asForecast, why: message.ActionAsForecast},
		},

		"uncordon":   {decided(running(reboot, cordoned, ago(0, uncordonStep))), observed(func(s *observation) { marked(s, "mend") }), summary{effect: uncordon}},
		"uncordoned": {decided(running(reboot, cordoned, ago(0, uncordonStep))), healthyNode(), summary{effect: finish}},
		"replaced, and still there": {
			decided(running(replace, cordoned, done(actStep), ago(0, uncordonStep))), observed(func(s *observation) { marked(s, "mend") }), summary{effect: finish},
		},
		"perhaps replaced, and still there": {
			decided(running(replace, cordoned, perhaps(actStep), ago(0, uncordonStep))), observed(func(s *observation) { marked(s, "mend") }), summary{effect: finish},
		},
		"replaced, and uncordoned by a person": {
			decided(running(replace, cordoned, done(actStep), ago(0, uncordonStep))), observed(func(s *observation) { marked(s, "mend"); s.node.Spec.Unschedulable = false }), summary{effect: uncordon},
		},
		"not replaced, since it was refused": {
			decided(running(replace, cordoned, finished(ago(0, actStep), failedStep), ago(0, uncordonStep))), observed(func(s *observation) { marked(s, "mend") }), summary{effect: uncordon},
		},
		"another's cordon":     {decided(running(reboot, cordoned, ago(0, uncordonStep))), observed(func(s *observation) { marked(s, "other") }), summary{effect: finish}},
		"nothing to uncordon":  {decided(running(reboot, cordoned, ago(0, uncordonStep))), healthyNode(func(s *observation) { s.node = nil }), summary{effect: finish}},
		"no cordon, concluded": {decided(running(restart, done(actStep), done(verifyStep))), healthyNode(), summary{effect: finish}},
	} {
		t.Run(name, func(t *testing.T) {
			if step, cordons := stepOf(tc.r, cordonStep); cordons && step.EndedAt != nil && !concluded(tc.r) && tc.s.node != nil {
				marked(&tc.s, "mend")
			}
			before := tc.r.DeepCopy()
			if diff := cmp.Diff(tc.want, summarize(nextTransition(tc.r, tc.s)), cmp.AllowUnexported(summary{})); diff != "" {
				t.Errorf("move (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.r); diff != "" {
				t.Errorf("it changed the Remediation (-before +after):\n%s", diff)
			}
		})
	}
}

func TestAsked(t *testing.T) {
	refused := summary{end: v1alpha1.StepFailed, begin: v1alpha1.StepUncordon, reason: v1alpha1.RemediationRefusedReason, why: message.ActionRefused}
	for name, tc := range map[string]struct {
		action v1alpha1.Action
		err    error
		want   summary
		fails  bool
	}{
		"done":                              {v1alpha1.ActionReboot, nil, summary{end: v1alpha1.StepDone, begin: v1alpha1.StepWait}, false},
		"a reboot that is not sure":         {v1alpha1.ActionReboot, errors.Join(cloud.ErrUnsure, cloud.ErrPassing), summary{end: v1alpha1.StepDone, begin: v1alpha1.StepWait}, false},
		"a reboot of who is ending":         {v1alpha1.ActionReboot, context.Canceled, summary{end: v1alpha1.StepDone, begin: v1alpha1.StepWait}, false},
		"a replacement that is not sure":    {v1alpha1.ActionReplace, cloud.ErrUnsure, summary{}, true},
		"turned away":                       {v1alpha1.ActionReboot, cloud.ErrPassing, summary{end: v1alpha1.StepFailed}, false},
		"refused":                           {v1alpha1.ActionReplace, &cloud.RefusedError{Err: errors.New("no")}, refused, false},
		"what nobody offers is refused too": {v1alpha1.ActionReboot, cloud.ErrNotOffered, refused, false},
		"so is what nobody knows":           {v1alpha1.ActionReboot, errors.New("no"), refused, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := transitionAfter(running(tc.action, ago(0, v1alpha1.StepCordon), ago(0, v1alpha1.StepAct)), "machines", cloud.Operation{ID: "op"}, tc.err)
			if diff := cmp.Diff(tc.want, summarize(m), cmp.AllowUnexported(summary{})); diff != "" || (err != nil) != tc.fails {
				t.Errorf("error %v; move (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A clock that is behind the one that wrote the step's beginning does not make it end before.
func TestStepsEndAfterTheyBegin(t *testing.T) {
	status := running(v1alpha1.ActionReboot, ago(-time.Minute, v1alpha1.StepDrain)).Status
	transition{end: done(), begin: v1alpha1.StepAct}.apply(&status, now)
	if s := status.Steps[0]; s.EndedAt.Time.Before(s.StartedAt.Time) || s.Result != v1alpha1.StepDone {
		t.Errorf("the step began at %v and ended at %v: %s", s.StartedAt, s.EndedAt, s.Result)
	}
	if len(status.Steps) != 2 || status.Steps[1].EndedAt != nil {
		t.Errorf("steps %v", status.Steps)
	}
}

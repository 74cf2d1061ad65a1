package action

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// observation is what is read right before a transition: as much of it as the Remediation's step depends on.
type observation struct {
	now time.Time
	// policy is nil if it is gone.
	policy *v1alpha1.NodeRepairPolicy
	// node is the node that the Remediation names; nil if it is gone or another has its name.
	node *corev1.Node
	// unhealthy is whether the evidence still holds.
	unhealthy bool

	// ledgerMismatch is whether the ledger does not bear out what the record claims: that it goes on, or has not begun.
	ledgerMismatch bool
	// objection is what the policy has against this, while a machine has not been acted on.
	objection repairpolicy.Objection
	// verdict is the guard's as long as a machine has not been acted on, readErr why the guard could not be asked.
	verdict guard.Named
	readErr error
	// evictable are the pods to evict; leaving are those that were told to end, staying those that nobody would make again.
	evictable, leaving, staying []*corev1.Pod
	// offered is whether a provider supports the action for this machine.
	offered bool

	// successor is the node that came in the place of one that was replaced; nil if none has.
	successor *corev1.Node
	// successorUnhealthy is whether the evidence holds for it.
	successorUnhealthy bool

	// missing are workloads with fewer pods ready than when the forecast was made, broken are pods of the node that do not
	// run although their like do elsewhere.
	missing, broken []string
}

// nextTransition decides the next transition from what is recorded and observed.
func nextTransition(r *v1alpha1.Remediation, s observation) transition {
	switch {
	case r.Spec.Drill != nil:
		return transition{}
	case r.Status.Phase == v1alpha1.PhaseEnded && hasFinalizer(r):
		return transition{effect: removeFinalizer}
	case r.Status.Phase == v1alpha1.PhaseEnded:
		return transition{}
	case concluded(r):
		return cleanUp(r, s)
	case s.ledgerMismatch:
		return stopped(r, conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionNotReserved()))
	case r.DeletionTimestamp != nil && r.Status.Phase != v1alpha1.PhaseRunning:
		return transition{conclude: conclude(v1alpha1.RemediationRejectedReason, sentence.ActionProposalDeleted())}
	case abortRequested(r):
		return aborted(r)
	case !hasFinalizer(r):
		return transition{effect: addFinalizer}
	case r.Status.Phase != v1alpha1.PhaseRunning:
		return nextProposed(r, s)
	}
	return nextRunning(r, s)
}

// nextRunning is while a Remediation runs.
func nextRunning(r *v1alpha1.Remediation, s observation) transition {
	if pastAct(r) {
		if why := interferenceConclusion(r, s); why != nil {
			return stopped(r, why)
		}
	}
	switch lastStep(r).Name {
	case v1alpha1.StepCordon:
		return cordoning(r, s)
	case v1alpha1.StepDrain:
		return draining(r, s)
	case v1alpha1.StepAct:
		return acting(r, s)
	case v1alpha1.StepWait:
		return waiting(r, s)
	case v1alpha1.StepDwell:
		return dwelling(r, s)
	case v1alpha1.StepVerify:
		return verifying(r, s)
	}
	// The steps contradict each other: not the controller wrote them.
	return ended(r, failed(message.Sentence{}), conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionLost()))
}

func concluded(r *v1alpha1.Remediation) bool {
	return meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded) != nil
}

func lastStep(r *v1alpha1.Remediation) v1alpha1.Step {
	if len(r.Status.Steps) == 0 {
		return v1alpha1.Step{}
	}
	return r.Status.Steps[len(r.Status.Steps)-1]
}

// stepOf is the latest step of a name.
func stepOf(r *v1alpha1.Remediation, name v1alpha1.StepName) (v1alpha1.Step, bool) {
	for _, step := range slices.Backward(r.Status.Steps) {
		if step.Name == name {
			return step, true
		}
	}
	return v1alpha1.Step{}, false
}

// nextProposed is before anything is done.
func nextProposed(r *v1alpha1.Remediation, s observation) transition {
	if why := cmp.Or(notNeeded(r, s), interferenceConclusion(r, s)); why != nil {
		return transition{conclude: why}
	}
	if s.policy == nil {
		return transition{conclude: conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionPolicyGone())}
	}
	if why := objectionConclusion(r, s); why != nil {
		return transition{conclude: why}
	}
	return transition{effect: checkGuard}
}

// objectionConclusion is why a policy does not ask for a Remediation; nil if it does. A person who may create Remediations, or edits the policy
// after one was made, can have nothing done by it that the policy's rules do not ask for.
func objectionConclusion(r *v1alpha1.Remediation, s observation) *conclusion {
	policy, rule, action, node := "noderepairpolicy/"+r.Spec.Policy.Name, r.Spec.Policy.Rule, string(r.Spec.Action()), nodeOf(r)
	var why message.Sentence
	switch s.objection {
	case repairpolicy.NotSelected:
		why = sentence.ActionNotSelected(policy, node)
	case repairpolicy.NoSuchRule:
		why = sentence.ActionNoSuchRule(policy, rule)
	case repairpolicy.NotDue:
		why = sentence.ActionNotDue(node, rule)
	case repairpolicy.AnotherRule:
		why = sentence.ActionAnotherRule(rule, node)
	case repairpolicy.AnotherAction:
		why = sentence.ActionAnotherAction(policy, action, node)
	default:
		return nil
	}
	return conclude(v1alpha1.RemediationNotAskedReason, why)
}

// notNeeded is why a Remediation should not be done at all, whatever its policy says.
func notNeeded(r *v1alpha1.Remediation, s observation) *conclusion {
	switch {
	case r.Spec.Approval == v1alpha1.Rejected:
		return conclude(v1alpha1.RemediationRejectedReason, sentence.GuardRejected())
	case s.node == nil:
		return conclude(v1alpha1.RemediationNotNeededReason, sentence.ActionNodeGone(nodeOf(r)))
	case !s.unhealthy:
		return conclude(v1alpha1.RemediationNotNeededReason, sentence.ActionHealthy(nodeOf(r)))
	}
	return nil
}

// withdrawalReason is why what has begun must not be continued, as long as the machine has not been acted on. After that
// there is nothing to withdraw: what is left is to watch and to clean up.
func withdrawalReason(r *v1alpha1.Remediation, s observation) *conclusion {
	if why := cmp.Or(notNeeded(r, s), interferenceConclusion(r, s)); why != nil {
		return why
	}
	switch {
	case s.policy == nil:
		return conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionPolicyGone())
	case !modeAllows(&s.policy.Spec, r.Spec.Approval):
		return conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionNoLeave(string(s.policy.Spec.Mode)))
	}
	return objectionConclusion(r, s)
}

// ended ends the last step and concludes; a node that may have been cordoned is uncordoned next.
func ended(r *v1alpha1.Remediation, how *stepEnd, why *conclusion) transition {
	m := transition{end: how, conclude: why}
	if _, cordoned := stepOf(r, v1alpha1.StepCordon); cordoned {
		m.begin = v1alpha1.StepUncordon
	}
	return m
}

// stopped ends a step that was not gone through with.
func stopped(r *v1alpha1.Remediation, why *conclusion) transition {
	return ended(r, &stepEnd{result: v1alpha1.StepSkipped, message: why.message}, why)
}

// abortRequested says whether a person wants a Remediation to end: by deleting it, or by its annotation.
func abortRequested(r *v1alpha1.Remediation) bool {
	return r.DeletionTimestamp != nil || r.Annotations[v1alpha1.RemediationAbortAnnotation] == "true"
}

// aborted is when a person aborts what goes on. A machine that was acted on is not watched any more.
func aborted(r *v1alpha1.Remediation) transition {
	why := conclude(v1alpha1.RemediationAbortedReason, sentence.ActionAborted())
	if last := lastStep(r); last.Name == v1alpha1.StepAct && last.EndedAt == nil && r.Spec.Action() != v1alpha1.ActionRestartService {
		return ended(r, doneWith(why.message), why) // It may have been asked for.
	}
	return stopped(r, why)
}

func hasFinalizer(r *v1alpha1.Remediation) bool {
	return controllerutil.ContainsFinalizer(r, v1alpha1.RemediationFinalizer)
}

// cleanUp is the transition after the conclusion. On a node that others remove, what was set stays; if they stop, CollectGarbage takes it
// off.
func cleanUp(r *v1alpha1.Remediation, s observation) transition {
	if lastStep(r).Name == v1alpha1.StepUncordon && s.node != nil && markedBy(s.node) == r.Name && Leaving(s.node) == "" && !isReplacing(r, s.node) {
		return transition{effect: uncordon}
	}
	return transition{effect: finish}
}

func cordoning(r *v1alpha1.Remediation, s observation) transition {
	if why := withdrawalReason(r, s); why != nil {
		return stopped(r, why)
	}
	switch {
	case cordonDue(r, s.node):
		return transition{effect: cordon}
	case cordonedBy(s.node) != r.Name:
		return transition{end: doneWith(sentence.ActionCordonedBefore(nodeOf(r))), begin: v1alpha1.StepDrain}
	}
	return transition{end: done(), begin: v1alpha1.StepDrain}
}

func draining(r *v1alpha1.Remediation, s observation) transition {
	if why := withdrawalReason(r, s); why != nil {
		return stopped(r, why)
	}
	t := termsOf(s.policy)
	left := lastStep(r).StartedAt.Add(t.drain).Sub(s.now)
	returns := countReturns(r, s.evictable)
	returning, evictable := splitReturning(r, s.evictable, returns)
	switch {
	case s.verdict.Decision != guard.Allow:
		return waitForGuard(r, s, left)
	case len(s.evictable)+len(s.leaving)+len(s.staying) == 0:
		return act(r, s, done())
	case len(returning) > 0 && !t.proceed:
		why := returnedPods(r, returning)
		return ended(r, failed(why), &conclusion{v1alpha1.RemediationGaveUpReason, why})
	case len(returning) > 0 && len(evictable)+len(s.leaving)+len(s.staying) == 0:
		return act(r, s, failed(returnedPods(r, returning)))
	case left <= 0:
		pods := podNames(slices.Concat(s.staying, s.evictable, s.leaving))
		stay := sentence.ActionPodsLeft(len(pods), message.ListOf(pods[:min(len(pods), maxNamed)]))
		if t.proceed {
			return act(r, s, failed(stay))
		}
		return ended(r, failed(stay), &conclusion{v1alpha1.RemediationGaveUpReason, stay})
	case len(evictable) > 0:
		return transition{effect: evict, pods: evictable, returns: returns, requeueAfter: min(podPollInterval, left)}
	}
	return wait(min(podPollInterval, left))
}

// waitForGuard waits while the guard does not allow, as long as a drain may take.
func waitForGuard(r *v1alpha1.Remediation, s observation, left time.Duration) transition {
	if left > 0 {
		return wait(min(nodePollInterval, left))
	}
	return ended(r, failed(s.verdict.Message), &conclusion{v1alpha1.RemediationGaveUpReason, s.verdict.Message})
}

// act writes down that the machine is acted on, and does it.
func act(r *v1alpha1.Remediation, s observation, drained *stepEnd) transition {
	if !s.offered {
		why := conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionNoActuator(string(r.Spec.Action()), nodeOf(r)))
		return ended(r, drained, why)
	}
	return transition{end: drained, begin: v1alpha1.StepAct, effect: actuate}
}

const maxNamed = 5

func nodeOf(r *v1alpha1.Remediation) string { return "node/" + r.Spec.Node.Name }

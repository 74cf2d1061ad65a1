package action

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// acting continues an act that was recorded, whichever controller began it.
func acting(r *v1alpha1.Remediation, s observation) transition {
	step := lastStep(r)
	switch {
	case step.Result == v1alpha1.StepFailed:
		return actuatingAgain(r, s, step)
	case r.Spec.Action() == v1alpha1.ActionRestartService:
		return restarting(r, s, step)
	case r.Spec.Action() == v1alpha1.ActionReplace && withdrawalReason(r, s) == nil && s.offered && s.now.Sub(step.StartedAt.Time) < termsOf(s.policy).healthy:
		// To ask for it again does no harm: it is about this one machine.
		if s.verdict.Decision != guard.Allow {
			return wait(nodePollInterval)
		}
		return transition{effect: actuate}
	}
	// Whether it was asked for is not known, and asked twice a machine reboots twice. Its boot ID will tell.
	return transition{end: doneWith(sentence.ActionAskedPerhaps(step.Actuator)), begin: v1alpha1.StepWait}
}

// actuatingAgain is for a provider that was busy: it is asked again, each time after twice as long, and
// a limited number of times. Nothing was done to the machine.
func actuatingAgain(r *v1alpha1.Remediation, s observation, step v1alpha1.Step) transition {
	if why := withdrawalReason(r, s); why != nil {
		return ended(r, nil, why)
	}
	asks := 0
	for _, one := range r.Status.Steps {
		if one.Name == v1alpha1.StepAct {
			asks++
		}
	}
	if asks >= maxActuations {
		return ended(r, nil, conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionBusy(step.Actuator, asks)))
	}
	if left := step.EndedAt.Add(actuateRetryDelay << (asks - 1)).Sub(s.now); left > 0 {
		return wait(left)
	}
	if s.verdict.Decision != guard.Allow {
		return ended(r, nil, &conclusion{v1alpha1.RemediationGaveUpReason, s.verdict.Message})
	}
	return act(r, s, nil)
}

// restarting waits for the agent, which takes up the step as it stands written. A node whose agent cannot is not helped by it, so
// that the ladder goes on; one whose agent refuses was not tried. Of one that says nothing nobody knows whether it was: that is an
// attempt, and leads to nothing harsher.
func restarting(r *v1alpha1.Remediation, s observation, step v1alpha1.Step) transition {
	agent, within := r.Status.Agent, termsOf(s.policy).healthy
	if agent == nil {
		if why := withdrawalReason(r, s); why != nil {
			return stopped(r, why)
		}
	} else if agent.State != v1alpha1.AgentAccepted {
		said := sentence.ActionAgentSaid(nodeOf(r), string(agent.State), agent.Message)
		switch agent.State {
		case v1alpha1.AgentDone:
			return transition{end: doneWith(said), begin: v1alpha1.StepWait}
		case v1alpha1.AgentRefused:
			return ended(r, failed(said), &conclusion{v1alpha1.RemediationRefusedReason, said})
		}
		return ended(r, failed(said), &conclusion{v1alpha1.RemediationDidNotHelpReason, said})
	}
	left := step.StartedAt.Add(within).Sub(s.now)
	if left <= 0 {
		silent := sentence.ActionAgentSilent(nodeOf(r), within.String())
		return ended(r, failed(silent), &conclusion{v1alpha1.RemediationGaveUpReason, silent})
	}
	return wait(left)
}

// waiting is for the machine: until it has booted, or another has come, and is healthy.
func waiting(r *v1alpha1.Remediation, s observation) transition {
	within := termsOf(s.policy).healthy
	why := notRecovered(r, s, within)
	if why.ID == "" {
		well := done()
		if s.successor != nil {
			well.operation = successorPrefix + s.successor.Name
		}
		if r.Spec.Action() == v1alpha1.ActionReplace && s.successor == nil {
			return transition{end: well, begin: v1alpha1.StepVerify} // Nobody is there to be watched.
		}
		return transition{end: well, begin: v1alpha1.StepDwell}
	}
	left := lastStep(r).StartedAt.Add(within).Sub(s.now)
	switch {
	case left > 0:
		return wait(min(nodePollInterval, left))
	case why.ID == message.ActionNotSeen: // It is not known to have been tried.
		return ended(r, failed(why), &conclusion{v1alpha1.RemediationGaveUpReason, why})
	}
	return ended(r, failed(why), &conclusion{v1alpha1.RemediationDidNotHelpReason, why})
}

// accepted says whether a provider took a request, of a step Act that has ended: one that did not answer is in its message.
func accepted(act v1alpha1.Step) bool { return act.Result == v1alpha1.StepDone && act.Message == "" }

// notRecovered is why the wait is not over; no sentence if it is.
func notRecovered(r *v1alpha1.Remediation, s observation, within time.Duration) message.Sentence {
	if r.Spec.Action() == v1alpha1.ActionReplace {
		switch {
		case s.node != nil:
			return sentence.ActionNotGone(nodeOf(r), within.String(), isReplacing(r, s.node))
		case s.successor == nil && expectsSuccessor(r):
			return sentence.ActionNoSuccessor(nodeOf(r), within.String())
		}
		return message.Sentence{}
	}
	act, _ := stepOf(r, v1alpha1.StepAct)
	switch {
	case s.node == nil:
		return sentence.ActionNodeGone(nodeOf(r))
	case r.Spec.Action() == v1alpha1.ActionReboot && s.node.Status.NodeInfo.BootID == act.Before && !accepted(act):
		return sentence.ActionNotSeen(nodeOf(r), within.String(), act.Actuator)
	case r.Spec.Action() == v1alpha1.ActionReboot && s.node.Status.NodeInfo.BootID == act.Before:
		return sentence.ActionNotRebooted(nodeOf(r), within.String())
	case !kube.IsNodeReady(s.node):
		return sentence.ActionNotReady(nodeOf(r), within.String())
	case s.unhealthy:
		return sentence.ActionStillUnhealthy(nodeOf(r), r.Spec.Evidence.Condition, string(r.Spec.Evidence.Status), within.String())
	}
	return message.Sentence{}
}

// expectsSuccessor says whether a new machine comes in the place of one that is replaced. Karpenter brings one only if pods
// need it, and these have moved.
func expectsSuccessor(r *v1alpha1.Remediation) bool {
	act, _ := stepOf(r, v1alpha1.StepAct)
	return act.Actuator != "karpenter"
}

// nodeToVerify is the node that must be healthy now, and whether it is.
func nodeToVerify(r *v1alpha1.Remediation, s observation) (node *corev1.Node, well bool) {
	if r.Spec.Action() == v1alpha1.ActionReplace {
		if s.successor == nil {
			return nil, !expectsSuccessor(r)
		}
		return s.successor, kube.IsNodeReady(s.successor) && !s.successorUnhealthy
	}
	return s.node, s.node != nil && kube.IsNodeReady(s.node) && !s.unhealthy
}

// dwelling is while the node must stay healthy. One that relapses may begin again as long as it may take to be healthy.
func dwelling(r *v1alpha1.Remediation, s observation) transition {
	step, t := lastStep(r), termsOf(s.policy)
	if node, well := nodeToVerify(r, s); !well || becameHealthyAfter(node, r.Spec.Evidence.Condition, step.StartedAt.Time) {
		before, _ := stepOf(r, v1alpha1.StepWait)
		left := before.StartedAt.Add(t.healthy).Sub(s.now)
		if left <= 0 {
			why := sentence.ActionRelapsed(nodeOf(r), t.dwell.String())
			return ended(r, failed(why), &conclusion{v1alpha1.RemediationDidNotHelpReason, why})
		}
		return transition{restart: true, requeueAfter: min(nodePollInterval, left)}
	}
	if left := step.StartedAt.Add(t.dwell).Sub(s.now); left > 0 {
		return wait(left)
	}
	return transition{end: done(), begin: v1alpha1.StepVerify}
}

// becameHealthyAfter says whether a node became healthy only after a time, to the second, as conditions tell.
func becameHealthyAfter(node *corev1.Node, condition string, after time.Time) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return (c.Type == corev1.NodeReady || string(c.Type) == condition) && c.LastTransitionTime.After(after)
	})
}

func verifying(r *v1alpha1.Remediation, s observation) transition {
	t := termsOf(s.policy)
	left := lastStep(r).StartedAt.Add(t.podsBack).Sub(s.now)
	if _, well := nodeToVerify(r, s); !well {
		why := sentence.ActionRelapsed(nodeOf(r), t.dwell.String())
		return ended(r, failed(why), &conclusion{v1alpha1.RemediationDidNotHelpReason, why})
	}
	node, within := nodeOf(r), t.podsBack.String()
	switch {
	case len(s.missing)+len(s.broken) == 0:
		return ended(r, done(), conclude(v1alpha1.RemediationAsForecastReason, sentence.ActionAsForecast(nodeOf(r))))
	case left > 0:
		return wait(min(nodePollInterval, left))
	case len(s.broken) > 0:
		why := sentence.ActionPodsBroken(node, within, message.ListOf(s.broken[:min(len(s.broken), maxNamed)]))
		return ended(r, failed(why), &conclusion{v1alpha1.RemediationDidNotHelpReason, why})
	}
	why := sentence.ActionPodsMissing(node, within, message.ListOf(s.missing[:min(len(s.missing), maxNamed)]))
	return ended(r, failed(why), &conclusion{v1alpha1.RemediationNotAsForecastReason, why})
}

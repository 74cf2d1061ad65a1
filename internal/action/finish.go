package action

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// finish ends the ledger's entry, which frees the budget and records what did not help, and ends the Remediation. The entry of a node
// whose machine is being replaced stays ongoing.
func (p *Performer) finish(ctx context.Context, r *v1alpha1.Remediation, s observation) error {
	read, err := p.Records.ReadLedger(ctx)
	if err != nil {
		return err
	}
	_, goesOn := read.Ongoing(ledger.HolderOf(r))
	if rejects := rejectedByDeletion(r) || goesOn && rejectedByUncordon(r); goesOn || rejects {
		closed := p.withoutOngoing(read.Ledger, r, s.node)
		if rejects {
			closed = closed.Reject(repairpolicy.RejectionOf(r.Spec.Node.UID, r.Spec.Evidence))
		}
		if err := p.Records.WriteLedger(ctx, read, closed); err != nil {
			return err
		}
	}
	m := transition{}
	if lastStep(r).EndedAt == nil {
		m.end = uncordonStepEnd(r, s)
	}
	_, err = p.write(ctx, r, m, func(status *v1alpha1.RemediationStatus) { status.Phase = v1alpha1.PhaseEnded })
	return err
}

// rejectedByDeletion says whether a person rejected a proposal by deleting it, so that no record of it will be left.
func rejectedByDeletion(r *v1alpha1.Remediation) bool {
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	return r.DeletionTimestamp != nil && end != nil && end.Reason == v1alpha1.RemediationRejectedReason
}

// rejectedByUncordon says whether a person rejected what had started by uncordoning the node.
func rejectedByUncordon(r *v1alpha1.Remediation) bool {
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	return r.Spec.Approval != v1alpha1.Rejected && end != nil && end.Reason == v1alpha1.RemediationRejectedReason
}

// uncordonStepEnd is how the last step ended: Uncordon, unless nothing was started.
func uncordonStepEnd(r *v1alpha1.Remediation, s observation) *stepEnd {
	switch {
	case lastStep(r).Name != v1alpha1.StepUncordon:
		return &stepEnd{result: v1alpha1.StepSkipped}
	case s.node == nil:
		return &stepEnd{result: v1alpha1.StepSkipped, message: sentence.ActionNodeGone(nodeOf(r))}
	case Leaving(s.node) != "" && markedBy(s.node) == r.Name:
		return &stepEnd{result: v1alpha1.StepSkipped, message: sentence.ActionLeftCordoned(nodeOf(r), Leaving(s.node))}
	case isReplacing(r, s.node):
		act, _ := stepOf(r, v1alpha1.StepAct)
		return &stepEnd{result: v1alpha1.StepSkipped, message: sentence.ActionStaysCordoned(act.Actuator, nodeOf(r))}
	case s.node.Spec.Unschedulable:
		return &stepEnd{result: v1alpha1.StepSkipped, message: sentence.ActionCordonedByOthers(nodeOf(r))}
	}
	return done()
}

// withoutOngoing is the ledger after a Remediation: its entry has ended, or is released if nothing was started. The node is nil if it is
// gone.
func (p *Performer) withoutOngoing(l ledger.Ledger, r *v1alpha1.Remediation, node *corev1.Node) ledger.Ledger {
	if isReplacing(r, node) {
		return l.SetReplacing(ledger.HolderOf(r), node.UID)
	}
	if !acted(r) {
		if _, cordoned := stepOf(r, v1alpha1.StepCordon); !cordoned {
			return l.Release(ledger.HolderOf(r))
		}
	}
	result := resultOf(r)
	if result == ledger.Refused {
		l = l.SetRefusal(ledger.HolderOf(r), refusalText(r))
	}
	return l.End(ledger.HolderOf(r), p.Clock.Now(), result)
}

// refusalText is the message of the condition Succeeded, as much of it as the ledger keeps.
func refusalText(r *v1alpha1.Remediation) string {
	const longest = 400
	return textutil.Truncate(meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded).Message, longest)
}

// acted says whether a machine may have been acted on.
func acted(r *v1alpha1.Remediation) bool {
	_, acted := stepOf(r, v1alpha1.StepAct)
	return acted
}

// mayHaveActed says whether a request to act on a machine was not rejected. An agent that does not report may have acted.
func mayHaveActed(r *v1alpha1.Remediation) bool {
	act, acted := stepOf(r, v1alpha1.StepAct)
	silent := r.Spec.Action() == v1alpha1.ActionRestartService && act.Result == v1alpha1.StepFailed
	return acted && (act.Result == v1alpha1.StepDone || silent)
}

// resultOf is how a disruption ended, by the Remediation's condition Succeeded.
func resultOf(r *v1alpha1.Remediation) ledger.Result {
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	switch {
	case end == nil:
		return ""
	case isHelped(end.Reason):
		return ledger.Helped
	case end.Reason == v1alpha1.RemediationDidNotHelpReason:
		return ledger.NotHelped
	case end.Reason == v1alpha1.RemediationAbortedReason && acted(r):
		return ledger.Aborted
	case end.Reason == v1alpha1.RemediationGaveUpReason && mayHaveActed(r): // It is an attempt, but has not been seen not to help.
		return ledger.Aborted
	case end.Reason == v1alpha1.RemediationRefusedReason:
		return ledger.Refused
	}
	return ledger.Stopped
}

package action

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
)

// settle closes the ledger's entry, which frees the budget and remembers what did not help, and ends the Remediation.
func (p *Performer) settle(ctx context.Context, r *v1alpha1.Remediation, s sight) error {
	ledger, err := p.readLedger(ctx)
	if err != nil {
		return err
	}
	if _, goesOn := ledger.Ongoing(r.Name); goesOn {
		if err := p.Records.WriteLedger(ctx, ledger, p.closed(ledger.Ledger, r)); err != nil {
			return err
		}
	}
	m := move{}
	if lastStep(r).EndedAt == nil {
		m.end = tidied(r, s)
	}
	_, err = p.write(ctx, r, m, func(status *v1alpha1.RemediationStatus) { status.Phase = v1alpha1.PhaseEnded })
	return err
}

// tidied is how the last step ended: Uncordon, unless nothing was ever begun.
func tidied(r *v1alpha1.Remediation, s sight) *ending {
	cordoned, _ := stepOf(r, v1alpha1.StepCordon)
	switch {
	case lastStep(r).Name != v1alpha1.StepUncordon:
		return &ending{result: v1alpha1.StepSkipped}
	case s.node == nil:
		return &ending{result: v1alpha1.StepSkipped, message: message.Of(message.ActionNodeGone, about(r))}
	case cordoned.Result == v1alpha1.StepDone && cordoned.Message != "": // It was cordoned before, and stays so.
		return &ending{result: v1alpha1.StepSkipped, message: message.Of(message.ActionCordonedBefore, about(r))}
	}
	return done()
}

// closed is the ledger when a Remediation is over: what never began leaves no trace.
func (p *Performer) closed(ledger guard.Ledger, r *v1alpha1.Remediation) guard.Ledger {
	if _, acted := stepOf(r, v1alpha1.StepAct); !acted {
		if _, cordoned := stepOf(r, v1alpha1.StepCordon); !cordoned {
			return ledger.Release(r.Name)
		}
	}
	return ledger.Settle(r.Name, p.Clock.Now(), resultOf(r))
}

// resultOf is how a disruption ended, by the Remediation's condition Succeeded.
func resultOf(r *v1alpha1.Remediation) guard.Result {
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	switch {
	case end == nil:
		return ""
	case helps(end.Reason):
		return guard.Helped
	case end.Reason == v1alpha1.RemediationDidNotHelpReason:
		return guard.NotHelped
	}
	return guard.Stopped
}

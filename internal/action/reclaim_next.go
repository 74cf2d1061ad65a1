package action

import (
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// verifyDelay is the least time between the last deletion and the look whether the interfaces are gone: EC2's answers may be some seconds old.
	verifyDelay = 5 * time.Second
	// verifyInterval is the time between two looks, and verifyTimeout for how long it is looked.
	verifyInterval = 10 * time.Second
	verifyTimeout  = 2 * time.Minute
)

// reclaimEffect is what a reclaimTransition does beside what it records. Each is idempotent.
type reclaimEffect string

const (
	noReclaimEffect reclaimEffect = ""
	startDeletions  reclaimEffect = "start"  // runs the guard's checks, and begins with the first interface
	deleteInterface reclaimEffect = "delete" // deletes the interface of the last step
	verifyDeletions reclaimEffect = "verify" // looks whether the interfaces are gone
)

// reclaimTransition is the next change of a Remediation of an AddressPolicy: its effect, or what is recorded, then after what time to observe again.
type reclaimTransition struct {
	end          *stepEnd
	begin        *v1alpha1.Step
	conclude     *conclusion
	effect       reclaimEffect
	requeueAfter time.Duration
}

// apply is what a transition records.
func (t reclaimTransition) apply(status *v1alpha1.RemediationStatus, now time.Time) {
	rebalanceTransition{end: t.end, begin: t.begin, conclude: t.conclude}.apply(status, now)
}

// reclaimObservation is what the next transition is decided by.
type reclaimObservation struct {
	now time.Time
	// policy is nil if it is gone.
	policy *v1alpha1.AddressPolicy
	// obsolete says that nothing was deleted, and that none of the interfaces may be deleted any more.
	obsolete bool
}

// nextDeletion is the next transition of a Remediation of an AddressPolicy.
func nextDeletion(r *v1alpha1.Remediation, s reclaimObservation) reclaimTransition {
	switch {
	case r.Status.Phase == v1alpha1.PhaseEnded || r.DeletionTimestamp != nil:
		return reclaimTransition{}
	case r.Annotations[v1alpha1.RemediationAbortAnnotation] == "true":
		return stopDeletions(r, conclude(v1alpha1.RemediationAbortedReason, sentence.ActionAborted()))
	case r.Spec.Approval == v1alpha1.Rejected:
		return stopDeletions(r, conclude(v1alpha1.RemediationRejectedReason, sentence.GuardRejected()))
	case s.policy == nil:
		return stopDeletions(r, conclude(v1alpha1.RemediationNotAskedReason, sentence.ActionPolicyGone()))
	case r.Status.Phase != v1alpha1.PhaseRunning && s.obsolete:
		return stopDeletions(r, conclude(v1alpha1.RemediationNotNeededReason, sentence.AddressNotNeeded()))
	case r.Status.Phase != v1alpha1.PhaseRunning:
		return reclaimTransition{effect: startDeletions}
	case !isRun(r):
		return stopDeletions(r, conclude(v1alpha1.RemediationGaveUpReason, sentence.ActionLost()))
	}
	return runningDeletion(r, s)
}

// runningDeletion is the next transition of one that runs.
func runningDeletion(r *v1alpha1.Remediation, s reclaimObservation) reclaimTransition {
	last, wanted := lastStep(r), wantsDeletions(r, s.policy)
	next := int(last.Change) + 1
	switch {
	case last.Name == v1alpha1.StepVerify && last.EndedAt == nil:
		if left := verifyDelay - s.now.Sub(last.StartedAt.Time); left > 0 && left <= verifyDelay {
			return reclaimTransition{requeueAfter: left}
		}
		return reclaimTransition{effect: verifyDeletions}
	case last.EndedAt == nil && wanted:
		if left := reclaim.Pause - s.now.Sub(lastDeletion(r)); left > 0 && left <= reclaim.Pause {
			return reclaimTransition{requeueAfter: left}
		}
		return reclaimTransition{effect: deleteInterface}
	case !wanted && (last.EndedAt == nil || next < len(r.Spec.Changes)):
		return stopDeletions(r, conclude(v1alpha1.RemediationNotAskedReason, sentence.AddressStopped(len(deletedBy(r)), len(r.Spec.Changes), "")))
	case next < len(r.Spec.Changes):
		return reclaimTransition{begin: &v1alpha1.Step{Name: v1alpha1.StepAct, Change: int32(next), StartedAt: metav1.NewMicroTime(s.now)}}
	case len(deletedBy(r)) == 0:
		return reclaimTransition{conclude: conclude(v1alpha1.RemediationNotNeededReason, sentence.AddressNotAll(0, len(r.Spec.Changes)))}
	}
	return reclaimTransition{begin: &v1alpha1.Step{Name: v1alpha1.StepVerify, Change: last.Change, StartedAt: metav1.NewMicroTime(s.now)}}
}

// isRun says whether the status of a Remediation that runs is as the controller writes it: one step for each change, in their order.
func isRun(r *v1alpha1.Remediation) bool {
	for _, c := range r.Spec.Changes {
		if c.Action != v1alpha1.ActionDeleteInterface || c.Subject == nil {
			return false
		}
	}
	for i, step := range r.Status.Steps {
		isLast := i == len(r.Status.Steps)-1
		switch {
		case step.Name == v1alpha1.StepVerify && isLast && i == len(r.Spec.Changes):
		case step.Name != v1alpha1.StepAct || int(step.Change) != i || i >= len(r.Spec.Changes) || step.EndedAt == nil && !isLast:
			return false
		}
	}
	return len(r.Status.Steps) > 0
}

// stopDeletions ends a Remediation, and the step that it is in.
func stopDeletions(r *v1alpha1.Remediation, with *conclusion) reclaimTransition {
	t := reclaimTransition{conclude: with}
	if n := len(r.Status.Steps); n > 0 && r.Status.Steps[n-1].EndedAt == nil {
		t.end = &stepEnd{result: v1alpha1.StepSkipped}
	}
	return t
}

// wantsDeletions says whether a policy still asks for the deletions of a Remediation that runs.
func wantsDeletions(r *v1alpha1.Remediation, policy *v1alpha1.AddressPolicy) bool {
	approved := policy.Spec.Mode == v1alpha1.ModeAuto || policy.Spec.Mode == v1alpha1.ModeApprove && r.Spec.Approval == v1alpha1.Approved
	return approved && !policy.Spec.Paused
}

// afterDeletion is what a run of the interface of the last step came to. One that EC2 has stopped ends the Remediation.
func afterDeletion(r *v1alpha1.Remediation, run *reclaim.Run) reclaimTransition {
	id := "networkinterface/" + r.Spec.Changes[lastStep(r).Change].Subject.Name
	var t reclaimTransition
	for _, result := range run.Results() {
		switch result.Outcome {
		case reclaim.Deleted:
			t.end = doneWith(sentence.AddressDeleted(id))
		case reclaim.Gone:
			t.end = doneWith(sentence.AddressGone(id))
		case reclaim.Spared:
			t.end = &stepEnd{result: v1alpha1.StepSkipped, message: sentence.AddressSpared(id, string(result.Reason))}
		case reclaim.Refused:
			t.end = failed(sentence.AddressRefused(id, result.Err.Error()))
		case reclaim.Unsure:
			t.end = failed(sentence.AddressUnsure(id, result.Err.Error()))
		}
	}
	err := run.Stopped()
	if err == nil {
		return t
	}
	reason, why := v1alpha1.RemediationGaveUpReason, sentence.AddressNotAnswered(err.Error())
	if refused, is := errors.AsType[*cloud.RefusedError](err); is {
		reason, why = v1alpha1.RemediationRefusedReason, sentence.AddressLacks(refused.Permission, err.Error())
	}
	if t.end == nil {
		t.end = failed(why)
	}
	t.conclude = conclude(reason, sentence.AddressStopped(len(deletedBy(r)), len(r.Spec.Changes), message.English().Say(why)))
	return t
}

// verified is what the look whether the interfaces are gone came to.
func verified(r *v1alpha1.Remediation, left []string, err error, now time.Time) reclaimTransition {
	since := now.Sub(lastStep(r).StartedAt.Time)
	switch {
	case (err != nil || len(left) > 0) && since < verifyTimeout:
		return reclaimTransition{requeueAfter: verifyInterval}
	case err != nil:
		why := sentence.AddressNotVerified(verifyTimeout.String())
		return reclaimTransition{end: failed(why), conclude: conclude(v1alpha1.RemediationGaveUpReason, why)}
	case len(left) > 0:
		why := sentence.AddressStillThere(verifyTimeout.String(), message.ListOf(left))
		return reclaimTransition{end: failed(why), conclude: conclude(v1alpha1.RemediationDidNotHelpReason, why)}
	}
	gone, all := len(deletedBy(r)), len(r.Spec.Changes)
	if gone < all {
		return reclaimTransition{end: done(), conclude: conclude(v1alpha1.RemediationNotAsForecastReason, sentence.AddressNotAll(gone, all))}
	}
	return reclaimTransition{end: done(), conclude: conclude(v1alpha1.RemediationAsForecastReason, sentence.AddressAsForecast(all))}
}

// deletedBy are the interfaces that a Remediation has deleted.
func deletedBy(r *v1alpha1.Remediation) []string {
	var ids []string
	for _, step := range r.Status.Steps {
		if step.Name == v1alpha1.StepAct && step.Result == v1alpha1.StepDone {
			ids = append(ids, r.Spec.Changes[step.Change].Subject.Name)
		}
	}
	return ids
}

// lastDeletion is when the last step ended that may have deleted an interface; zero if none has.
func lastDeletion(r *v1alpha1.Remediation) time.Time {
	for _, step := range slices.Backward(r.Status.Steps) {
		if step.Name == v1alpha1.StepAct && step.EndedAt != nil {
			return step.EndedAt.Time
		}
	}
	return time.Time{}
}

package action

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
)

// AddressAdvisor decides for the Reclaimer. The controller answers from its watch, and from what it read of the cloud.
type AddressAdvisor interface {
	// IsObsolete says of a Remediation that has deleted nothing whether none of its interfaces may be deleted any more; false if that is not known.
	IsObsolete(*v1alpha1.Remediation, *v1alpha1.AddressPolicy) bool
	// CheckGuard runs the guard's checks on fresh facts.
	CheckGuard(context.Context, *v1alpha1.Remediation, *v1alpha1.AddressPolicy) guard.Ruling
	// Scope is what is known of the cluster now, with the policy's limits, and the observations that the policy keeps.
	Scope(context.Context, *v1alpha1.AddressPolicy) (reclaim.Scope, []reclaim.Observation, error)
	// Deleter deletes interfaces.
	Deleter() (cloud.InterfaceDeleter, error)
	// Remaining are those of some interfaces that the cloud shows now.
	Remaining(ctx context.Context, ids []string) ([]string, error)
}

// Reclaimer performs Remediations of AddressPolicies: it deletes interfaces, one after the other, and stops where EC2 would refuse the next one, too. It
// has no state that another needs, so that any number of Reclaimers may follow each other.
type Reclaimer struct {
	Records *record.Records
	// Advisor may be nil where Remediations are only aborted.
	Advisor AddressAdvisor
	// Leading says whether this process holds the controller's lease; it is called right before each change.
	Leading func(context.Context) (bool, error)
	Clock   clock.Clock
	// OnUpdate is called with each status that was written; may be nil.
	OnUpdate func(before, after *v1alpha1.Remediation)

	// tried is the Remediation whose dry run has passed in this process.
	tried string
}

// Advance performs transitions of one Remediation until it has to wait, and returns after what time to call it again; zero is when it has ended. The
// policy is as the caller has it, nil if it is gone. Advance is idempotent and may be retried after an error.
func (b *Reclaimer) Advance(ctx context.Context, name string, policy *v1alpha1.AddressPolicy) (again time.Duration, err error) {
	for range maxTransitions {
		r, err := b.Records.Get(ctx, name)
		if err != nil {
			return 0, client.IgnoreNotFound(err)
		}
		s := reclaimObservation{now: b.Clock.Now(), policy: policy}
		s.obsolete = b.Advisor != nil && policy != nil && r.Status.Phase != v1alpha1.PhaseRunning && b.Advisor.IsObsolete(r, policy)
		t := nextDeletion(r, s)
		if t == (reclaimTransition{}) {
			return 0, nil
		}
		if leading, err := b.Leading(ctx); err != nil || !leading {
			return 0, err
		}
		switch again, err := b.perform(ctx, r, policy, t); {
		case apierrors.IsConflict(err): // The object has changed since it was read: read again.
		case err != nil || again > 0:
			return again, err
		}
	}
	return time.Second, nil
}

// perform has the effect of a transition, and records what came of it.
func (b *Reclaimer) perform(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.AddressPolicy, t reclaimTransition) (again time.Duration, err error) {
	switch t.effect {
	case startDeletions:
		ruling := b.Advisor.CheckGuard(ctx, r, policy)
		if change := beginAs(r, ruling, b.Clock.Now()); change != nil {
			err = b.write(ctx, r, change)
		}
		return untilRuled(ruling), err
	case deleteInterface:
		return b.delete(ctx, r, policy)
	case verifyDeletions:
		ids := deletedBy(r)
		left, err := b.Advisor.Remaining(ctx, ids)
		t = verified(r, left, err, b.Clock.Now())
		if t.requeueAfter > 0 {
			return t.requeueAfter, nil
		}
		return 0, b.write(ctx, r, t.apply)
	}
	if t.end != nil || t.begin != nil || t.conclude != nil {
		err = b.write(ctx, r, t.apply)
	}
	return t.requeueAfter, err
}

// delete deletes the interface of the last step, if it still may be, and records what came of it.
func (b *Reclaimer) delete(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.AddressPolicy) (again time.Duration, err error) {
	step := lastStep(r)
	id := r.Spec.Changes[step.Change].Subject.Name
	scope, observations, err := b.Advisor.Scope(ctx, policy)
	if err != nil {
		return 0, fmt.Errorf("delete %s: %w", id, err)
	}
	deleter, err := b.Advisor.Deleter()
	if err != nil {
		return 0, fmt.Errorf("delete %s: %w", id, err)
	}
	run := scope.NewRun([]reclaim.Decision{{Interface: cloud.Interface{ID: id}, Reason: reclaim.Eligible}}, observations)
	if b.tried == r.Name {
		run.Continue(lastDeletion(r))
	}
	if err := DeleteInterfaces(ctx, deleter, run, b.Clock); err != nil {
		return 0, err
	}
	if run.MayDelete() {
		b.tried = r.Name
	}
	if err := b.write(ctx, r, afterDeletion(r, run).apply); err != nil {
		return 0, err
	}
	return reclaim.Pause, nil
}

// write records a change of the status.
func (b *Reclaimer) write(ctx context.Context, r *v1alpha1.Remediation, change func(*v1alpha1.RemediationStatus, time.Time)) error {
	now := b.Clock.Now()
	after, err := b.Records.UpdateStatus(ctx, r, func(status *v1alpha1.RemediationStatus) {
		change(status, now)
		setApprovedCondition(status, &r.Spec, now)
		status.ObservedGeneration = r.Generation
	})
	if err == nil && b.OnUpdate != nil {
		b.OnUpdate(r, after)
	}
	return err
}

package action

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
)

// NodeGroupAdvisor decides for the NodeGroupResizer. The controller answers from its watch.
type NodeGroupAdvisor interface {
	// CheckGuard runs the guard's checks on fresh facts.
	CheckGuard(context.Context, *v1alpha1.Remediation, *v1alpha1.HeadroomPolicy) guard.Ruling
	// IsCovered says whether a zone is covered now; an error if that is not known.
	IsCovered(ctx context.Context, zone string) (bool, error)
	// Nodes are those of the cluster.
	Nodes() []*corev1.Node
	// Sizer sizes node groups; an error if there is no access.
	Sizer() (cloud.NodeGroupSizer, error)
}

// NodeGroupResizer performs Remediations of HeadroomPolicies: it raises the size of a node group, follows the provider's update to its end, and looks for a
// ready node in the zone. It has no state, so that any number of NodeGroupResizers may follow each other.
type NodeGroupResizer struct {
	Records *record.Records
	// Advisor may be nil where Remediations are only aborted.
	Advisor NodeGroupAdvisor
	// Leading says whether this process holds the controller's lease; it is called right before each change.
	Leading func(context.Context) (bool, error)
	Clock   clock.PassiveClock
	// OnUpdate is called with each status that was written; may be nil.
	OnUpdate func(before, after *v1alpha1.Remediation)
}

// Advance performs transitions of one Remediation until it has to wait, and returns after what time to call it again; zero is when it has ended. The
// policy is as the caller has it, nil if it is gone. Advance is idempotent and may be retried after an error.
func (b *NodeGroupResizer) Advance(ctx context.Context, name string, policy *v1alpha1.HeadroomPolicy) (again time.Duration, err error) {
	for range maxTransitions {
		r, err := b.Records.Get(ctx, name)
		if err != nil {
			return 0, client.IgnoreNotFound(err)
		}
		t := nextResize(r, policy, b.Clock.Now())
		if t == (resizeTransition{}) {
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
func (b *NodeGroupResizer) perform(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.HeadroomPolicy, t resizeTransition) (time.Duration, error) {
	if t.effect == noResizeEffect {
		return t.requeueAfter, b.write(ctx, r, t.apply)
	}
	resize, _ := r.Spec.Changes[0].Resize()
	sizer, err := b.Advisor.Sizer()
	if err != nil {
		return 0, fmt.Errorf("resize %s: %w", resize.Group, err)
	}
	switch t.effect {
	case startResize:
		return b.start(ctx, r, policy, resize, sizer)
	case resizeGroup:
		t = b.resize(ctx, r, resize, sizer)
	case verifyResize:
		t = b.verify(ctx, r, resize, sizer)
	}
	if t.requeueAfter > 0 {
		return t.requeueAfter, nil
	}
	return 0, b.write(ctx, r, t.apply)
}

// start runs the guard's checks, and begins if the zone still needs the node and the group is as it was planned for.
func (b *NodeGroupResizer) start(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.HeadroomPolicy, resize v1alpha1.NodeGroupResize, sizer cloud.NodeGroupSizer) (time.Duration, error) {
	ruling := b.Advisor.CheckGuard(ctx, r, policy)
	if ruling.Decision != guard.Allow {
		if change := beginAs(r, ruling, b.Clock.Now()); change != nil {
			return untilRuled(ruling), b.write(ctx, r, change)
		}
		return untilRuled(ruling), nil
	}
	covered, err := b.Advisor.IsCovered(ctx, resize.Zone)
	if err != nil {
		return 0, fmt.Errorf("resize %s: %w", resize.Group, err)
	}
	group, err := sizer.NodeGroup(ctx, groupRef(resize))
	if refused, is := errors.AsType[*cloud.RefusedError](err); is { // The permission was there when the resize was planned.
		t := stopResize(r, conclude(v1alpha1.RemediationRefusedReason, sentence.ZoneResizeRefused(groupName(resize), refused.Permission, err.Error())))
		return 0, b.write(ctx, r, t.apply)
	}
	if err != nil {
		return 0, fmt.Errorf("resize %s: %w", resize.Group, err)
	}
	if t := unneeded(resize, covered, group); t.conclude != nil {
		return 0, b.write(ctx, r, t.apply)
	}
	begin := beginAs(r, ruling, b.Clock.Now())
	return 0, b.write(ctx, r, func(status *v1alpha1.RemediationStatus, now time.Time) {
		begin(status, now)
		status.Steps[0].Before = strconv.Itoa(group.Desired)
	})
}

// resize asks the provider for the new size, if the group still has the size that it had when the step began.
func (b *NodeGroupResizer) resize(ctx context.Context, r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, sizer cloud.NodeGroupSizer) resizeTransition {
	group, err := sizer.NodeGroup(ctx, groupRef(resize))
	if err != nil {
		return afterResize(r, resize, cloud.Operation{}, err, b.Clock.Now())
	}
	if t, decided := beforeResize(r, resize, group, b.Clock.Now()); decided {
		return t
	}
	operation, err := sizer.Resize(ctx, groupRef(resize), resize.Desired, max(resize.Min, group.Min), string(r.UID))
	return afterResize(r, resize, operation, err, b.Clock.Now())
}

// verify follows the provider's update, and looks for a new node in the zone.
func (b *NodeGroupResizer) verify(ctx context.Context, r *v1alpha1.Remediation, resize v1alpha1.NodeGroupResize, sizer cloud.NodeGroupSizer) resizeTransition {
	now := b.Clock.Now()
	act := r.Status.Steps[0]
	var unread error
	if act.Operation != "" {
		var state cloud.ResizeState
		state, unread = sizer.ResizeState(ctx, groupRef(resize), act.Operation)
		if t, decided := followed(r, resize, state, unread, now); decided {
			return t
		}
	}
	covered, err := b.Advisor.IsCovered(ctx, resize.Zone)
	return verifiedResize(r, resize, b.Advisor.Nodes(), covered && err == nil, unread, now)
}

// write records a change of the status.
func (b *NodeGroupResizer) write(ctx context.Context, r *v1alpha1.Remediation, change func(*v1alpha1.RemediationStatus, time.Time)) error {
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

func groupRef(resize v1alpha1.NodeGroupResize) cloud.NodeGroupRef {
	return cloud.NodeGroupRef{Name: resize.Group, Cluster: resize.Cluster}
}

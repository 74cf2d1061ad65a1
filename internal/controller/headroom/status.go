package headroom

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/protection"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// longestMessage is that of a condition.
const longestMessage = 4096

// updateStatus writes the status of a policy, and makes Events of what has changed.
func (c *Reconciler) updateStatus(ctx context.Context, policy *v1alpha1.HeadroomPolicy, a headroompolicy.Assessment, d headroompolicy.Decision, protected *protection.Assessment, resized bool) error {
	now := metav1.NewTime(c.Clock.Now())
	covered := metav1.Condition{
		Type: v1alpha1.HeadroomCovered, Status: a.Covered, Reason: a.Reason, Message: textutil.Truncate(message.English().Say(a.Why), longestMessage),
		ObservedGeneration: policy.Generation, LastTransitionTime: now,
	}
	before := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.HeadroomCovered)
	_, err := c.Records.UpdateHeadroomPolicyStatus(ctx, policy, func(s *v1alpha1.HeadroomPolicyStatus) {
		s.ObservedGeneration = policy.Generation
		s.Wanted, s.Bound, s.Pending, s.Failures = a.Wanted, a.Bound, a.Pending, a.Failures
		s.NeededNodes, s.UnreadKinds, s.MissingWorkloads = a.NeededNodes, a.Unread, a.Missing
		s.LackingSince, s.ExcessSince = d.LackingSince, d.ExcessSince
		if resized {
			s.ResizedAt = &now
		}
		if policy.StatesFailures() {
			meta.SetStatusCondition(&s.Conditions, covered)
		} else {
			meta.RemoveStatusCondition(&s.Conditions, v1alpha1.HeadroomCovered)
		}
		setProtection(s, policy.Generation, now, protected)
	})
	if err != nil {
		return err
	}
	about := policy.DeepCopy()
	about.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.HeadroomPolicyKind))
	if resized {
		said := sentence.HeadroomPolicyGivenBack()
		if policy.Holds() {
			said = sentence.HeadroomPolicyResized(a.Plan.Sentence())
		}
		c.Records.Event(about, corev1.EventTypeNormal, "HeadroomResized", "Resize", message.English().Say(said))
	}
	c.tellProtection(about, protected)
	switch {
	case before != nil && before.Status == covered.Status, !policy.Holds():
	case covered.Status == metav1.ConditionTrue:
		c.Records.Event(about, corev1.EventTypeNormal, "HeadroomCovered", "Assess", covered.Message)
	case before != nil: // A new policy does not cover anything yet.
		c.Records.Event(about, corev1.EventTypeWarning, "HeadroomNotCovered", "Assess", covered.Message)
	}
	return nil
}

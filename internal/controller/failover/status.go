package failover

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// updateStatus writes the status of a policy, and an Event when the reason of its condition Ready changes.
func (c *Reconciler) updateStatus(ctx context.Context, policy *v1alpha1.FailoverPolicy, all []failoverpolicy.Assessment) error {
	counted := failoverpolicy.Count(all, policy.Name)
	ready := c.readyCondition(policy, counted)
	before := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.PolicyReady)
	_, err := c.Records.UpdateFailoverPolicyStatus(ctx, policy, func(s *v1alpha1.FailoverPolicyStatus) {
		s.ObservedGeneration = policy.Generation
		s.Pods = new(sum(counted))
		s.CoveredPods, s.DuePods, s.WaitingPods = new(counted[failoverpolicy.Covered]), new(counted[failoverpolicy.Due]), new(counted[failoverpolicy.Waiting])
		s.ExplicitPods, s.UnsupportedPods = new(counted[failoverpolicy.Explicit]), new(counted[failoverpolicy.Unsupported])
		meta.SetStatusCondition(&s.Conditions, ready)
	})
	if err == nil && (before == nil && ready.Status != metav1.ConditionTrue || before != nil && before.Reason != ready.Reason) {
		kind := corev1.EventTypeNormal
		if ready.Status != metav1.ConditionTrue {
			kind = corev1.EventTypeWarning
		}
		c.Records.Event(policy, kind, ready.Reason, "Watch", ready.Message)
	}
	return err
}

func sum(counted map[failoverpolicy.State]int32) int32 {
	var all int32
	for _, n := range counted {
		all += n
	}
	return all
}

// readyCondition is the condition Ready: the first reason for which the policy has no effect on some pods, if there is one.
func (c *Reconciler) readyCondition(policy *v1alpha1.FailoverPolicy, counted map[failoverpolicy.State]int32) metav1.Condition {
	because := func(status metav1.ConditionStatus, reason string, why message.Sentence) metav1.Condition {
		const longest = 1024
		return metav1.Condition{
			Type: v1alpha1.PolicyReady, Status: status, Reason: reason, Message: textutil.Truncate(message.English().Say(why), longest),
			ObservedGeneration: policy.Generation, LastTransitionTime: metav1.NewTime(c.Clock.Now()),
		}
	}
	invalid := kube.InvalidPodSelector(&policy.Spec.NamespaceSelector, &policy.Spec.PodSelector)
	failed, hasFailed := c.obstacles[policy.Name]
	switch {
	case len(invalid) > 0:
		return because(metav1.ConditionFalse, v1alpha1.PolicyInvalidSelectorReason, sentence.FailoverInvalidSelector(message.ListOf(invalid)))
	case policy.Spec.Paused:
		return because(metav1.ConditionFalse, v1alpha1.PolicyPausedReason, sentence.FailoverPaused())
	case sum(counted) == 0:
		return because(metav1.ConditionFalse, v1alpha1.PolicyNoPodsReason, sentence.FailoverNoPods())
	case hasFailed:
		return because(metav1.ConditionFalse, failed.reason, sentence.FailoverNotChanged(failed.err.Error()))
	}
	return because(metav1.ConditionTrue, v1alpha1.PolicyReadyReason, sentence.FailoverReady())
}

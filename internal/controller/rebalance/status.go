package rebalance

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// updateStatus writes the status of a policy.
func (c *Reconciler) updateStatus(ctx context.Context, policy *v1alpha1.RebalancePolicy, all, unbalanced int) error {
	ready := c.readyCondition(policy, all)
	_, err := c.Records.UpdateRebalancePolicyStatus(ctx, policy, func(s *v1alpha1.RebalancePolicyStatus) {
		s.ObservedGeneration = policy.Generation
		s.Workloads, s.UnbalancedWorkloads = new(int32(all)), new(int32(unbalanced))
		meta.SetStatusCondition(&s.Conditions, ready)
	})
	return err
}

// readyCondition is the condition Ready: the first reason for which the policy has no effect on some workloads, if there is one.
func (c *Reconciler) readyCondition(policy *v1alpha1.RebalancePolicy, all int) metav1.Condition {
	because := func(status metav1.ConditionStatus, reason string, why message.Sentence) metav1.Condition {
		const longest = 4096
		return metav1.Condition{
			Type: v1alpha1.PolicyReady, Status: status, Reason: reason, Message: textutil.Truncate(message.English().Say(why), longest),
			ObservedGeneration: policy.Generation, LastTransitionTime: metav1.NewTime(c.Clock.Now()),
		}
	}
	invalid := kube.InvalidPodSelector(&policy.Spec.NamespaceSelector, &policy.Spec.PodSelector)
	last, fruitless := c.fruitless[policy.Name]
	switch {
	case len(invalid) > 0:
		return because(metav1.ConditionFalse, v1alpha1.PolicyInvalidSelectorReason, sentence.FailoverInvalidSelector(message.ListOf(invalid)))
	case policy.Spec.Paused:
		return because(metav1.ConditionFalse, v1alpha1.PolicyPausedReason, sentence.GuardPaused())
	case all == 0:
		return because(metav1.ConditionFalse, v1alpha1.PolicyNoPodsReason, sentence.RebalanceNoWorkloads())
	case fruitless:
		return because(metav1.ConditionFalse, v1alpha1.PolicyNoPlanReason, sentence.RebalanceNoPlan(message.ListOf(reasonsOf(last.unmet))))
	}
	return because(metav1.ConditionTrue, v1alpha1.PolicyReadyReason, sentence.FailoverReady())
}

// reasonsOf say why workloads stay out of balance, at most a few.
func reasonsOf(unmet []rebalance.Unmet) []string {
	const most = 5
	var all []string
	for _, u := range unmet[:min(len(unmet), most)] {
		all = append(all, message.English().Say(u.Sentence(change.NamespacedRef(u.Workload).String())))
	}
	return all
}

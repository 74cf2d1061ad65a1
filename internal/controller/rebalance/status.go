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
	"github.com/naosu-dev/naosu/internal/textutil"
)

// observation is what is known of a policy: how many workloads it decides for, how many of them are out of balance, how many nodes are overutilized (nil if
// utilization is not considered), and why utilization is not considered although the policy asks for it.
type observation struct {
	all, unbalanced int
	overutilized    *int32
	obstacle        message.Sentence
}

// updateStatus writes the status of a policy.
func (c *Reconciler) updateStatus(ctx context.Context, policy *v1alpha1.RebalancePolicy, o observation) error {
	ready := c.readyCondition(policy, o)
	_, err := c.Records.UpdateRebalancePolicyStatus(ctx, policy, func(s *v1alpha1.RebalancePolicyStatus) {
		s.ObservedGeneration = policy.Generation
		s.Workloads, s.UnbalancedWorkloads, s.OverutilizedNodes = new(int32(o.all)), new(int32(o.unbalanced)), o.overutilized
		meta.SetStatusCondition(&s.Conditions, ready)
	})
	return err
}

// readyCondition is the condition Ready: the first reason for which the policy has no effect on some workloads, if there is one.
func (c *Reconciler) readyCondition(policy *v1alpha1.RebalancePolicy, o observation) metav1.Condition {
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
	case o.all == 0:
		return because(metav1.ConditionFalse, v1alpha1.PolicyNoPodsReason, sentence.RebalanceNoWorkloads())
	case fruitless:
		return because(metav1.ConditionFalse, v1alpha1.PolicyNoPlanReason, sentence.RebalanceNoPlan(message.ListOf(reasonsOf(last))))
	case !o.obstacle.IsZero():
		return because(metav1.ConditionFalse, v1alpha1.PolicyUtilizationNotConsideredReason, o.obstacle)
	}
	return because(metav1.ConditionTrue, v1alpha1.PolicyReadyReason, sentence.FailoverReady())
}

// reasonsOf say why workloads stay out of balance, and nodes overutilized, at most a few.
func reasonsOf(last fruitless) []string {
	const most = 5
	var all []string
	for _, u := range last.unmet {
		all = append(all, message.English().Say(u.Sentence(change.NamespacedRef(u.Workload).String())))
	}
	for _, node := range last.nodes {
		all = append(all, message.English().Say(node.Sentence()))
	}
	return all[:min(len(all), most)]
}

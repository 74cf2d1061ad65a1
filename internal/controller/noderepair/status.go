package noderepair

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// updateStatus writes the status of a policy, and an Event when the reason of its condition Ready changes.
func (c *Reconciler) updateStatus(ctx context.Context, world *cluster.Snapshot, own objects, brake *brake, policy *v1alpha1.NodeRepairPolicy) error {
	nodes := repairpolicy.Selected(policy, world.Nodes())
	unhealthy := slices.DeleteFunc(slices.Clone(nodes), func(n *corev1.Node) bool { return !repairpolicy.MeetsAny(policy.Spec.Rules, n.Status.Conditions) })
	permissions := c.permissions(ctx, policy, nodes)
	ready := c.readyCondition(ctx, world, brake, policy, nodes, unhealthy, permissions)
	unasked := c.automateCondition(ctx, policy)
	before := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.PolicyReady)
	_, err := c.Records.UpdatePolicyStatus(ctx, policy, func(s *v1alpha1.NodeRepairPolicyStatus) {
		s.ObservedGeneration = policy.Generation
		s.Nodes, s.UnhealthyNodes = new(int32(len(nodes))), new(int32(len(unhealthy)))
		s.AsForecast, s.AsForecastByAction = countAsForecast(own, policy)
		s.Permissions = permissions
		meta.SetStatusCondition(&s.Conditions, ready)
		if unasked != nil {
			meta.SetStatusCondition(&s.Conditions, *unasked)
		} else {
			meta.RemoveStatusCondition(&s.Conditions, v1alpha1.PolicyUnasked)
		}
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

// countAsForecast is how many Remediations of a policy turned out as forecast, in all, and for each action that it may take.
func countAsForecast(own objects, policy *v1alpha1.NodeRepairPolicy) (all *int32, each []v1alpha1.ActionCount) {
	counted, total := asForecast(own.remediations, policy), 0
	for _, n := range counted {
		total += n
	}
	for _, action := range actionsOf(&policy.Spec) {
		each = append(each, v1alpha1.ActionCount{Action: action, Count: int32(counted[action])})
	}
	return new(int32(total)), each
}

// readyCondition is the condition Ready: the first reason for which the policy repairs nothing, if there is one.
func (c *Reconciler) readyCondition(ctx context.Context, world *cluster.Snapshot, brake *brake, policy *v1alpha1.NodeRepairPolicy, nodes, unhealthy []*corev1.Node, permissions []v1alpha1.Permission) metav1.Condition {
	condition := metav1.Condition{
		Type: v1alpha1.PolicyReady, Status: metav1.ConditionFalse, ObservedGeneration: policy.Generation, LastTransitionTime: metav1.NewTime(c.Clock.Now()),
	}
	because := func(reason, text string) metav1.Condition {
		condition.Reason, condition.Message = reason, text
		return condition
	}
	say := message.English()
	invalid := repairpolicy.InvalidSelector(&policy.Spec)
	switch {
	case len(invalid) > 0:
		return because(v1alpha1.PolicyInvalidSelectorReason, say.Say(sentence.PolicyInvalidSelector(message.ListOf(invalid))))
	case policy.Spec.Paused:
		return because(v1alpha1.PolicyPausedReason, say.Say(sentence.PolicyPaused()))
	case len(nodes) == 0:
		return because(v1alpha1.PolicyNoNodesReason, say.Say(sentence.PolicyNoNodes()))
	}
	if why, braked := brake.stopsAny(policy, unhealthy); braked {
		return because(v1alpha1.PolicyBrakedReason, say.Say(why.Message))
	}
	if rivals := c.competingRepairers(ctx, world, policy, nodes); len(rivals) > 0 {
		return because(v1alpha1.PolicyCompetingReason, say.Say(sentence.PolicyCompeting(message.ListOf(rivals))))
	}
	if at := slices.IndexFunc(permissions, func(p v1alpha1.Permission) bool { return p.May == v1alpha1.MayNo || p.Actuator == noActuator }); at >= 0 {
		return because(v1alpha1.PolicyNoActuatorReason, say.Say(sentence.PolicyNoActuator(string(permissions[at].Action), permissions[at].Actuator, permissions[at].Message)))
	}
	condition.Status = metav1.ConditionTrue
	return because(v1alpha1.PolicyReadyReason, say.Say(sentence.PolicyReady()))
}

// competingRepairers are the names of the other repairers of the policy's nodes, as far as they are known.
func (c *Reconciler) competingRepairers(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) []string {
	found, _, _ := c.repairers.get(ctx, c.Clock, c.providers(), world.Nodes(), statusRepairersMaxAge)
	return refNames(competingRepairersIn(found, policy.Spec.Rules, nodes))
}

func refNames(refs []change.Ref) []string {
	var names []string
	for _, ref := range refs {
		names = append(names, ref.String())
	}
	slices.Sort(names)
	const most = 5 // More make no sentence.
	names = slices.Compact(names)
	return names[:min(len(names), most)]
}

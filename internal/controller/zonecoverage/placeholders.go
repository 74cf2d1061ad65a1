package zonecoverage

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/zonecoverage"
)

// hold makes the placeholder pods of a policy in zones what is wanted, and notes in the observation how many there are in each zone and what keeps them from
// being created. Where nothing is known, and while the policy is paused, those that are there stay.
func (c *Reconciler) hold(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, o *observation) error {
	if policy.Spec.Paused || len(o.unread) > 0 {
		return nil
	}
	existing, err := c.writer.Existing(ctx)
	if err != nil {
		return err
	}
	maker, err := c.writer.Maker(ctx, policy)
	if err != nil {
		return err
	}
	holds := func(room headroompolicy.ZoneRoom) bool { return maker.HoldsForZones(policy, existing, room) }
	var wanted []headroompolicy.ZoneRoom
	for i := range o.zones {
		z := &o.zones[i]
		held := zonecoverage.Placeholders(z.Zone, z.facts, holds)
		wanted = append(wanted, held...)
		z.status.Placeholders = int32(len(held))
	}
	changes := maker.DiffForZones(policy, existing, maker.MakeForZones(policy, wanted))
	if changes.None() {
		return nil
	}
	reason, why := c.obstacle(ctx, world, policy, wanted)
	if reason == "" {
		err := c.writer.Apply(ctx, policy, changes)
		switch {
		case apierrors.IsForbidden(err):
			reason, why = v1alpha1.PolicyNotPermittedReason, sentence.HeadroomPolicyForbidden(c.Namespace)
		case err != nil:
			return err
		default:
			c.Log.Info("Placeholder pods in zones changed", "policy", policy.Name, "placeholders", len(wanted))
			return nil
		}
	}
	for i := range o.zones {
		z := &o.zones[i]
		if z.status.Placeholders > 0 {
			z.obstruct(reason, why, holds)
		}
	}
	return nil
}

// obstacle is why no placeholder pod is created now: their PriorityClass is not as it should be, or the guard does not allow it; its reason is empty if there is
// none.
func (c *Reconciler) obstacle(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, wanted []headroompolicy.ZoneRoom) (string, message.Sentence) {
	if len(wanted) == 0 {
		return "", message.Sentence{}
	}
	if name, exists := headroompolicy.HasClass(world, policy); !exists {
		return v1alpha1.HeadroomNoPriorityClassReason, sentence.HeadroomPolicyNoClass(name)
	}
	ruling := guard.Decide(guard.HeadroomChecks(), guard.Proposal{Confirmed: world.Taken()}, c.ClusterFacts(ctx, world))
	if ruling.Decision != guard.Allow {
		return v1alpha1.ZoneLackingReason, ruling.Message
	}
	return "", message.Sentence{}
}

// obstruct notes why there are not more placeholder pods in the zone than there were.
func (z *observedZone) obstruct(reason string, why message.Sentence, holds func(headroompolicy.ZoneRoom) bool) {
	z.status.Placeholders = 0
	for _, room := range zonecoverage.Placeholders(z.Zone, z.facts, holds) {
		if holds(room) {
			z.status.Placeholders++
		}
	}
	if z.Covered == metav1.ConditionFalse {
		z.decision.Reason, z.decision.Why = reason, why
		z.status.Reason, z.status.Message = reason, english(why)
	}
}

package noderepair

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// errNodesUnknown is that the watch has no nodes.
var errNodesUnknown = errors.New("nodes are not known: they cannot be read, or have not been read yet")

// Plan creates the Remediations that policies propose now, writes the policies' status, and deletes old Remediations. It returns after
// what time to plan again.
func (c *Reconciler) Plan(ctx context.Context) (time.Duration, error) {
	own, err := c.objects(ctx)
	if err != nil {
		return resyncInterval, err
	}
	world := c.World()
	if !world.Knowledge(cluster.Node).Known() {
		return resyncInterval, errNodesUnknown
	}
	again := resyncInterval
	c.forecasts.expire(world.Taken())
	brake := c.brake(ctx, world, own)
	next, errs := c.propose(ctx, own, brake, world.Nodes())
	if !next.IsZero() {
		again = min(again, max(next.Sub(c.Clock.Now()), time.Millisecond))
	}
	for i := range own.policies {
		errs = errors.Join(errs, c.updateStatus(ctx, world, own, brake, &own.policies[i]))
	}
	return again, errors.Join(errs, c.prune(ctx, own, world.Nodes()))
}

// maxBrakedProposals is how many Remediations a policy has that the brake delays: enough to show why. In an outage thousands would
// say nothing more, and would load an API server that may be overloaded itself.
const maxBrakedProposals = 3

// propose creates the Remediations that policies propose and returns when the next rule is due. The ledger is read only if one is
// proposed.
func (c *Reconciler) propose(ctx context.Context, own objects, brake *brake, nodes []*corev1.Node) (next time.Time, errs error) {
	now := c.Clock.Now()
	plan := repairpolicy.Propose(own.policies, nodes, own.remediations, ledger.Ledger{}, now)
	if len(plan.Remediations) == 0 {
		return plan.Next, nil
	}
	read, err := c.Records.ReadLedger(ctx)
	if err != nil {
		return plan.Next, err
	}
	plan = repairpolicy.Propose(own.policies, nodes, own.remediations, read.Ledger, now)
	open := own.openRemediations()
	for i := range plan.Remediations {
		proposed := &plan.Remediations[i]
		policy := own.policy(proposed.Spec.Policy.Name)
		if _, braked := brake.stops(policy, proposed.Spec.Node.Name); braked && open[policy.Name] >= maxBrakedProposals {
			continue
		}
		open[policy.Name]++
		errs = errors.Join(errs, c.create(ctx, policy, proposed))
	}
	return plan.Next, errs
}

func (c *Reconciler) create(ctx context.Context, policy *v1alpha1.NodeRepairPolicy, proposed *v1alpha1.Remediation) error {
	made, err := c.Records.Create(ctx, proposed)
	if err != nil {
		return fmt.Errorf("proposing %s of %s: %w", proposed.Spec.Action(), proposed.Spec.Node.Name, err)
	}
	if made.Status.Phase == "" {
		c.Records.Event(policy, corev1.EventTypeNormal, "Proposed", "Propose", message.English().Say(sentence.EventProposed("node/"+made.Spec.Node.Name, made.Spec.Policy.Rule, "remediation/"+made.Name, string(made.Spec.Action()))))
	}
	return nil
}

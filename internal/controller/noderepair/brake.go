package noderepair

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
)

// brakeChecks are the guard's checks that stop repair because many nodes are unhealthy together.
var brakeChecks = []string{"zone-state", "failing-together", "api-server", "zonal-shift"}

// brake runs brakeChecks for one plan. Facts are gathered at the first call, and nodes that are equal in what those checks read share
// one ruling: in a large outage it is called for thousands.
type brake struct {
	gather  func() guard.Facts
	checks  []guard.Check
	facts   *guard.Facts
	rulings map[brakeKey]guard.Ruling
}

type brakeKey struct{ policy, zone, image, instanceType, agent string }

func (c *Reconciler) brake(ctx context.Context, world *cluster.Snapshot, own objects) *brake {
	return &brake{
		gather: func() guard.Facts {
			at := takenAt(world, cluster.Node, cluster.Pod)
			return guard.Facts{
				Now: c.Clock.Now(), Nodes: guard.Known(guardNodes(world, own.policies), at), ShiftedZones: guard.Known(shiftedZones(world), at), APIServer: c.apiServer(ctx, world),
			}
		},
		checks:  slices.DeleteFunc(slices.Clone(c.checks()), func(check guard.Check) bool { return !slices.Contains(brakeChecks, check.Name) }),
		rulings: map[brakeKey]guard.Ruling{},
	}
}

// stops returns the verdict that stops the repair of a node, if any does.
func (b *brake) stops(policy *v1alpha1.NodeRepairPolicy, node string) (guard.Named, bool) {
	if len(b.checks) == 0 {
		return guard.Named{}, false
	}
	if b.facts == nil {
		b.facts = new(b.gather())
	}
	n := nodeNamed(b.facts.Nodes.Value, node)
	key := brakeKey{policy.Name, n.Zone, n.Image, n.InstanceType, n.AgentVersion}
	ruling, ok := b.rulings[key]
	if !ok {
		ruling = guard.Decide(b.checks, guard.Proposal{Node: n, Policy: policy.Spec}, *b.facts)
		b.rulings[key] = ruling
	}
	return ruling.Named, ruling.Decision != guard.Allow
}

// stopsAny returns the first verdict that stops the repair of one of a policy's unhealthy nodes.
func (b *brake) stopsAny(policy *v1alpha1.NodeRepairPolicy, unhealthy []*corev1.Node) (guard.Named, bool) {
	for _, node := range unhealthy {
		if why, braked := b.stops(policy, node.Name); braked {
			return why, true
		}
	}
	return guard.Named{}, false
}

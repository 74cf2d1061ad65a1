package noderepair

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
)

// stops are the guard's checks that stop repair because of what ails many nodes together.
var stops = []string{"zone-state", "failing-together", "api-server", "zonal-shift"}

// brake is what stops the repair of nodes, for one look at the cluster. Facts are gathered when it is first asked, and nodes
// that have all in common that the guard looks at have one answer: in a large outage it is asked about thousands.
type brake struct {
	gather func() guard.Facts
	checks []guard.Check
	facts  *guard.Facts
	known  map[likeness]guard.Ruling
}

type likeness struct{ policy, zone, image, instanceType, agent string }

func (c *Concern) brake(ctx context.Context, world *cluster.Snapshot, own objects) *brake {
	return &brake{
		gather: func() guard.Facts {
			at := takenOf(world, cluster.Node, cluster.Pod)
			return guard.Facts{
				Now: c.Clock.Now(), Nodes: guard.Known(nodesOf(world, own.policies), at), ShiftedZones: guard.Known(shiftedOf(world), at), APIServer: c.apiServer(ctx, world),
			}
		},
		checks: slices.DeleteFunc(slices.Clone(c.checks()), func(check guard.Check) bool { return !slices.Contains(stops, check.Name) }),
		known:  map[likeness]guard.Ruling{},
	}
}

// on says what stops the repair of a node, if anything does.
func (b *brake) on(policy *v1alpha1.NodeRepairPolicy, node string) (guard.Named, bool) {
	if len(b.checks) == 0 {
		return guard.Named{}, false
	}
	if b.facts == nil {
		b.facts = new(b.gather())
	}
	n := pick(b.facts.Nodes.Value, node)
	key := likeness{policy.Name, n.Zone, n.Image, n.InstanceType, n.AgentVersion}
	ruling, ok := b.known[key]
	if !ok {
		ruling = guard.Decide(b.checks, guard.Proposal{Node: n, Policy: policy.Spec}, *b.facts)
		b.known[key] = ruling
	}
	return ruling.Named, ruling.Decision != guard.Allow
}

// onAny is the first that stops the repair of one of a policy's nodes.
func (b *brake) onAny(policy *v1alpha1.NodeRepairPolicy, ill []*corev1.Node) (guard.Named, bool) {
	for _, node := range ill {
		if why, braked := b.on(policy, node.Name); braked {
			return why, true
		}
	}
	return guard.Named{}, false
}

package noderepair

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Assess is the future in which the Remediation's action is done beside all that a ledger says is going on.
func (c *Concern) Assess(ctx context.Context, r *v1alpha1.Remediation, known guard.Fact[ledger.Ledger]) (simulation.Outcome, error) {
	world := c.World()
	node, err := nodeOf(world, r)
	if err != nil {
		return simulation.Outcome{}, err
	}
	return c.forecasts.of(ctx, world, r, node, known.Value)
}

// nodeOf is the very node that a Remediation is about.
func nodeOf(world *cluster.Snapshot, r *v1alpha1.Remediation) (*corev1.Node, error) {
	node := world.Node(r.Spec.Node.Name)
	if node == nil || node.UID != r.Spec.Node.UID {
		return nil, fmt.Errorf("node %s with UID %s does not exist", r.Spec.Node.Name, r.Spec.Node.UID)
	}
	return node, nil
}

// CheckGuard runs the guard's checks on a policy and a ledger as they were read, and on facts gathered now.
func (c *Concern) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy, outcome simulation.Outcome, known guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
	own, err := c.objects(ctx)
	if err != nil {
		return guard.Ruling{}, err
	}
	world := c.World()
	node, err := nodeOf(world, r)
	if err != nil {
		return guard.Ruling{}, err
	}
	facts := c.gather(ctx, world, own, withEvidence(node, r.Spec.Evidence), known.Value)
	facts.Ledger = known
	facts.AsForecast = guard.Known(asForecast(own.remediations, policy)[r.Spec.Action()], c.Clock.Now())
	if outcome.World != nil {
		facts.Outcome = guard.Known(outcome, outcome.World.Taken())
	}
	ruling := guard.Decide(c.checks(), guard.Proposal{
		Remediation: r.Name, UID: r.UID, Node: pick(facts.Nodes.Value, node.Name), Action: r.Spec.Action(), Approval: r.Spec.Approval,
		May:    mayOf(policy, c.actuators(r.Spec.Action(), []*corev1.Node{node})[0].name, r.Spec.Action(), cluster.GroupName(node)),
		Policy: policy.Spec, Confirmed: confirmed(r, node, world.Taken()), IllSince: repairpolicy.IllSince(node, r.Spec.Evidence, facts.Now),
	}, facts)
	ruling = c.permit(ctx, r, ruling)
	c.verdicts.add(ruling)
	return ruling, nil
}

// gather collects what is known of the cluster, for a node with the conditions by which others judge it too. What cannot be read
// is left out: the guard waits for it.
func (c *Concern) gather(ctx context.Context, world *cluster.Snapshot, own objects, reported *corev1.Node, l ledger.Ledger) guard.Facts {
	var facts guard.Facts
	if leading, err := c.Leading(ctx); err == nil {
		facts.Leading = guard.Known(leading, c.Clock.Now())
	}
	at := takenOf(world, cluster.Node, cluster.Pod)
	facts.Nodes = guard.Known(nodesOf(world, own.policies), at)
	facts.ShiftedZones = guard.Known(shiftedOf(world), at)
	facts.Pods = guard.Known(podsOf(world, reported.Name, outBeside(world, l, reported)...), takenOf(world, cluster.Pod, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet))
	facts.APIServer = c.apiServer(ctx, world)
	if found, at, err := c.repairers.get(ctx, c.Clock, c.providers(), world.Nodes(), freshRepairers); err == nil {
		facts.Repairers = guard.Known(rivalsOf(found, reported), at)
	}
	facts.Now = c.Clock.Now()
	return facts
}

// takenOf is when a world was taken, or the zero time where one of the kinds is not known.
func takenOf(world *cluster.Snapshot, kinds ...cluster.Kind) time.Time {
	for _, kind := range kinds {
		if !world.Knowledge(kind).Known() {
			return time.Time{}
		}
	}
	return world.Taken()
}

func pick(nodes []guard.Node, name string) guard.Node {
	at := slices.IndexFunc(nodes, func(n guard.Node) bool { return n.Name == name })
	if at < 0 {
		return guard.Node{Name: name}
	}
	return nodes[at]
}

// asForecast is how many Remediations of a policy turned out as forecast, by their action: that reboots went well says
// nothing of replacements.
func asForecast(all []v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy) map[v1alpha1.Action]int {
	n := map[v1alpha1.Action]int{}
	for i := range all {
		if all[i].Spec.Policy.Names(policy) && outcomeOf(&all[i]) == v1alpha1.RemediationAsForecastReason {
			n[all[i].Spec.Action()]++
		}
	}
	return n
}

// readiness remembers the API server's word on itself for a moment: of many Remediations each asks.
type readiness struct {
	mu    sync.Mutex
	at    time.Time
	ready bool
}

func (r *readiness) get(ctx context.Context, clock clock.PassiveClock, ask func(context.Context) error) (bool, time.Time) {
	const moment = 5 * time.Second
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || clock.Since(r.at) > moment {
		r.ready = ask(ctx) == nil
		r.at = clock.Now()
	}
	return r.ready, r.at
}

// apiServer is the API server's own word on itself, and the kubelets that it hears.
func (c *Concern) apiServer(ctx context.Context, world *cluster.Snapshot) guard.Fact[guard.APIServer] {
	if takenOf(world, cluster.Lease).IsZero() {
		return guard.Fact[guard.APIServer]{}
	}
	ready, at := c.readiness.get(ctx, c.Clock, c.ServerReady)
	total, expired := leasesOf(world, world.Taken())
	return guard.Known(guard.APIServer{Ready: ready, Leases: total, Expired: expired}, at)
}

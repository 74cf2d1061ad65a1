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
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Assess simulates the Remediation's action beside the ongoing disruptions of a ledger.
func (c *Reconciler) Assess(ctx context.Context, r *v1alpha1.Remediation, known guard.Fact[ledger.Ledger]) (outcome.Outcome, error) {
	world := c.World()
	node, err := nodeOf(world, r)
	if err != nil {
		return outcome.Outcome{}, err
	}
	return c.forecasts.forecast(ctx, world, r, node, known.Value)
}

// nodeOf is the node of a Remediation, by name and UID.
func nodeOf(world *cluster.Snapshot, r *v1alpha1.Remediation) (*corev1.Node, error) {
	node := world.Node(r.Spec.Node.Name)
	if node == nil || node.UID != r.Spec.Node.UID {
		return nil, fmt.Errorf("node %s with UID %s does not exist", r.Spec.Node.Name, r.Spec.Node.UID)
	}
	return node, nil
}

// CheckGuard runs the guard's checks on a policy and a ledger as they were read, and on facts gathered now.
func (c *Reconciler) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy, result outcome.Outcome, known guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
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
	if result.World != nil {
		facts.Outcome = guard.Known(result, result.World.Taken())
	}
	ruling := guard.Decide(c.checks(), guard.Proposal{
		Remediation: r.Name, UID: r.UID, Node: nodeNamed(facts.Nodes.Value, node.Name), Action: r.Spec.Action(), Approval: r.Spec.Approval,
		May:    statusPermission(policy, c.actuators(r.Spec.Action(), []*corev1.Node{node})[0].name, r.Spec.Action(), cluster.GroupName(node)),
		Policy: policy.Spec, Confirmed: confirmedAt(r, node, world.Taken()), UnhealthySince: repairpolicy.UnhealthySince(node, r.Spec.Evidence, facts.Now),
	}, facts)
	ruling = c.WithPermissionVerdict(ctx, r, ruling)
	c.verdicts.add(ruling)
	return ruling, nil
}

// gather collects the guard's facts for a node, whose conditions include those that other repairers would act on. What cannot be read
// is left out: the guard delays until it is known.
func (c *Reconciler) gather(ctx context.Context, world *cluster.Snapshot, own objects, reported *corev1.Node, l ledger.Ledger) guard.Facts {
	facts := c.ClusterFacts(ctx, world)
	at := takenAt(world, cluster.Node, cluster.Pod)
	facts.Nodes = guard.Known(guardNodes(world, own.policies), at)
	facts.Pods = guard.Known(drainedPods(world, reported.Name, nodesOut(world, l, reported)...), takenAt(world, cluster.Pod, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet))
	if found, at, err := c.repairers.get(ctx, c.Clock, c.providers(), world.Nodes(), guardRepairersMaxAge); err == nil {
		facts.Repairers = guard.Known(competingRepairersOf(found, reported), at)
	}
	facts.Now = c.Clock.Now()
	return facts
}

// ClusterFacts are the guard's facts that are of the cluster as a whole: who leads, the API server and zonal shifts.
func (c *Reconciler) ClusterFacts(ctx context.Context, world *cluster.Snapshot) guard.Facts {
	var facts guard.Facts
	if leading, err := c.Leading(ctx); err == nil {
		facts.Leading = guard.Known(leading, c.Clock.Now())
	}
	facts.ShiftedZones = guard.Known(shiftedZones(world), takenAt(world, cluster.Node, cluster.Pod))
	facts.APIServer = c.apiServer(ctx, world)
	facts.Now = c.Clock.Now()
	return facts
}

// takenAt is when a Snapshot was taken, or the zero time if one of the kinds is not known.
func takenAt(world *cluster.Snapshot, kinds ...cluster.Kind) time.Time {
	for _, kind := range kinds {
		if !world.Knowledge(kind).Known() {
			return time.Time{}
		}
	}
	return world.Taken()
}

func nodeNamed(nodes []guard.Node, name string) guard.Node {
	at := slices.IndexFunc(nodes, func(n guard.Node) bool { return n.Name == name })
	if at < 0 {
		return guard.Node{Name: name}
	}
	return nodes[at]
}

// asForecast is how many Remediations of a policy turned out as forecast, by action: successful reboots prove nothing about
// replacements.
func asForecast(all []v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy) map[v1alpha1.Action]int {
	n := map[v1alpha1.Action]int{}
	for i := range all {
		if all[i].Spec.Policy.Names(policy) && outcomeOf(&all[i]) == v1alpha1.RemediationAsForecastReason {
			n[all[i].Spec.Action()]++
		}
	}
	return n
}

// readinessCache caches the API server's /readyz for a few seconds: each of many Remediations asks.
type readinessCache struct {
	mu    sync.Mutex
	at    time.Time
	ready bool
}

func (r *readinessCache) get(ctx context.Context, clock clock.PassiveClock, ask func(context.Context) error) (bool, time.Time) {
	const maxAge = 5 * time.Second
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || clock.Since(r.at) > maxAge {
		r.ready = ask(ctx) == nil
		r.at = clock.Now()
	}
	return r.ready, r.at
}

// apiServer is the readiness of the API server, and how many kubelets renew their leases.
func (c *Reconciler) apiServer(ctx context.Context, world *cluster.Snapshot) guard.Fact[guard.APIServer] {
	if takenAt(world, cluster.Lease).IsZero() {
		return guard.Fact[guard.APIServer]{}
	}
	ready, at := c.readiness.get(ctx, c.Clock, c.ServerReady)
	total, expired := countLeases(world, world.Taken())
	return guard.Known(guard.APIServer{Ready: ready, Leases: total, Expired: expired}, at)
}

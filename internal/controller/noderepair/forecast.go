package noderepair

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

const (
	// seeds is how many futures are simulated: the guard requires that none is worse than without the repair.
	seeds = 3
	// judgeMaxAge is how old the Snapshot of a Judge may be to be used again: where many nodes become unhealthy together each is
	// simulated, and creating a Judge of a large cluster takes seconds.
	judgeMaxAge = 10 * time.Second
	// maxNodesOut is how many other nodes may be unavailable for a simulation: the pods of each must be placed first, and in an outage
	// of thousands that would take minutes, in which nothing is repaired anyway.
	maxNodesOut = 200
)

// forecaster simulates actions. The zero value is ready to use, and safe for concurrent use.
type forecaster struct {
	mu    sync.Mutex
	judge *scheduling.Judge
	taken time.Time
}

// forecast simulates a Remediation's action on a node, beside the ongoing disruptions of a ledger. The outcome has no comparison where
// no pod moves, or where more than maxNodesOut nodes are unavailable.
func (f *forecaster) forecast(ctx context.Context, world *cluster.Snapshot, r *v1alpha1.Remediation, node *corev1.Node, l ledger.Ledger) (outcome.Outcome, error) {
	if r.Spec.Action() == v1alpha1.ActionRestartService {
		return outcome.Outcome{World: world}, nil // Nothing moves, and no Judge need be made to say so.
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.judge == nil || world.Taken().Sub(f.taken) > judgeMaxAge || f.judge.World().Node(node.Name) == nil {
		judge, err := scheduling.New(ctx, world, scheduling.Options{})
		if err != nil {
			return outcome.Outcome{}, fmt.Errorf("creating the scheduler for forecasts: %w", err)
		}
		f.judge, f.taken = judge, world.Taken()
	}
	out := nodesOut(f.judge.World(), l, node)
	if len(out) > maxNodesOut {
		return outcome.Outcome{World: world}, nil // By which the guard does not know what would become of pods.
	}
	result, err := simulation.Compare(ctx, f.judge, []change.Change{changeOf(world, r.Spec.Action(), node)}, simulation.Options{Seeds: seeds}, out...)
	if err != nil {
		f.judge = nil
		return outcome.Outcome{}, fmt.Errorf("forecasting %s of %s: %w", r.Spec.Action(), node.Name, err)
	}
	return result, nil
}

// expire drops a Judge that is too old to be used again: it holds a whole cluster.
func (f *forecaster) expire(now time.Time) {
	if !f.mu.TryLock() {
		return // It is in use.
	}
	defer f.mu.Unlock()
	if now.Sub(f.taken) > judgeMaxAge {
		f.judge = nil
	}
}

// changeOf is what an action does to a node, as a change that can be simulated.
func changeOf(world *cluster.Snapshot, action v1alpha1.Action, node *corev1.Node) change.Change {
	group, _ := world.GroupOf(node.Name)
	region := node.Labels[corev1.LabelTopologyRegion]
	if action == v1alpha1.ActionReplace {
		return change.ReplaceNode{Node: node.Name, Provider: group.Provider, ProviderID: node.Spec.ProviderID, Region: region}
	}
	return change.RebootNode{Node: node.Name, Provider: group.Provider, ProviderID: node.Spec.ProviderID, Region: region}
}

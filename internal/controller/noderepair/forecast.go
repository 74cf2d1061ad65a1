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
)

const (
	// seeds is how many futures are played: the guard wants none of them to end worse than without the repair.
	seeds = 3
	// sameWorld is how old a Judge's world may be for another question: where many nodes turn ill together each is asked
	// about, and making a Judge of a large cluster takes seconds.
	sameWorld = 10 * time.Second
	// mostOut is how many other nodes may be out for a future to be played: the pods of each must be placed first, and in an
	// outage of thousands that would take minutes, in which nothing is repaired anyway.
	mostOut = 200
)

// forecaster plays futures. The zero value is ready, and safe for concurrent use.
type forecaster struct {
	mu    sync.Mutex
	judge *scheduling.Judge
	taken time.Time
}

// of is the future in which a Remediation's action is taken on a node, beside all that a ledger says is going on. It is not
// compared with the same one without the action where nothing moves or too much is out.
func (f *forecaster) of(ctx context.Context, world *cluster.Snapshot, r *v1alpha1.Remediation, node *corev1.Node, l ledger.Ledger) (simulation.Outcome, error) {
	if r.Spec.Action() == v1alpha1.ActionRestartService {
		return simulation.Outcome{World: world}, nil // Nothing moves, and no Judge need be made to say so.
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.judge == nil || world.Taken().Sub(f.taken) > sameWorld || f.judge.World().Node(node.Name) == nil {
		judge, err := scheduling.New(ctx, world, scheduling.Options{})
		if err != nil {
			return simulation.Outcome{}, fmt.Errorf("creating the scheduler for forecasts: %w", err)
		}
		f.judge, f.taken = judge, world.Taken()
	}
	out := outBeside(f.judge.World(), l, node)
	if len(out) > mostOut {
		return simulation.Outcome{World: world}, nil // By which the guard does not know what would become of pods.
	}
	outcome, err := simulation.Compare(ctx, f.judge, []change.Change{changeOf(world, r.Spec.Action(), node)}, simulation.Options{Seeds: seeds}, out...)
	if err != nil {
		f.judge = nil
		return simulation.Outcome{}, fmt.Errorf("forecasting %s of %s: %w", r.Spec.Action(), node.Name, err)
	}
	return outcome, nil
}

// forget lets go of a Judge that nothing will be asked any more: it holds a whole cluster.
func (f *forecaster) forget(now time.Time) {
	if !f.mu.TryLock() {
		return // It is being asked.
	}
	defer f.mu.Unlock()
	if now.Sub(f.taken) > sameWorld {
		f.judge = nil
	}
}

// changeOf is what an action does to a node, as a change that can be played.
func changeOf(world *cluster.Snapshot, action v1alpha1.Action, node *corev1.Node) change.Change {
	group, _ := world.GroupOf(node.Name)
	region := node.Labels[corev1.LabelTopologyRegion]
	if action == v1alpha1.ActionReplace {
		return change.ReplaceNode{Node: node.Name, Provider: group.Provider, ProviderID: node.Spec.ProviderID, Region: region}
	}
	return change.RebootNode{Node: node.Name, Provider: group.Provider, ProviderID: node.Spec.ProviderID, Region: region}
}

package simulation

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
	"github.com/naosu-dev/naosu/internal/simulation/internal/manifest"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodegroup"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodelifecycle"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/workload"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// future is one simulated course of events: an engine and the controllers that act in it.
type future struct {
	engine    *engine.Engine
	workload  *workload.Controllers
	nodes     *nodelifecycle.Controller
	groups    *nodegroup.Groups
	manifests *manifest.Applier
	// removed is that a change named an object which an earlier change had removed, as UnknownError; nil if none did.
	removed error
}

func newFuture(judge *scheduling.Judge, seed uint64) *future {
	e := engine.New(judge, seed)
	w := workload.New(e)
	e.SetOwners(w)
	a := verticalautoscaler.New(e, w)
	n := nodelifecycle.New(e, w, a)
	return &future{engine: e, workload: w, nodes: n, groups: nodegroup.New(e, w, a, n), manifests: manifest.New(e, w, n)}
}

// startOngoing queues the pods that are pending and the events that follow from the initial state.
func (f *future) startOngoing() error {
	f.engine.QueuePending()
	f.engine.ContinueAddresses()
	if err := f.workload.ContinueOngoing(); err != nil {
		return err
	}
	f.nodes.ContinueEvictions()
	return nil
}

// apply applies one change and runs the simulation until nothing more follows from it.
func (f *future) apply(ctx context.Context, c change.Change) error {
	f.engine.StartChange()
	subject := c.Subject()
	before := f.engine.World().Object(cluster.Kind(subject.Kind), subject.Namespace, subject.Name)
	if err := f.dispatch(ctx, c); err != nil {
		return err
	}
	if err := f.manifests.RecordFieldManager(c, before); err != nil {
		return err
	}
	if err := f.engine.Settle(ctx); err != nil {
		return err
	}
	return f.workload.ContinueRollouts(ctx)
}

func (f *future) dispatch(ctx context.Context, c change.Change) error {
	switch c := c.(type) {
	case change.LoseNode, change.DrainNode, change.Cordon, change.Uncordon, change.Taint, change.Untaint,
		change.RebootNode, change.ReplaceNode, change.RestartService:
		return f.changeNode(ctx, c)
	case change.LoseNodes:
		for _, name := range c.Nodes {
			if f.engine.World().Node(name) == nil {
				return outcome.UnknownError{Ref: change.Ref{Kind: string(cluster.Node), Name: name}}
			}
		}
		return f.loseMatching(ctx, c.Subject(), func(n *corev1.Node) bool { return slices.Contains(c.Nodes, n.Name) })
	case change.LoseZone:
		f.nodes.MarkZoneLost(c.Zone)
		return f.loseMatching(ctx, c.Subject(), func(n *corev1.Node) bool { return cluster.Zone(n) == c.Zone })
	case change.LoseGroup:
		return f.loseMatching(ctx, c.Subject(), func(n *corev1.Node) bool { return f.inGroup(n, c.Group) })
	case change.AddNodes, change.ResizeGroup, change.RotateGroup:
		return f.changeGroup(ctx, c)
	case change.Evict, change.DeletePod:
		return f.changePod(ctx, c)
	case change.GrowDaemonSet:
		return f.workload.GrowDaemonSet(ctx, c)
	case change.ScaleWorkload:
		return f.workload.ScaleWorkload(c)
	case change.TagSubnet, change.DeleteInterface:
		return f.changeNetwork(c)
	case change.Patch:
		return f.manifests.Patch(ctx, c)
	case change.Apply:
		return f.manifests.Apply(ctx, c)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// changeNetwork applies a change to what a cloud holds of the network.
func (f *future) changeNetwork(c change.Change) error {
	switch c := c.(type) {
	case change.TagSubnet:
		return f.engine.TagSubnet(c)
	case change.DeleteInterface:
		return f.engine.DeleteInterface(c)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// changeGroup applies a change to a node group.
func (f *future) changeGroup(ctx context.Context, c change.Change) error {
	switch c := c.(type) {
	case change.AddNodes:
		return f.groups.Add(ctx, c)
	case change.ResizeGroup:
		return f.groups.Resize(ctx, c)
	case change.RotateGroup:
		return f.groups.Rotate(ctx, c)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// changeNode applies a change to one node.
func (f *future) changeNode(ctx context.Context, c change.Change) error {
	node := f.engine.World().Node(c.Subject().Name)
	if node == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	switch c := c.(type) {
	case change.LoseNode:
		return f.nodes.LoseNodes(ctx, []*corev1.Node{node})
	case change.DrainNode:
		_, err := f.nodes.DrainNode(ctx, node)
		return err
	case change.RebootNode, change.ReplaceNode, change.RestartService:
		return f.nodes.RepairNode(ctx, node, c)
	case change.Cordon:
		return f.nodes.CordonNode(node, true)
	case change.Uncordon:
		return f.nodes.CordonNode(node, false)
	case change.Taint:
		return f.nodes.TaintNode(node, c.Taint)
	case change.Untaint:
		return f.nodes.UntaintNode(node, c.Taint)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// loseMatching loses every node that matches.
func (f *future) loseMatching(ctx context.Context, what change.Ref, matches func(*corev1.Node) bool) error {
	var lost []*corev1.Node
	for _, node := range f.engine.World().Nodes() {
		if matches(node) {
			lost = append(lost, node)
		}
	}
	if len(lost) == 0 {
		return outcome.UnknownError{Ref: what}
	}
	randomness.Shuffle(f.engine.Randomness, lost)
	return f.nodes.LoseNodes(ctx, slices.Clip(lost))
}

func (f *future) inGroup(node *corev1.Node, name string) bool {
	group, ok := f.engine.World().GroupOf(node.Name)
	return ok && group.Name == name
}

// changePod applies a change to one pod.
func (f *future) changePod(ctx context.Context, c change.Change) error {
	pod := f.engine.Pods.Get(c.Subject().Namespace, c.Subject().Name)
	if pod == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	switch c := c.(type) {
	case change.Evict:
		if why := f.engine.Budgets.EvictionBlocker(pod); why.ID != "" {
			f.engine.Fates.MarkStaying(pod, why)
			return nil
		}
	case change.DeletePod:
		f.workload.MarkDeletedByUser(pod)
		if c.Force {
			return f.nodes.DeletePod(ctx, pod, true)
		}
	}
	return f.nodes.DeletePod(ctx, pod, false)
}

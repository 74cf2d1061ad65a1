package simulation

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// apply applies one change and runs the simulation until nothing more follows from it.
func (e *engine) apply(ctx context.Context, c change.Change) error {
	e.now = 0
	e.retryUnschedulable()
	subject := c.Subject()
	before := e.world().Object(cluster.Kind(subject.Kind), subject.Namespace, subject.Name)
	if err := e.dispatch(ctx, c); err != nil {
		return err
	}
	if err := e.recordFieldManager(c, before); err != nil {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	return e.continueRollouts(ctx)
}

func (e *engine) dispatch(ctx context.Context, c change.Change) error {
	switch c := c.(type) {
	case change.LoseNode, change.DrainNode, change.Cordon, change.Uncordon, change.Taint, change.Untaint,
		change.RebootNode, change.ReplaceNode, change.RestartService:
		return e.changeNode(ctx, c)
	case change.LoseZone:
		e.lostZones[c.Zone] = true
		return e.loseMatching(ctx, c.Subject(), func(n *corev1.Node) bool { return cluster.Zone(n) == c.Zone })
	case change.LoseGroup:
		return e.loseMatching(ctx, c.Subject(), func(n *corev1.Node) bool { return e.inGroup(n, c.Group) })
	case change.AddNodes:
		return e.addNodes(ctx, c)
	case change.ResizeGroup:
		return e.resizeGroup(ctx, c)
	case change.RotateGroup:
		return e.rotateGroup(ctx, c)
	case change.Evict, change.DeletePod:
		return e.changePod(ctx, c)
	case change.GrowDaemonSet:
		return e.growDaemonSet(ctx, c)
	case change.ScaleWorkload:
		return e.scaleWorkload(c)
	case change.Patch:
		return e.patchObject(ctx, c)
	case change.Apply:
		return e.applyManifests(ctx, c)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// changeNode applies a change to one node.
func (e *engine) changeNode(ctx context.Context, c change.Change) error {
	node := e.world().Node(c.Subject().Name)
	if node == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	switch c := c.(type) {
	case change.LoseNode:
		return e.loseNodes(ctx, []*corev1.Node{node})
	case change.DrainNode:
		_, err := e.drainNode(ctx, node)
		return err
	case change.RebootNode, change.ReplaceNode, change.RestartService:
		return e.repairNode(ctx, node, c)
	case change.Cordon:
		return e.cordonNode(node, true)
	case change.Uncordon:
		return e.cordonNode(node, false)
	case change.Taint:
		return e.taintNode(node, c.Taint)
	case change.Untaint:
		return e.untaintNode(node, c.Taint)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// loseMatching loses every node that matches.
func (e *engine) loseMatching(ctx context.Context, what change.Ref, matches func(*corev1.Node) bool) error {
	var lost []*corev1.Node
	for _, node := range e.world().Nodes() {
		if matches(node) {
			lost = append(lost, node)
		}
	}
	if len(lost) == 0 {
		return outcome.UnknownError{Ref: what}
	}
	randomness.Shuffle(e.randomness, lost)
	return e.loseNodes(ctx, slices.Clip(lost))
}

func (e *engine) inGroup(node *corev1.Node, name string) bool {
	group, ok := e.world().GroupOf(node.Name)
	return ok && group.Name == name
}

// changePod applies a change to one pod.
func (e *engine) changePod(ctx context.Context, c change.Change) error {
	pod := e.pods.Get(c.Subject().Namespace, c.Subject().Name)
	if pod == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	switch c := c.(type) {
	case change.Evict:
		if why := e.budgets.EvictionBlocker(pod); why.ID != "" {
			e.fates.MarkStaying(pod, why)
			return nil
		}
	case change.DeletePod:
		e.deletedByUser[pod.UID] = true
		if c.Force {
			return e.deletePod(ctx, pod, true)
		}
	}
	return e.deletePod(ctx, pod, false)
}

package simulation

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// make does one change and lets what follows from it happen.
func (f *future) make(ctx context.Context, c change.Change) error {
	f.now = 0
	f.room()
	subject := c.Subject()
	before := f.world().Object(cluster.Kind(subject.Kind), subject.Namespace, subject.Name)
	if err := f.do(ctx, c); err != nil {
		return err
	}
	if err := f.owned(c, before); err != nil {
		return err
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	return f.continueRollouts(ctx)
}

func (f *future) do(ctx context.Context, c change.Change) error {
	switch c := c.(type) {
	case change.LoseNode, change.DrainNode, change.Cordon, change.Uncordon, change.Taint, change.Untaint,
		change.RebootNode, change.ReplaceNode, change.RestartService:
		return f.toNode(ctx, c)
	case change.LoseZone:
		f.dark[c.Zone] = true
		return f.loseWhere(ctx, c.Subject(), func(n *corev1.Node) bool { return cluster.Zone(n) == c.Zone })
	case change.LoseGroup:
		return f.loseWhere(ctx, c.Subject(), func(n *corev1.Node) bool { return f.inGroup(n, c.Group) })
	case change.AddNodes:
		return f.addNodes(ctx, c)
	case change.ResizeGroup:
		return f.resize(ctx, c)
	case change.RotateGroup:
		return f.rotate(ctx, c)
	case change.Evict, change.DeletePod:
		return f.toPod(ctx, c)
	case change.GrowDaemonSet:
		return f.grow(ctx, c)
	case change.ScaleWorkload:
		return f.scale(c)
	case change.Patch:
		return f.patch(ctx, c)
	case change.Apply:
		return f.applyManifests(ctx, c)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// toNode is what is done to one node.
func (f *future) toNode(ctx context.Context, c change.Change) error {
	node := f.world().Node(c.Subject().Name)
	if node == nil {
		return UnknownError{c.Subject()}
	}
	switch c := c.(type) {
	case change.LoseNode:
		return f.loseNodes(ctx, []*corev1.Node{node})
	case change.DrainNode:
		_, err := f.drain(ctx, node)
		return err
	case change.RebootNode, change.ReplaceNode, change.RestartService:
		return f.repair(ctx, node, c)
	case change.Cordon:
		return f.cordon(node, true)
	case change.Uncordon:
		return f.cordon(node, false)
	case change.Taint:
		return f.taint(node, c.Taint)
	case change.Untaint:
		return f.untaint(node, c.Taint)
	default:
		return fmt.Errorf("the simulation does not know %T", c)
	}
}

// loseWhere loses every node of some kind.
func (f *future) loseWhere(ctx context.Context, what change.Ref, dies func(*corev1.Node) bool) error {
	var dead []*corev1.Node
	for _, node := range f.world().Nodes() {
		if dies(node) {
			dead = append(dead, node)
		}
	}
	if len(dead) == 0 {
		return UnknownError{what}
	}
	shuffle(f.chance, dead)
	return f.loseNodes(ctx, slices.Clip(dead))
}

func (f *future) inGroup(node *corev1.Node, name string) bool {
	group, ok := f.world().GroupOf(node.Name)
	return ok && group.Name == name
}

// toPod is what is done to one pod.
func (f *future) toPod(ctx context.Context, c change.Change) error {
	pod := f.pods.get(c.Subject().Namespace, c.Subject().Name)
	if pod == nil {
		return UnknownError{c.Subject()}
	}
	switch c := c.(type) {
	case change.Evict:
		if why := f.blocked(pod); why.ID != "" {
			f.book.stays(pod, why)
			return nil
		}
	case change.DeletePod:
		if c.Force {
			return f.depart(ctx, pod, true)
		}
	}
	return f.depart(ctx, pod, false)
}

package simulation

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

// repair is what is done to mend a node. A node that is not Ready is as good as lost: what runs there does not wait for a
// drain. What a reboot or a replacement brings back counts for nothing, since it may not come: pods must do without. What a
// budget holds back goes down with the node all the same.
func (f *future) repair(ctx context.Context, node *corev1.Node, c change.Change) error {
	if _, restart := c.(change.RestartService); restart {
		return nil
	}
	if !isReady(node) {
		return f.loseNodes(ctx, []*corev1.Node{node})
	}
	blocked, err := f.drain(ctx, node)
	if err != nil {
		return err
	}
	f.budgets.disrupt(blocked...)
	if _, reboot := c.(change.RebootNode); reboot {
		return nil
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	return f.removeNodes(ctx, []*corev1.Node{f.world().Node(node.Name)})
}

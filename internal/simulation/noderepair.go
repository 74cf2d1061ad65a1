package simulation

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

// repair is what is done to mend a node. A node that is not Ready is as good as lost: what runs there does not wait for a
// drain. What a reboot or a replacement brings back counts for nothing, since it may not come: pods must do without. What a
// budget holds back goes down with the node all the same.
func (e *engine) repairNode(ctx context.Context, node *corev1.Node, c change.Change) error {
	if _, restart := c.(change.RestartService); restart {
		return nil
	}
	if !isReady(node) {
		return e.loseNodes(ctx, []*corev1.Node{node})
	}
	blocked, err := e.drainNode(ctx, node)
	if err != nil {
		return err
	}
	e.budgets.recordViolations(blocked...)
	if _, reboot := c.(change.RebootNode); reboot {
		return nil
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	return e.removeNodes(ctx, []*corev1.Node{e.world().Node(node.Name)})
}

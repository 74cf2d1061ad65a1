package simulation

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/kube"
)

// repairNode applies a repair action to a node. A node that is not Ready is treated as lost: its pods are not drained. The node
// that a reboot or a replacement brings back does not count, since it may not come. Pods that a budget protects are removed with
// the node all the same.
func (e *engine) repairNode(ctx context.Context, node *corev1.Node, c change.Change) error {
	if _, restart := c.(change.RestartService); restart {
		return nil
	}
	if !kube.IsNodeReady(node) {
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

package nodelifecycle

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/kube"
)

// RepairNode applies a repair action to a node. A node that is not Ready is treated as lost: its pods are not drained. The node
// that a reboot or a replacement brings back does not count, since it may not come. Pods that a budget protects are removed with
// the node all the same.
func (n *Controller) RepairNode(ctx context.Context, node *corev1.Node, c change.Change) error {
	if _, restart := c.(change.RestartService); restart {
		return nil
	}
	if !kube.IsNodeReady(node) {
		return n.LoseNodes(ctx, []*corev1.Node{node})
	}
	blocked, err := n.DrainNode(ctx, node)
	if err != nil {
		return err
	}
	n.engine.Budgets.RecordViolations(blocked...)
	if _, reboot := c.(change.RebootNode); reboot {
		return nil
	}
	if err := n.engine.Settle(ctx); err != nil {
		return err
	}
	return n.RemoveNodes(ctx, []*corev1.Node{n.engine.World().Node(node.Name)})
}

package noderepair

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/kube"
)

// outBeside are the names of the nodes that count as out while it is decided about another: their pods are not ready, and need
// other places. They are those that naosu is at work on, and, if the node itself is Ready, those that are not. A node that
// nobody answers for disrupts nothing when it is repaired, and no other such node stands in its way.
func outBeside(world *cluster.Snapshot, ledger guard.Ledger, node *corev1.Node) []string {
	atWork := map[string]bool{}
	for _, e := range ledger.Entries {
		if e.Ended.IsZero() && e.Action != v1alpha1.ActionRestartService {
			atWork[e.Node] = true
		}
	}
	var out []string
	for _, other := range world.Nodes() {
		bothDead := kube.IsNodeUnreachable(node) && kube.IsNodeUnreachable(other)
		busy := (atWork[other.Name] || ownCordon(other)) && !bothDead
		if other.Name != node.Name && (busy || kube.IsNodeReady(node) && !kube.IsNodeReady(other)) {
			out = append(out, other.Name)
		}
	}
	return out
}

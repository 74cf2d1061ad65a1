package noderepair

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// nodesOut are the names of the nodes that count as unavailable while another is decided about: their pods are not ready, and must run
// elsewhere. They are those that naosu disrupts, and, if the node itself is Ready, those that are not Ready. The repair of an
// unreachable node disrupts nothing, so that other unreachable nodes do not count for it.
func nodesOut(world *cluster.Snapshot, l ledger.Ledger, node *corev1.Node) []string {
	disrupted := map[string]bool{}
	for _, e := range l.Entries {
		if e.Ended.IsZero() && e.Action != v1alpha1.ActionRestartService {
			disrupted[e.Node] = true
		}
	}
	var out []string
	for _, other := range world.Nodes() {
		bothDead := kube.IsNodeUnreachable(node) && kube.IsNodeUnreachable(other)
		busy := (disrupted[other.Name] || cordonedByNaosu(other)) && !bothDead
		if other.Name != node.Name && (busy || kube.IsNodeReady(node) && !kube.IsNodeReady(other)) {
			out = append(out, other.Name)
		}
	}
	return out
}

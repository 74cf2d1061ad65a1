package rebalancepolicy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// NodeHistory notices changes of where pods may run that Kubernetes gives no time for: nodes that are cordoned or uncordoned, or whose taints change.
// The zero value has observed nothing.
type NodeHistory struct {
	nodes map[string]*corev1.Node
	node  string
	at    time.Time
}

// Observe compares the nodes of a Snapshot with those of the one observed before.
func (h *NodeHistory) Observe(world *cluster.Snapshot, now time.Time) {
	nodes := make(map[string]*corev1.Node, len(h.nodes))
	for _, n := range world.Nodes() {
		nodes[n.Name] = n
		if before, known := h.nodes[n.Name]; known && !SameSchedulability(before, n) {
			h.node, h.at = n.Name, now
		}
	}
	for name := range h.nodes {
		if _, exists := nodes[name]; !exists {
			h.node, h.at = name, now
		}
	}
	h.nodes = nodes
}

// LastChange is the node that changed last, and when: as LastNodeChange tells of the Snapshot, or as was observed.
func (h *NodeHistory) LastChange(world *cluster.Snapshot) (node string, at time.Time) {
	if node, at = LastNodeChange(world); h.at.After(at) {
		return h.node, h.at
	}
	return node, at
}

// SameSchedulability says whether two states of a node let the same pods be placed on it: both are cordoned or not, and have the same taints but those
// that are preferences.
func SameSchedulability(a, b *corev1.Node) bool {
	return a.Spec.Unschedulable == b.Spec.Unschedulable && slices.EqualFunc(hardTaints(a), hardTaints(b), func(x, y corev1.Taint) bool { return x.MatchTaint(&y) && x.Value == y.Value })
}

func hardTaints(n *corev1.Node) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectPreferNoSchedule })
}

// maxClockSkew is how far in the future a time of another machine may be before it is not trusted.
const maxClockSkew = time.Minute

// LastNodeChange is the node that was created, or became ready or not ready, last, and when. A time in the future, from a kubelet whose clock is wrong, does
// not count.
func LastNodeChange(world *cluster.Snapshot) (node string, at time.Time) {
	latest := world.Taken().Add(maxClockSkew)
	for _, n := range world.Nodes() {
		changed := []time.Time{n.CreationTimestamp.Time}
		if ready := kube.NodeCondition(n, corev1.NodeReady); ready != nil {
			changed = append(changed, ready.LastTransitionTime.Time)
		}
		for _, one := range changed {
			if one.After(at) && !one.After(latest) {
				node, at = n.Name, one
			}
		}
	}
	return node, at
}

package facts

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// LifecycleTaints are taints that follow from cordoning and from the Ready condition.
var LifecycleTaints = map[string]bool{
	corev1.TaintNodeUnschedulable: true,
	corev1.TaintNodeNotReady:      true,
	corev1.TaintNodeUnreachable:   true,
}

// MayRun reports whether neither a node's own state nor the pod's volumes exclude the node. Only the scheduler can tell whether
// the pod fits; this selects the nodes to ask it about.
func MayRun(pod *corev1.Pod, node *corev1.Node, mounts []Mount) bool {
	_, taint := Readiness(node)
	return kube.Selects(pod, node) && kube.ToleratesAll(pod.Spec.Tolerations, node.Spec.Taints) &&
		(!node.Spec.Unschedulable || kube.Tolerates(pod.Spec.Tolerations, noSchedule(corev1.TaintNodeUnschedulable))) &&
		(kube.IsNodeReady(node) || kube.Tolerates(pod.Spec.Tolerations, noSchedule(taint))) &&
		!slices.ContainsFunc(mounts, func(m Mount) bool { return !m.Allows(node) })
}

// LacksNodes reports whether volumes tie a pod to a zone, and the pod waits for a node or runs on the only one that can run it.
func LacksNodes(world *cluster.Snapshot, pod *corev1.Pod) bool {
	switch {
	case WaitsForNode(pod):
		return slices.ContainsFunc(Mounts(world, pod), func(m Mount) bool { return m.Scope == ScopeZone })
	case !IsActive(pod) || pod.Spec.NodeName == "":
		return false
	}
	tied := ZonalMounts(world, pod)
	return len(tied) > 0 && !slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool { return n.Name != pod.Spec.NodeName && MayRun(pod, n, tied) })
}

// VolumeDecides reports whether the volume is what keeps the pod from running: without it, some node could run the pod, or a new
// node like an existing one in the volume's zone.
func VolumeDecides(world *cluster.Snapshot, pod *corev1.Pod, m Mount) bool {
	return slices.ContainsFunc(world.Nodes(), func(node *corev1.Node) bool {
		if MayRun(pod, node, nil) {
			return true
		}
		group, _ := world.GroupOf(node.Name)
		added := kube.NewNode(node.Name+"-new", m.Zones[0], node, group.Nodes)
		return kube.Selects(pod, added) && kube.ToleratesAll(pod.Spec.Tolerations, added.Spec.Taints)
	})
}

func noSchedule(key string) *corev1.Taint {
	return &corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
}

// Readiness is a node's Ready condition and the taint that the node controller sets in that state. A node that never reported
// counts as unknown.
func Readiness(node *corev1.Node) (corev1.NodeCondition, string) {
	ready := kube.NodeReady(node)
	if ready.Status == corev1.ConditionFalse {
		return ready, corev1.TaintNodeNotReady
	}
	return ready, corev1.TaintNodeUnreachable
}

// FormatTolerations formats tolerations like taints in kubectl; * is every key.
func FormatTolerations(tolerations []corev1.Toleration) string {
	var all []string
	for _, t := range tolerations {
		one := cmp.Or(t.Key, "*")
		if t.Value != "" {
			one += "=" + t.Value
		}
		if t.Effect != "" {
			one += ":" + string(t.Effect)
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

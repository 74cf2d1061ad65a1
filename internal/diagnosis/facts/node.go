package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// LifecycleTaints say again what cordoning and the Ready condition say.
var LifecycleTaints = map[string]bool{
	corev1.TaintNodeUnschedulable: true,
	corev1.TaintNodeNotReady:      true,
	corev1.TaintNodeUnreachable:   true,
}

// MayRun says whether neither a node's own state nor the pod's volumes keep the pod off it. Whether it fits only the scheduler can
// say; this tells which nodes are worth asking about.
func MayRun(pod *corev1.Pod, node *corev1.Node, mounts []Mount) bool {
	_, taint := Readiness(node)
	return kube.Selects(pod, node) && kube.ToleratesAll(pod.Spec.Tolerations, node.Spec.Taints) &&
		(!node.Spec.Unschedulable || kube.Tolerates(pod.Spec.Tolerations, noSchedule(corev1.TaintNodeUnschedulable))) &&
		(!NotReady(node) || kube.Tolerates(pod.Spec.Tolerations, noSchedule(taint))) &&
		!slices.ContainsFunc(mounts, func(m Mount) bool { return !m.Allows(node) })
}

// VolumeDecides says whether the volume is what would keep the pod from running: without the volume some node may
// run it, or in the volume's zone a new node like one there is.
func VolumeDecides(world *cluster.Snapshot, pod *corev1.Pod, m Mount) bool {
	return slices.ContainsFunc(world.Nodes(), func(node *corev1.Node) bool {
		sibling := NewNodeLike(m.Zones[0], node)
		return MayRun(pod, node, nil) || kube.Selects(pod, sibling) && kube.ToleratesAll(pod.Spec.Tolerations, sibling.Spec.Taints)
	})
}

func noSchedule(key string) *corev1.Taint {
	return &corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
}

// Readiness is a node's Ready condition and the taint the node controller gives a node in that state. A node that never
// reported counts as unknown.
func Readiness(node *corev1.Node) (corev1.NodeCondition, string) {
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			ready = condition
		}
	}
	if ready.Status == corev1.ConditionFalse {
		return ready, corev1.TaintNodeNotReady
	}
	return ready, corev1.TaintNodeUnreachable
}

// transientTaints come and go with a node's state, so a new node of the same group does not have them. Keys under the
// kubelet's and the cloud controller's prefixes do so as well.
var transientTaints = map[string]bool{
	"ToBeDeletedByClusterAutoscaler":       true,
	"DeletionCandidateOfClusterAutoscaler": true,
	"karpenter.sh/disrupted":               true,
}

// IsTransient says whether a taint is of a state that ends by itself, such as an outage. A new node starts uninitialized, too, and
// stays so where nothing initializes those there are.
func IsTransient(taint corev1.Taint) bool {
	return transientTaints[taint.Key] ||
		strings.HasPrefix(taint.Key, "node.kubernetes.io/") ||
		strings.HasPrefix(taint.Key, "node.cloudprovider.kubernetes.io/") && taint.Key != uninitialized
}

// BeingRemoved says whether a node is being deleted, removed by cluster-autoscaler, or shut down by the cloud.
func BeingRemoved(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == "ToBeDeletedByClusterAutoscaler" || t.Key == "node.cloudprovider.kubernetes.io/shutdown"
	})
}

// NewNodeLike is the node that the group of an existing one would add in a zone: its size, labels and taints that are not
// transient, another name, and the zone in place of the existing node's.
func NewNodeLike(zone string, node *corev1.Node) *corev1.Node {
	sibling := &corev1.Node{}
	sibling.Name = node.Name + "-sibling"
	sibling.Labels = maps.Clone(node.Labels)
	if _, ok := sibling.Labels[corev1.LabelHostname]; ok {
		sibling.Labels[corev1.LabelHostname] = sibling.Name
	}
	for _, label := range cluster.ZoneLabels {
		if _, ok := sibling.Labels[label]; ok && zone != "" {
			sibling.Labels[label] = zone
		}
	}
	for _, taint := range node.Spec.Taints {
		if !IsTransient(taint) {
			sibling.Spec.Taints = append(sibling.Spec.Taints, taint)
		}
	}
	sibling.Status.Capacity, sibling.Status.Allocatable = node.Status.Capacity, node.Status.Allocatable
	return sibling
}

// NotReady says whether a node is not Ready.
func NotReady(node *corev1.Node) bool {
	ready, _ := Readiness(node)
	return ready.Status != corev1.ConditionTrue
}

// FormatTolerations writes tolerations as kubectl writes taints; * is every key.
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

package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// Tolerates says whether the pod tolerates the taint, by the scheduler's rules.
func Tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	// Numeric comparison in tolerations is alpha in 1.36 (feature gate TaintTolerationComparisonOperators), off by default.
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &taint, false)
}

// LifecycleTaints say again what cordoning and the Ready condition say.
var LifecycleTaints = map[string]bool{
	corev1.TaintNodeUnschedulable: true,
	corev1.TaintNodeNotReady:      true,
	corev1.TaintNodeUnreachable:   true,
}

// Selects says whether the pod's node selector and required node affinity allow the node.
func Selects(pod *corev1.Pod, node *corev1.Node) bool {
	ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return ok && err == nil
}

// MayRun says whether neither a node's own state nor the pod's volumes keep the pod off it. Whether it fits only the scheduler can
// say; this tells which nodes are worth asking about.
func MayRun(pod *corev1.Pod, node *corev1.Node, mounts []Mount) bool {
	_, taint := Readiness(node)
	return Selects(pod, node) && ToleratesAll(pod, node.Spec.Taints) &&
		(!node.Spec.Unschedulable || Tolerates(pod, noSchedule(corev1.TaintNodeUnschedulable))) &&
		(!NotReady(node) || Tolerates(pod, noSchedule(taint))) &&
		!slices.ContainsFunc(mounts, func(m Mount) bool { return !m.Allows(node) })
}

// VolumeDecides says whether the volume is what would keep the pod from running: without the volume some node may
// run it, or in the volume's zone a new node like one there is.
func VolumeDecides(world *cluster.Snapshot, pod *corev1.Pod, m Mount) bool {
	return slices.ContainsFunc(world.Nodes(), func(node *corev1.Node) bool {
		sibling := NewNodeLike(m.Zones[0], node)
		return MayRun(pod, node, nil) || Selects(pod, sibling) && ToleratesAll(pod, sibling.Spec.Taints)
	})
}

func noSchedule(key string) corev1.Taint {
	return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
}

// Repels says whether a taint keeps pods away, not only prefers others.
func Repels(taint corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }

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

// ToleratesAll says whether the pod tolerates every taint that repels.
func ToleratesAll(pod *corev1.Pod, taints []corev1.Taint) bool {
	return !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return Repels(t) && !Tolerates(pod, t) })
}

// NotReady says whether a node is not Ready.
func NotReady(node *corev1.Node) bool {
	ready, _ := Readiness(node)
	return ready.Status != corev1.ConditionTrue
}

// DaemonSetPod is a pod as a DaemonSet's template has it. The pods tolerate by themselves what cordoning and a node's state put on it
// (pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations).
func DaemonSetPod(set *appsv1.DaemonSet) *corev1.Pod {
	template := &corev1.Pod{Spec: *set.Spec.Template.Spec.DeepCopy()}
	for _, taint := range []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable,
	} {
		template.Spec.Tolerations = append(template.Spec.Tolerations, corev1.Toleration{Key: taint, Operator: corev1.TolerationOpExists})
	}
	return template
}

// DaemonSetPodNode is the node a DaemonSet's pod is for: where it is, or what every term of its affinity names.
func DaemonSetPodNode(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" || pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil ||
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return pod.Spec.NodeName
	}
	only := ""
	for i, term := range pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		name := ""
		for _, field := range term.MatchFields {
			if field.Key == "metadata.name" && field.Operator == corev1.NodeSelectorOpIn && len(field.Values) == 1 {
				name = field.Values[0]
			}
		}
		if name == "" || i > 0 && name != only {
			return ""
		}
		only = name
	}
	return only
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

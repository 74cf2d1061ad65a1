package diagnosis

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/cluster"
)

func tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	// Numeric comparison in tolerations is alpha in 1.36 (feature gate TaintTolerationComparisonOperators), off by default.
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &taint, false)
}

// lifecycleTaints say again what cordoning and the Ready condition say.
var lifecycleTaints = map[string]bool{
	corev1.TaintNodeUnschedulable: true,
	corev1.TaintNodeNotReady:      true,
	corev1.TaintNodeUnreachable:   true,
}

// selects says whether the pod's node selector and required node affinity allow the node.
func selects(pod *corev1.Pod, node *corev1.Node) bool {
	ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return ok && err == nil
}

// open says whether a node's own state and the volumes leave the pod a chance there. Whether it fits only the scheduler can
// say; this tells which nodes are worth asking about.
func open(pod *corev1.Pod, node *corev1.Node, mounts []mount) bool {
	_, taint := readiness(node)
	return selects(pod, node) && toleratesAll(pod, node.Spec.Taints) &&
		(!node.Spec.Unschedulable || tolerates(pod, noSchedule(corev1.TaintNodeUnschedulable))) &&
		(!down(node) || tolerates(pod, noSchedule(taint))) &&
		!slices.ContainsFunc(mounts, func(m mount) bool { return !m.allows(node) })
}

// decides says whether the volume is what would keep the pod from running: a node is open to it but for the volume, or a
// new one of a kind that exists would be open to it in the zone.
func decides(world *cluster.Snapshot, pod *corev1.Pod, m mount) bool {
	return slices.ContainsFunc(world.Nodes(), func(node *corev1.Node) bool {
		sibling := siblingIn(m.zones[0], node)
		return open(pod, node, nil) || selects(pod, sibling) && toleratesAll(pod, sibling.Spec.Taints)
	})
}

func noSchedule(key string) corev1.Taint {
	return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
}

func repels(taint corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }

// readiness is a node's Ready condition and the taint the node controller gives a node in that state. A node that never
// reported counts as unknown.
func readiness(node *corev1.Node) (corev1.NodeCondition, string) {
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

// passingTaints come and go with a node's state, so a new node of the same group does not have them. Keys under the
// kubelet's and the cloud controller's prefixes do so as well.
var passingTaints = map[string]bool{
	"ToBeDeletedByClusterAutoscaler":       true,
	"DeletionCandidateOfClusterAutoscaler": true,
	"karpenter.sh/disrupted":               true,
}

func passing(taint corev1.Taint) bool {
	return passingTaints[taint.Key] ||
		strings.HasPrefix(taint.Key, "node.kubernetes.io/") ||
		strings.HasPrefix(taint.Key, "node.cloudprovider.kubernetes.io/")
}

// leaving says whether a node's group no longer counts on it.
func leaving(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == "ToBeDeletedByClusterAutoscaler" || t.Key == "node.cloudprovider.kubernetes.io/shutdown"
	})
}

// siblingIn is the node that the group of a live one would add in a zone: its size, labels and lasting taints, a name of
// its own, and the zone in place of the live one's.
func siblingIn(zone string, node *corev1.Node) *corev1.Node {
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
		if !passing(taint) {
			sibling.Spec.Taints = append(sibling.Spec.Taints, taint)
		}
	}
	sibling.Status.Capacity, sibling.Status.Allocatable = node.Status.Capacity, node.Status.Allocatable
	return sibling
}

func toleratesAll(pod *corev1.Pod, taints []corev1.Taint) bool {
	return !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return repels(t) && !tolerates(pod, t) })
}

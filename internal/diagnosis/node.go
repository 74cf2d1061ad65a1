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
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// obstacle is one reason, readable from a node itself, why a pod cannot be placed on it. Whether the pod fits among the
// others there only the scheduler can say.
type obstacle struct {
	// kind is also the sentence that counts nodes with this obstacle.
	kind     message.ID
	evidence finding.Evidence
}

// gravest orders obstacles: what a new node of the same kind would share comes first.
var gravest = []message.ID{
	message.ObstacleSelector, message.ObstacleLabel, message.ObstacleTainted,
	message.ObstacleNotReady, message.ObstacleCordoned,
}

// obstacles are all that a node's own state puts in a pod's way; kube-scheduler would stop at the first.
func obstacles(pod *corev1.Pod, node *corev1.Node) []obstacle {
	var found []obstacle
	ref := refTo(cluster.Node, node)
	if !selects(pod, node) {
		found = append(found, obstacle{message.ObstacleSelector, fact(ref, "metadata.labels", labelsAsked(pod, node))})
	}
	if node.Spec.Unschedulable && !tolerates(pod, noSchedule(corev1.TaintNodeUnschedulable)) {
		found = append(found, obstacle{message.ObstacleCordoned, fact(ref, "spec.unschedulable", "true")})
	}
	if ready, taint := readiness(node); ready.Status != corev1.ConditionTrue && !tolerates(pod, noSchedule(taint)) {
		value := strings.TrimSpace(string(ready.Status) + " " + ready.Reason)
		found = append(found, obstacle{
			message.ObstacleNotReady, factSince(ref, "status.conditions[Ready]", value, ready.LastTransitionTime),
		})
	}
	for _, taint := range node.Spec.Taints {
		if !lifecycleTaints[taint.Key] && repels(taint) && !tolerates(pod, taint) {
			found = append(found, obstacle{message.ObstacleTainted, fact(ref, "spec.taints", taint.ToString())})
		}
	}
	return found
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

func tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	// Numeric comparison in tolerations is alpha in 1.36 (feature gate TaintTolerationComparisonOperators), off by default.
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &taint, false)
}

func repels(taint corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }

func noSchedule(key string) corev1.Taint {
	return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
}

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

// siblingIn is the node that the group of a live one would add in a zone: its labels and lasting taints, a name of its
// own, and the zone in place of the live one's.
func siblingIn(zone string, node *corev1.Node) *corev1.Node {
	sibling := &corev1.Node{}
	sibling.Labels = maps.Clone(node.Labels)
	delete(sibling.Labels, corev1.LabelHostname)
	for _, label := range cluster.ZoneLabels {
		if _, ok := sibling.Labels[label]; ok {
			sibling.Labels[label] = zone
		}
	}
	for _, taint := range node.Spec.Taints {
		if !passing(taint) {
			sibling.Spec.Taints = append(sibling.Spec.Taints, taint)
		}
	}
	return sibling
}

// suits says whether a new node would be open to the pod, as far as labels and taints tell.
func suits(pod *corev1.Pod, sibling *corev1.Node) bool {
	return selects(pod, sibling) && toleratesAll(pod, sibling.Spec.Taints)
}

func toleratesAll(pod *corev1.Pod, taints []corev1.Taint) bool {
	return !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return repels(t) && !tolerates(pod, t) })
}

package diagnosis

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// factsOf are where an obstacle on a node can be seen; for those that lie in the cluster as a whole, the plugin's words.
func (v View) factsOf(pod *corev1.Pod, node *corev1.Node, o obstacle) []finding.Evidence {
	ref := refTo(cluster.Node, node)
	switch o.kind {
	case message.ObstacleSelector:
		return []finding.Evidence{fact(ref, "metadata.labels", labelsAsked(pod, node))}
	case message.ObstacleLabel:
		return []finding.Evidence{fact(refTo(cluster.CSINode, node), "spec.drivers", strings.Join(o.reasons, ", "))}
	case message.ObstacleCordoned:
		return []finding.Evidence{fact(ref, "spec.unschedulable", "true")}
	case message.ObstacleNotReady:
		ready, _ := readiness(node)
		value := strings.TrimSpace(string(ready.Status) + " " + ready.Reason)
		return []finding.Evidence{factSince(ref, "status.conditions[Ready]", value, ready.LastTransitionTime)}
	case message.ObstacleTainted:
		var evidence []finding.Evidence
		for _, taint := range lastingTaints(pod, node) {
			evidence = append(evidence, fact(ref, "spec.taints", taint.ToString()))
		}
		return evidence
	case message.ObstacleFull:
		var evidence []finding.Evidence
		for _, n := range v.shortOf(pod, node) {
			evidence = append(evidence, fact(ref, "status.allocatable["+string(n.resource)+"]", n.account(v.Say)))
		}
		return evidence
	default:
		return []finding.Evidence{fact(ref, o.plugin, strings.Join(o.reasons, "; "))}
	}
}

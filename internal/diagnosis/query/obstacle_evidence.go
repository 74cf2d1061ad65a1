package query

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// ObstacleEvidence are the fields that show an obstacle on a node; for obstacles that concern the whole cluster, the plugin's
// reasons.
func (q Query) ObstacleEvidence(pod *corev1.Pod, node *corev1.Node, o Obstacle) []finding.Evidence {
	ref := facts.RefTo(cluster.Node, node)
	switch o.Kind {
	case message.ObstacleSelector:
		return []finding.Evidence{facts.Evidence(ref, "metadata.labels", facts.SelectorLabelValues(pod, node))}
	case message.ObstacleLabel:
		return []finding.Evidence{facts.Evidence(facts.RefTo(cluster.CSINode, node), "spec.drivers", strings.Join(o.Reasons, ", "))}
	case message.ObstacleCordoned:
		return []finding.Evidence{facts.Evidence(ref, "spec.unschedulable", "true")}
	case message.ObstacleNotReady:
		ready, _ := facts.Readiness(node)
		value := strings.TrimSpace(string(ready.Status) + " " + ready.Reason)
		return []finding.Evidence{facts.EvidenceSince(ref, "status.conditions[Ready]", value, ready.LastTransitionTime)}
	case message.ObstacleTainted:
		var evidence []finding.Evidence
		for _, taint := range UntoleratedNonLifecycleTaints(pod, node) {
			evidence = append(evidence, facts.Evidence(ref, "spec.taints", taint.ToString()))
		}
		return evidence
	case message.ObstacleFull:
		var evidence []finding.Evidence
		for _, n := range q.Shortages(pod, node) {
			evidence = append(evidence, finding.Evidence{Object: ref, Field: "pods[" + string(n.Resource) + "]", Account: n.account()})
		}
		return evidence
	default:
		return []finding.Evidence{facts.Evidence(ref, o.Plugin, strings.Join(o.Reasons, "; "))}
	}
}

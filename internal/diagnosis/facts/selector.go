package facts

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
)

// SelectsNamespaces reports whether the pod's affinity selects namespaces by their labels.
func SelectsNamespaces(pod *corev1.Pod) bool {
	terms := kube.RequiredAntiAffinity(pod)
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		terms = slices.Concat(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
		return t.NamespaceSelector != nil && len(t.NamespaceSelector.MatchLabels)+len(t.NamespaceSelector.MatchExpressions) > 0
	})
}

// SelectorEvidence are the pod's node selector and node affinity.
func SelectorEvidence(pod *corev1.Pod) []finding.Evidence {
	var facts []finding.Evidence
	ref := RefTo(cluster.Pod, pod)
	if len(pod.Spec.NodeSelector) > 0 {
		facts = append(facts, Evidence(ref, "spec.nodeSelector", metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: pod.Spec.NodeSelector})))
	}
	if required := kube.RequiredNodeAffinity(pod); required != nil {
		facts = append(facts, Evidence(ref, "spec.affinity.nodeAffinity", FormatSelector(required)))
	}
	return facts
}

// SelectorLabelValues are a node's values of the labels by which the pod selects nodes.
func SelectorLabelValues(pod *corev1.Pod, node *corev1.Node) string {
	var values []string
	for _, key := range SelectorKeys(pod) {
		if value, ok := node.Labels[key]; ok {
			values = append(values, key+"="+value)
		} else {
			values = append(values, "!"+key)
		}
	}
	return strings.Join(values, ",")
}

// SelectorKeys are the labels by which the pod selects nodes, sorted.
func SelectorKeys(pod *corev1.Pod) []string {
	keys := map[string]bool{}
	for key := range pod.Spec.NodeSelector {
		keys[key] = true
	}
	if required := kube.RequiredNodeAffinity(pod); required != nil {
		for _, term := range required.NodeSelectorTerms {
			for _, expression := range term.MatchExpressions {
				keys[expression.Key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// FormatSelector formats a node selector like a label selector in kubectl, with its terms separated by ||.
func FormatSelector(selector *corev1.NodeSelector) string {
	var terms []string
	for _, term := range selector.NodeSelectorTerms {
		terms = append(terms, formatTerm(term))
	}
	return strings.Join(terms, " || ")
}

func formatTerm(term corev1.NodeSelectorTerm) string {
	var parts []string
	for _, e := range slices.Concat(term.MatchExpressions, term.MatchFields) {
		switch e.Operator {
		case corev1.NodeSelectorOpExists:
			parts = append(parts, e.Key)
		case corev1.NodeSelectorOpDoesNotExist:
			parts = append(parts, "!"+e.Key)
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			parts = append(parts, e.Key+map[corev1.NodeSelectorOperator]string{"Gt": ">", "Lt": "<"}[e.Operator]+strings.Join(e.Values, ","))
		default:
			parts = append(parts, e.Key+" "+strings.ToLower(string(e.Operator))+" ("+strings.Join(e.Values, ",")+")")
		}
	}
	return strings.Join(parts, ",")
}

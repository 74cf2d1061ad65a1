package repair

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Selected are the nodes that a policy selects, in their order. A selector that cannot be read, which the API server does
// not let pass, selects none.
func Selected(policy *v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) []*corev1.Node {
	selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.NodeSelector)
	if err != nil {
		return nil
	}
	var selected []*corev1.Node
	for _, node := range nodes {
		if selector.Matches(labels.Set(node.Labels)) {
			selected = append(selected, node)
		}
	}
	return selected
}

// Unhealthy are the names of the nodes that meet a rule of a policy that selects them, or that are not Ready.
func Unhealthy(policies []v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) map[string]bool {
	ill := map[string]bool{}
	for _, node := range nodes {
		if !Ready(node) {
			ill[node.Name] = true
		}
	}
	for i := range policies {
		for _, node := range Selected(&policies[i], nodes) {
			if Ill(policies[i].Spec.Rules, node.Status.Conditions) {
				ill[node.Name] = true
			}
		}
	}
	return ill
}

// inOrder are policies as they are asked: by name, so that of two that select a node the same one always decides.
func inOrder(policies []v1alpha1.NodeRepairPolicy) []v1alpha1.NodeRepairPolicy {
	return slices.SortedFunc(slices.Values(policies), func(a, b v1alpha1.NodeRepairPolicy) int { return strings.Compare(a.Name, b.Name) })
}

package repairpolicy

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Selected are the nodes that a policy selects, in their order.
func Selected(policy *v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) []*corev1.Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(node *corev1.Node) bool { return !selects(&policy.Spec, node) })
}

// InvalidSelector are the errors of a policy's selector, each with its field; an invalid one selects no node. The API server validates
// most of it, but not keys, nor what it stored before it did.
func InvalidSelector(policy *v1alpha1.NodeRepairPolicySpec) []string {
	var invalid []string
	for _, err := range validation.ValidateLabelSelector(&policy.NodeSelector, validation.LabelSelectorValidationOptions{}, field.NewPath("spec", "nodeSelector")) {
		invalid = append(invalid, err.Error())
	}
	slices.Sort(invalid)
	return invalid
}

// Unhealthy are the names of the nodes that meet a rule of a policy that selects them, or that are not Ready.
func Unhealthy(policies []v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) map[string]bool {
	unhealthy := map[string]bool{}
	for _, node := range nodes {
		if !kube.IsNodeReady(node) {
			unhealthy[node.Name] = true
		}
	}
	for i := range policies {
		for _, node := range Selected(&policies[i], nodes) {
			if MeetsAny(policies[i].Spec.Rules, node.Status.Conditions) {
				unhealthy[node.Name] = true
			}
		}
	}
	return unhealthy
}

// sortedByName are policies by name, so that of two that select a node always the same decides.
func sortedByName(policies []v1alpha1.NodeRepairPolicy) []v1alpha1.NodeRepairPolicy {
	return slices.SortedFunc(slices.Values(policies), func(a, b v1alpha1.NodeRepairPolicy) int { return strings.Compare(a.Name, b.Name) })
}

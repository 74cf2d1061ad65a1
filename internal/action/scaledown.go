package action

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ScaleDownDisabledByAnnotation on a node names the Remediation that keeps autoscalers from removing the node while it is
// drained and rebooted, and then, separated by spaces, the annotations that naosu has set for that. Only those are taken off.
const ScaleDownDisabledByAnnotation = "naosu.dev/scale-down-disabled-by"

// scaleDownDisabled are the annotations by which autoscalers leave a node alone if their value is "true". naosu sets no
// other annotation that is not its own.
//
// Sources: ScaleDownDisabledKey in kubernetes/autoscaler cluster-autoscaler/core/scaledown/eligibility/eligibility.go, and
// ValidateNodeDisruptable in kubernetes-sigs/karpenter pkg/controllers/state/statenode.go.
var scaleDownDisabled = []string{"cluster-autoscaler.kubernetes.io/scale-down-disabled", "karpenter.sh/do-not-disrupt"}

// scaleDownDisabledBy is the Remediation that keeps autoscalers from removing a node, empty if none does, and which of
// others' annotations it has set.
func scaleDownDisabledBy(node *corev1.Node) (remediation string, set []string) {
	fields := strings.Fields(node.Annotations[ScaleDownDisabledByAnnotation])
	if len(fields) == 0 {
		return "", nil
	}
	return fields[0], slices.DeleteFunc(fields[1:], func(key string) bool { return !slices.Contains(scaleDownDisabled, key) })
}

// disableScaleDown keeps autoscalers from removing a node for as long as a Remediation is at work on it. An annotation that is
// there already, with whatever value, is another's and stays as it is.
func disableScaleDown(node *corev1.Node, remediation string) {
	mark := []string{remediation}
	for _, key := range scaleDownDisabled {
		if _, taken := node.Annotations[key]; !taken {
			metav1.SetMetaDataAnnotation(&node.ObjectMeta, key, "true")
			mark = append(mark, key)
		}
	}
	metav1.SetMetaDataAnnotation(&node.ObjectMeta, ScaleDownDisabledByAnnotation, strings.Join(mark, " "))
}

// enableScaleDown takes off what disableScaleDown has set, but for what another has changed since.
func enableScaleDown(node *corev1.Node) {
	_, set := scaleDownDisabledBy(node)
	for _, key := range set {
		if node.Annotations[key] == "true" {
			delete(node.Annotations, key)
		}
	}
	delete(node.Annotations, ScaleDownDisabledByAnnotation)
}

// OthersAnnotations are a node's without those of others' keys that naosu itself has set: it must not be held up by them.
func OthersAnnotations(node *corev1.Node) map[string]string {
	if _, set := scaleDownDisabledBy(node); len(set) == 0 {
		return node.Annotations
	}
	without := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: maps.Clone(node.Annotations)}}
	enableScaleDown(without)
	return without.Annotations
}

package repairpolicy

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// evidenceKey identifies the evidence of a rejection: a condition of a Node that has had a status since a time, with a precision of
// seconds. A condition that changes its status, and another Node of the same name, are other evidence.
type evidenceKey struct {
	node              types.UID
	condition, status string
	since             int64
}

func keyOfRemediation(r *v1alpha1.Remediation) evidenceKey {
	e := r.Spec.Evidence
	return evidenceKey{r.Spec.Node.UID, e.Condition, string(e.Status), e.Since.Unix()}
}

func keyOfCondition(node *corev1.Node, c corev1.NodeCondition) evidenceKey {
	return evidenceKey{node.UID, string(c.Type), string(c.Status), c.LastTransitionTime.Unix()}
}

// NeededRemediations are the names of the Remediations that Propose depends on, however old they are: of each node the last, and of each
// of its conditions the latest that a person rejected and whose evidence holds. There are no more of them than nodes and conditions of
// nodes.
func NeededRemediations(nodes []*corev1.Node, remediations []v1alpha1.Remediation) map[string]bool {
	before := historyOf(remediations)
	needed := map[string]bool{}
	for _, node := range nodes {
		if last := before.last[node.Name]; last != nil {
			needed[last.Name] = true
		}
		for _, condition := range node.Status.Conditions {
			if rejected := before.rejected[keyOfCondition(node, condition)]; rejected != nil {
				needed[rejected.Name] = true
			}
		}
	}
	return needed
}

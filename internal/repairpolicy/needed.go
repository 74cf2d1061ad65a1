package repairpolicy

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// evidenceKey is what a rejection is of: a condition of a Node that has had a status since a time, to the second, as
// conditions tell. A condition that turns, and another Node of the same name, are other evidence.
type evidenceKey struct {
	node              types.UID
	condition, status string
	since             int64
}

func keyOf(r *v1alpha1.Remediation) evidenceKey {
	e := r.Spec.Evidence
	return evidenceKey{r.Spec.Node.UID, e.Condition, string(e.Status), e.Since.Unix()}
}

func keyFor(node *corev1.Node, c corev1.NodeCondition) evidenceKey {
	return evidenceKey{node.UID, string(c.Type), string(c.Status), c.LastTransitionTime.Unix()}
}

// Needed are the names of the Remediations that Propose rests on, however old they are: of each node the last, and of each of
// its conditions the latest that a person rejected and whose evidence stands. There are no more of them than nodes and
// conditions of nodes.
func Needed(nodes []*corev1.Node, remediations []v1alpha1.Remediation) map[string]bool {
	before := historyOf(remediations)
	needed := map[string]bool{}
	for _, node := range nodes {
		if last := before.last[node.Name]; last != nil {
			needed[last.Name] = true
		}
		for _, condition := range node.Status.Conditions {
			if rejected := before.rejected[keyFor(node, condition)]; rejected != nil {
				needed[rejected.Name] = true
			}
		}
	}
	return needed
}

package cluster

import corev1 "k8s.io/api/core/v1"

// Unreachable says whether nobody on a node answers: its condition Ready is Unknown. What its pods' statuses say is then what
// was so before.
func Unreachable(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionUnknown
		}
	}
	return false
}

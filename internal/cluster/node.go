package cluster

import corev1 "k8s.io/api/core/v1"

// Unreachable says whether a node's condition Ready is Unknown, because its kubelet no longer reports. The statuses of its pods are then outdated.
func Unreachable(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionUnknown
		}
	}
	return false
}

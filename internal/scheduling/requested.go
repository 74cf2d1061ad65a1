package scheduling

import corev1 "k8s.io/api/core/v1"

// Requested is the sum of the requests of a node's pods for a resource, as the scheduler counts it: millicores of CPU, bytes, pieces,
// or for "pods" their number. It is zero for a node that does not exist.
func (j *Judge) Requested(node string, resource corev1.ResourceName) int64 {
	info := j.store.Nodes.Node(node)
	if info == nil {
		return 0
	}
	switch resource {
	case corev1.ResourceCPU:
		return info.Requested.MilliCPU
	case corev1.ResourceMemory:
		return info.Requested.Memory
	case corev1.ResourceEphemeralStorage:
		return info.Requested.EphemeralStorage
	case corev1.ResourcePods:
		return int64(len(info.Pods))
	default:
		return info.Requested.ScalarResources[resource]
	}
}

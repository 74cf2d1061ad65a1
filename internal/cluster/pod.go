package cluster

import corev1 "k8s.io/api/core/v1"

// Ended says whether all of the pod's containers have ended for good.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// ClaimName is the claim that a volume of a pod mounts, empty if it mounts none.
//
// Source: k8s.io/component-helpers/storage/ephemeral, for the claims made for one pod.
func ClaimName(pod *corev1.Pod, v *corev1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name
	default:
		return ""
	}
}

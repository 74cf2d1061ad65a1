package scheduling

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// AffinityTerm selects pods as the scheduler does for a term of affinity or anti-affinity to other pods.
type AffinityTerm = fwk.AffinityTerm

// AffinityTerms are terms of a pod. An error is of a selector that the API server would refuse.
func AffinityTerms(pod *corev1.Pod, terms []corev1.PodAffinityTerm) ([]AffinityTerm, error) {
	return fwk.GetAffinityTerms(pod, terms)
}

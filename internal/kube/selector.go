package kube

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// RequiredNodeAffinity is a pod's required node affinity, nil if it has none.
func RequiredNodeAffinity(pod *corev1.Pod) *corev1.NodeSelector {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// RequiredAntiAffinity are the terms of a pod's required anti-affinity to other pods.
func RequiredAntiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// RequiredPodAffinity are the terms of a pod's required affinity to other pods.
func RequiredPodAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// Selects says whether a pod's node selector and required node affinity allow a node.
//
// Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity (GetRequiredNodeAffinity), as the scheduler and the DaemonSet
// controller call it. The API server rejects selectors that fail.
func Selects(pod *corev1.Pod, node *corev1.Node) bool {
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return err == nil && matches
}

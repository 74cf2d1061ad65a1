package facts

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// DefaultScheduler is the name of kube-scheduler's default profile (k8s.io/api/core/v1 DefaultSchedulerName).
const DefaultScheduler = corev1.DefaultSchedulerName

// SchedulerOf is the scheduler that a pod asks for; one that names none is given the default one by the API server.
func SchedulerOf(pod *corev1.Pod) string { return cmp.Or(pod.Spec.SchedulerName, DefaultScheduler) }

// HasRunning says whether a container of the pod runs, as far as its kubelet has reported.
func HasRunning(pod *corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.State.Running != nil
	})
}

// WaitsForNode says whether the pod is in the scheduler's hands.
func WaitsForNode(pod *corev1.Pod) bool {
	return needsNode(pod) && len(pod.Spec.SchedulingGates) == 0
}

// needsNode says whether the pod should have a node and has none.
func needsNode(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil
}

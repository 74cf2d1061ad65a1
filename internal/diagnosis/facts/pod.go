package facts

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// DefaultScheduler is the name of kube-scheduler's default profile (k8s.io/api/core/v1 DefaultSchedulerName).
const DefaultScheduler = corev1.DefaultSchedulerName

// SchedulerOf is the pod's schedulerName; the API server sets the default.
func SchedulerOf(pod *corev1.Pod) string { return cmp.Or(pod.Spec.SchedulerName, DefaultScheduler) }

// HasRunning reports whether a container of the pod runs, according to its kubelet.
func HasRunning(pod *corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.State.Running != nil
	})
}

// WaitsForNode reports whether the pod waits for the scheduler.
func WaitsForNode(pod *corev1.Pod) bool {
	return needsNode(pod) && len(pod.Spec.SchedulingGates) == 0
}

// HoldsRoom reports whether a pod or workload holds the room of a HeadroomPolicy. Such pods do no work: that one is Pending is told of the policy.
func HoldsRoom(o metav1.Object) bool { return o.GetLabels()[v1alpha1.HeadroomPolicyLabel] != "" }

// needsNode reports whether the pod should have a node and has none.
func needsNode(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil
}

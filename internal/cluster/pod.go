package cluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

// Ended says whether all of the pod's containers have ended for good.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// Runs says whether a pod does what it is there for, by which PodDisruptionBudgets count it: it is Ready, and has not been
// told to end.
//
// Source: countHealthyPods in kubernetes pkg/controller/disruption/disruption.go.
func Runs(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && !Ended(pod) && kube.IsPodReady(pod)
}

// IsMirror says whether a pod stands for one that a kubelet runs from a file of its node.
func IsMirror(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// Drains says whether a drain is about a pod: not one that has ended, one of a DaemonSet, which would be made again there, or
// one that the kubelet runs by itself.
//
// Source: the filters of k8s.io/kubectl/pkg/drain.
func Drains(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return !Ended(pod) && !IsMirror(pod) && (owner == nil || Kind(owner.Kind) != DaemonSet)
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

package cluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Ended says whether the pod's phase is Succeeded or Failed.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// Runs says whether PodDisruptionBudgets count a pod as healthy: it is Ready, and is not being deleted.
//
// Source: countHealthyPods in kubernetes pkg/controller/disruption/disruption.go.
func Runs(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && !Ended(pod) && kube.IsPodReady(pod)
}

// IsMirror says whether a pod is the mirror pod of a static pod.
func IsMirror(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// DoNotDisrupt says whether a pod's annotations ask naosu, Karpenter or the cluster autoscaler not to evict it.
func DoNotDisrupt(annotations map[string]string) bool {
	return annotations[v1alpha1.DoNotDisruptAnnotation] == "true" || annotations[kube.KarpenterDoNotDisrupt] == "true" || annotations[SafeToEvictAnnotation] == "false"
}

// Drains says whether a drain evicts a pod: not one that has ended, one of a DaemonSet, or a mirror pod.
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

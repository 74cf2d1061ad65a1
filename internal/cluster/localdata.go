package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// SafeToEvictAnnotation on a pod tells the cluster autoscaler whether it may evict the pod: "true" or "false".
const SafeToEvictAnnotation = "cluster-autoscaler.kubernetes.io/safe-to-evict"

// safeToEvictLocalVolumes on a pod tells the cluster autoscaler which volumes may be lost, by their names, with commas.
const safeToEvictLocalVolumes = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"

// LocalData are the names of a pod's volumes whose data is on its node alone, so that it does not move with the pod:
// emptyDir on disk, hostPath, and claims on a PersistentVolume that is local or a hostPath. As for the cluster autoscaler,
// an emptyDir in memory does not count, nor does what the pod's annotations let it lose. Of a nil Snapshot, claims are not
// looked at.
//
// Source: HasBlockingLocalStorage in kubernetes/autoscaler cluster-autoscaler/utils/drain/drain.go. kubectl drain counts an
// emptyDir in memory too, and no hostPath.
func (s *Snapshot) LocalData(pod *corev1.Pod) []string {
	if pod.Annotations[SafeToEvictAnnotation] == "true" {
		return nil
	}
	given := strings.Split(pod.Annotations[safeToEvictLocalVolumes], ",")
	var names []string
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; s.local(pod, v) && !slices.Contains(given, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

func (s *Snapshot) local(pod *corev1.Pod, v *corev1.Volume) bool {
	switch {
	case v.EmptyDir != nil:
		return v.EmptyDir.Medium == corev1.StorageMediumDefault
	case v.HostPath != nil:
		return true
	case s == nil || ClaimName(pod, v) == "":
		return false
	}
	claim := s.Claim(pod.Namespace, ClaimName(pod, v))
	if claim == nil {
		return false
	}
	volume := s.Volume(claim.Spec.VolumeName)
	return volume != nil && (volume.Spec.Local != nil || volume.Spec.HostPath != nil)
}

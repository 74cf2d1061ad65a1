package nodes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// claimOf is the name of the claim behind a pod's volume, or "".
func claimOf(pod *corev1.Pod, v *corev1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name // k8s.io/component-helpers/storage/ephemeral
	}
	return ""
}

// attachableVolumes are the names under which a pod's volumes are attached to its node, sorted, and whether all of its claims
// are bound. Volumes of drivers that need no attachment have no such name.
func (n *clusterCache) attachableVolumes(pod *corev1.Pod) ([]corev1.UniqueVolumeName, bool) {
	var names []corev1.UniqueVolumeName
	for i := range pod.Spec.Volumes {
		claimName := claimOf(pod, &pod.Spec.Volumes[i])
		if claimName == "" {
			continue
		}
		claim, err := n.claims.PersistentVolumeClaims(pod.Namespace).Get(claimName)
		if err != nil || claim.Status.Phase != corev1.ClaimBound || claim.Spec.VolumeName == "" {
			return nil, false
		}
		volume, err := n.volumes.Get(claim.Spec.VolumeName)
		if err != nil {
			return nil, false
		}
		if csi := volume.Spec.CSI; csi != nil && n.requiresAttach(csi.Driver) {
			names = append(names, uniqueVolumeName(csi))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// uniqueVolumeName is how kubelet and attach-detach controller name a CSI volume: pkg/volume/util, GetUniqueVolumeName.
func uniqueVolumeName(csi *corev1.CSIPersistentVolumeSource) corev1.UniqueVolumeName {
	return corev1.UniqueVolumeName("kubernetes.io/csi/" + csi.Driver + "^" + csi.VolumeHandle)
}

// requiresAttach says whether a driver's volumes must be attached: they must unless its CSIDriver says otherwise.
func (n *clusterCache) requiresAttach(driver string) bool {
	d, err := n.drivers.Get(driver)
	if apierrors.IsNotFound(err) || d == nil || d.Spec.AttachRequired == nil {
		return true
	}
	return *d.Spec.AttachRequired
}

// attached says whether the node says of all volumes that they are in use and attached: only then does a kubelet mount
// them, so that the attach-detach controller never detaches one that is mounted.
func attached(node *corev1.Node, volumes []corev1.UniqueVolumeName) bool {
	if len(volumes) == 0 {
		return true
	}
	if node == nil {
		return false
	}
	for _, name := range volumes {
		is := func(v corev1.AttachedVolume) bool { return v.Name == name }
		if !slices.Contains(node.Status.VolumesInUse, name) || !slices.ContainsFunc(node.Status.VolumesAttached, is) {
			return false
		}
	}
	return true
}

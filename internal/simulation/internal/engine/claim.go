package engine

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// defaultClassAnnotation marks the StorageClass of claims that name none.
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class"

// CreateClaim creates a claim. If its class binds immediately, so is its volume, in a zone that the driver chooses and that is not
// known here.
func (e *Engine) CreateClaim(claim *corev1.PersistentVolumeClaim) error {
	if claim.UID == "" {
		claim.UID = e.Names.UID()
	}
	claim.Status.Phase = corev1.ClaimPending
	if claim.Spec.StorageClassName == nil {
		for _, class := range e.World().Classes() {
			if class.Annotations[defaultClassAnnotation] == "true" {
				claim.Spec.StorageClassName = new(class.Name)
			}
		}
	}
	edits := []cluster.Edit{cluster.Put(claim)}
	if claim.Spec.VolumeName == "" && claim.Spec.StorageClassName != nil {
		class := e.World().Class(*claim.Spec.StorageClassName)
		if class != nil && class.Provisioner != noProvisioner && bindsImmediately(class) {
			e.Gaps.Note("pvc/"+claim.Name, sentence.GapImmediate("pvc/"+claim.Name, class.Name))
			edits = e.provisionClaim(claim, class, &corev1.Node{})
		}
	}
	return e.Edit(edits...)
}

func bindsImmediately(class *storagev1.StorageClass) bool {
	return class.VolumeBindingMode == nil || *class.VolumeBindingMode == storagev1.VolumeBindingImmediate
}

package csi

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"
)

const (
	defaultFSType    = "ext4"
	parameterFSType  = "csi.storage.k8s.io/fstype"
	attributeCreator = "storage.kubernetes.io/csiProvisionerIdentity"
)

// volumeName is the same for every attempt, so that the driver can find what an earlier one made.
func volumeName(claim *corev1.PersistentVolumeClaim) string { return "pvc-" + string(claim.UID) }

// persistentVolume is what the external-provisioner would make of a new volume.
func persistentVolume(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, zone, handle string, bytes int64) *corev1.PersistentVolume {
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        volumeName(claim),
			Annotations: map[string]string{storagehelpers.AnnDynamicallyProvisioned: class.Provisioner},
			Finalizers:  []string{provisionerFinalizer},
		},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes:                   claim.Spec.AccessModes,
			MountOptions:                  class.MountOptions,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(bytes, resource.BinarySI)},
			PersistentVolumeReclaimPolicy: ptr.Deref(class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete),
			StorageClassName:              class.Name,
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver:           class.Provisioner,
				VolumeHandle:     handle,
				VolumeAttributes: map[string]string{attributeCreator: class.Provisioner},
			}},
		},
	}
	if ptr.Deref(claim.Spec.VolumeMode, "") != corev1.PersistentVolumeBlock {
		pv.Spec.CSI.FSType = fsType(class)
	}
	if zone != "" {
		pv.Spec.NodeAffinity = inZone(zone)
	}
	return pv
}

// fsType is the class's, or what the EBS driver's chart sets (controller.defaultFsType).
func fsType(class *storagev1.StorageClass) string {
	if stated := class.Parameters[parameterFSType]; stated != "" {
		return stated
	}
	if class.Provisioner == ebsName {
		return defaultFSType
	}
	return ""
}

// inZone uses the well-known key, as the EBS driver does since 1.50.
func inZone(zone string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{
			Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone},
		}},
	}}}}
}

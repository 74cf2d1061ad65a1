package twin

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The drivers that the lab plays.
const (
	ebs = "ebs.csi.aws.com"
	efs = "efs.csi.aws.com"
)

// instanceAnnotation is where the attacher keeps which machine an attachment means.
const instanceAnnotation = "csi.alpha.kubernetes.io/node-id"

// volumes are the cloud's for the PersistentVolumes of the EBS driver. Other drivers' volumes stay where they are.
func (c *contents) volumes() []cloud.Volume {
	var volumes []cloud.Volume
	elsewhere, nowhere := map[string]int{}, 0
	for _, pv := range all[*corev1.PersistentVolume](c) {
		driver := driverOf(pv)
		if driver != ebs {
			if driver != "" && driver != efs {
				elsewhere[driver]++
			}
			continue
		}
		v := cloud.Volume{ID: pv.Spec.CSI.VolumeHandle, Zone: zoneOfVolume(pv), Size: pv.Spec.Capacity.Storage().Value(), Token: pv.Name}
		if v.Zone == "" {
			nowhere++
			continue
		}
		volumes = append(volumes, v)
	}
	for _, driver := range slices.Sorted(maps.Keys(elsewhere)) {
		c.notes.add(elsewhere[driver], "PersistentVolume of "+driver, "stays where it is attached; the lab does not play its driver, and cannot attach it elsewhere")
	}
	c.notes.add(nowhere, "PersistentVolume of "+ebs, "in no zone that its affinity tells of: the lab's cloud does not have it")
	return volumes
}

// driverOf is who attaches a volume, empty for one that needs no attaching.
func driverOf(pv *corev1.PersistentVolume) string {
	switch s := pv.Spec.PersistentVolumeSource; {
	case s.CSI != nil:
		return s.CSI.Driver
	case s.AWSElasticBlockStore != nil:
		return "kubernetes.io/aws-ebs"
	case s.GCEPersistentDisk != nil:
		return "kubernetes.io/gce-pd"
	case s.AzureDisk != nil:
		return "kubernetes.io/azure-disk"
	}
	return ""
}

func zoneOfVolume(pv *corev1.PersistentVolume) string {
	if pv.Spec.NodeAffinity == nil || pv.Spec.NodeAffinity.Required == nil {
		return pv.Labels[corev1.LabelTopologyZone]
	}
	keys := []string{corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone, "topology.ebs.csi.aws.com/zone"}
	for _, term := range pv.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if slices.Contains(keys, e.Key) && e.Operator == corev1.NodeSelectorOpIn && len(e.Values) == 1 {
				return e.Values[0]
			}
		}
	}
	return ""
}

// attach ties volumes to the machines that their VolumeAttachments name, in the cloud and in what the attacher goes by.
func (c *contents) attach(volumes []cloud.Volume, machines []cloud.Instance) {
	pvs, machineOf, volumeOf := named[*corev1.PersistentVolume](c), map[string]string{}, map[string]*cloud.Volume{}
	for _, m := range machines {
		machineOf[m.NodeName] = m.ID
	}
	for i := range volumes {
		volumeOf[volumes[i].ID] = &volumes[i]
	}
	for _, va := range all[*storagev1.VolumeAttachment](c) {
		if va.Spec.Source.PersistentVolumeName == nil {
			continue
		}
		pv := pvs[types.NamespacedName{Name: *va.Spec.Source.PersistentVolumeName}]
		if pv == nil || driverOf(pv) != ebs {
			continue
		}
		handle, machine := pv.Spec.CSI.VolumeHandle, machineOf[va.Spec.NodeName]
		// The attach-detach controller finds an attachment by this name: pkg/volume/csi, getAttachmentName. Names that were
		// replaced for a snapshot's sake would keep it from ever detaching.
		va.Name = fmt.Sprintf("csi-%x", sha256.Sum256([]byte(handle+ebs+va.Spec.NodeName)))
		if machine == "" {
			continue
		}
		metav1.SetMetaDataAnnotation(&va.ObjectMeta, instanceAnnotation, machine)
		if v := volumeOf[handle]; v != nil && v.AttachedTo == "" && va.Status.Attached {
			v.AttachedTo = machine
		}
	}
}

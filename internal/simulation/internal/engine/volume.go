package engine

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// maxWaitForUnmount is how long the attach-detach controller waits for an unhealthy node to unmount a volume that no pod there
// needs any more.
//
// Source: pkg/controller/volume/attachdetach (ReconcilerMaxWaitForUnmountDuration).
const maxWaitForUnmount = 6 * time.Minute

// DelayUntilDetached delays the replacement of a pod on an unreachable node: a single-attach volume has to be detached from there
// first.
func (e *Engine) DelayUntilDetached(pod *corev1.Pod) {
	for i := range pod.Spec.Volumes {
		volume := e.volumeOf(pod, &pod.Spec.Volumes[i])
		if volume == nil || !e.requiresAttach(volume) || !isSingleAttach(volume) {
			continue
		}
		record := e.Fates.Of(pod)
		record.Delay = outcome.Fate{
			Why:   sentence.FateDetach(volume.Name, names.NodeRef(pod.Spec.NodeName)),
			Until: e.now + maxWaitForUnmount,
		}
		return
	}
}

// detach detaches the volumes of a removed pod from its node, except those that another pod there mounts: as the attach-detach
// controller does once they are unmounted or, on an unreachable node, after maxWaitForUnmount.
func (e *Engine) detach(pod *corev1.Pod) []cluster.Edit {
	var edits []cluster.Edit
	for i := range pod.Spec.Volumes {
		volume := e.volumeOf(pod, &pod.Spec.Volumes[i])
		if volume == nil || e.mountedByAnother(pod, cluster.ClaimName(pod, &pod.Spec.Volumes[i])) {
			continue
		}
		for _, attachment := range e.World().Attachments(volume.Name) {
			if attachment.Spec.NodeName == pod.Spec.NodeName {
				edits = append(edits, cluster.Remove(attachment))
			}
		}
	}
	return edits
}

// mountedByAnother reports whether another pod on the pod's node mounts one of its claims.
func (e *Engine) mountedByAnother(pod *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(e.Pods.UsingClaim(pod.Namespace, claim), func(other *corev1.Pod) bool {
		return other.Spec.NodeName == pod.Spec.NodeName && names.Of(other) != names.Of(pod) && !cluster.Ended(other)
	})
}

func (e *Engine) volumeOf(pod *corev1.Pod, v *corev1.Volume) *corev1.PersistentVolume {
	name := cluster.ClaimName(pod, v)
	if name == "" {
		return nil
	}
	claim := e.World().Claim(pod.Namespace, name)
	if claim == nil || claim.Spec.VolumeName == "" {
		return nil
	}
	return e.World().Volume(claim.Spec.VolumeName)
}

// requiresAttach reports whether a volume is attached to a node before a pod there can use it.
func (e *Engine) requiresAttach(v *corev1.PersistentVolume) bool {
	if len(e.World().Attachments(v.Name)) > 0 {
		return true
	}
	if v.Spec.CSI == nil {
		return v.Spec.AWSElasticBlockStore != nil || v.Spec.GCEPersistentDisk != nil || v.Spec.AzureDisk != nil
	}
	driver := e.World().CSIDriver(v.Spec.CSI.Driver)
	return driver == nil || driver.Spec.AttachRequired == nil || *driver.Spec.AttachRequired
}

// isSingleAttach reports whether a volume is attached to one node at a time. Without access modes the driver decides.
//
// Source: pkg/volume/util of Kubernetes (IsMultiAttachAllowed).
func isSingleAttach(v *corev1.PersistentVolume) bool {
	return len(v.Spec.AccessModes) > 0 && !slices.Contains(v.Spec.AccessModes, corev1.ReadWriteMany) && !slices.Contains(v.Spec.AccessModes, corev1.ReadOnlyMany)
}

// provisionVolumes provisions the volumes of claims that wait for a first consumer, in the topology of its node, and binds the
// claims: from then on the pod is bound to that topology.
func (e *Engine) provisionVolumes(pod *corev1.Pod) []cluster.Edit {
	var edits []cluster.Edit
	for i := range pod.Spec.Volumes {
		name := cluster.ClaimName(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim := e.World().Claim(pod.Namespace, name)
		if claim == nil || claim.Spec.VolumeName != "" || claim.Spec.StorageClassName == nil {
			continue
		}
		class := e.World().Class(*claim.Spec.StorageClassName)
		if class == nil || class.Provisioner == noProvisioner {
			continue
		}
		edits = append(edits, e.provisionClaim(claim, class, e.World().Node(pod.Spec.NodeName))...)
	}
	return edits
}

// noProvisioner is the provisioner of classes whose volumes are created by hand.
const noProvisioner = "kubernetes.io/no-provisioner"

func (e *Engine) provisionClaim(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node *corev1.Node) []cluster.Edit {
	bound := claim.DeepCopy()
	if bound.UID == "" {
		bound.UID = e.Names.UID()
	}
	bound.Spec.VolumeName = "pvc-" + string(bound.UID)
	metav1.SetMetaDataAnnotation(&bound.ObjectMeta, volume.AnnBindCompleted, "yes") // Without it the scheduler does not treat the claim as bound.
	bound.Status.Phase = corev1.ClaimBound
	made := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: bound.Spec.VolumeName, UID: e.Names.UID(), CreationTimestamp: *e.APITime()},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: claim.Spec.AccessModes, StorageClassName: class.Name, VolumeMode: claim.Spec.VolumeMode,
			Capacity: claim.Spec.Resources.Requests,
			ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: bound.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: bound.Spec.VolumeName},
			},
			NodeAffinity: e.volumeNodeAffinity(class.Provisioner, node),
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}
	return []cluster.Edit{cluster.Put(bound), cluster.Put(made)}
}

// volumeNodeAffinity is where a volume provisioned for a node can be used: by its driver's topology keys, otherwise in the node's
// zone.
func (e *Engine) volumeNodeAffinity(driver string, node *corev1.Node) *corev1.VolumeNodeAffinity {
	var term corev1.NodeSelectorTerm
	keys, known := e.topologyKeys(driver, node)
	if !known {
		keys = []string{corev1.LabelTopologyZone}
	}
	for _, key := range keys {
		if value := node.Labels[key]; value != "" {
			term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{
				Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value},
			})
		}
	}
	if len(term.MatchExpressions) == 0 {
		return nil
	}
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}}
}

// topologyKeys are the driver's topology keys; false if it has not registered on the node.
func (e *Engine) topologyKeys(driver string, node *corev1.Node) ([]string, bool) {
	drivers := e.World().CSINode(node.Name)
	if drivers == nil {
		return nil, false
	}
	for i := range drivers.Spec.Drivers {
		if d := &drivers.Spec.Drivers[i]; d.Name == driver {
			return d.TopologyKeys, true
		}
	}
	return nil, false
}

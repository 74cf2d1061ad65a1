package simulation

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// forceDetach is how long the attach-detach controller waits for an unhealthy node to unmount a volume that no pod there
// needs any more.
//
// Source: pkg/controller/volume/attachdetach (ReconcilerMaxWaitForUnmountDuration).
const maxWaitForUnmount = 6 * time.Minute

// delayForVolume holds back the successor of a pod whose node is dead: a volume that only one node may use has to be
// detached there first.
func (e *engine) delayUntilDetached(pod *corev1.Pod) {
	for i := range pod.Spec.Volumes {
		volume := e.volumeOf(pod, &pod.Spec.Volumes[i])
		if volume == nil || !e.requiresAttach(volume) || !isSingleAttach(volume) {
			continue
		}
		l := e.fates.of(pod)
		l.delay = Fate{
			Why:   message.Of(message.FateDetach, message.Args{"volume": volume.Name, "node": nodeRef(pod.Spec.NodeName)}),
			Until: e.now + maxWaitForUnmount,
		}
		return
	}
}

// detach takes the volumes of a pod that is gone from its node, but for those that another pod there mounts: as the
// attach-detach controller does once they are unmounted or, on a dead node, once it has waited for that.
func (e *engine) detach(pod *corev1.Pod) []cluster.Edit {
	var edits []cluster.Edit
	for i := range pod.Spec.Volumes {
		volume := e.volumeOf(pod, &pod.Spec.Volumes[i])
		if volume == nil || e.mountedByAnother(pod, cluster.ClaimName(pod, &pod.Spec.Volumes[i])) {
			continue
		}
		for _, attachment := range e.world().Attachments(volume.Name) {
			if attachment.Spec.NodeName == pod.Spec.NodeName {
				edits = append(edits, cluster.Remove(attachment))
			}
		}
	}
	return edits
}

// mountedBeside says whether another pod on the pod's node mounts a claim of it.
func (e *engine) mountedByAnother(pod *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(e.pods.usingClaim(pod.Namespace, claim), func(other *corev1.Pod) bool {
		return other.Spec.NodeName == pod.Spec.NodeName && nameOf(other) != nameOf(pod) && !cluster.Ended(other)
	})
}

func (e *engine) volumeOf(pod *corev1.Pod, v *corev1.Volume) *corev1.PersistentVolume {
	name := cluster.ClaimName(pod, v)
	if name == "" {
		return nil
	}
	claim := e.world().Claim(pod.Namespace, name)
	if claim == nil || claim.Spec.VolumeName == "" {
		return nil
	}
	return e.world().Volume(claim.Spec.VolumeName)
}

// attaches says whether a volume is attached to a node before a pod there can use it.
func (e *engine) requiresAttach(v *corev1.PersistentVolume) bool {
	if len(e.world().Attachments(v.Name)) > 0 {
		return true
	}
	if v.Spec.CSI == nil {
		return v.Spec.AWSElasticBlockStore != nil || v.Spec.GCEPersistentDisk != nil || v.Spec.AzureDisk != nil
	}
	driver := e.world().CSIDriver(v.Spec.CSI.Driver)
	return driver == nil || driver.Spec.AttachRequired == nil || *driver.Spec.AttachRequired
}

// onlyOneNode says whether a volume is attached to no second node. Of one that does not tell, the attacher decides.
//
// Source: pkg/volume/util of Kubernetes (IsMultiAttachAllowed).
func isSingleAttach(v *corev1.PersistentVolume) bool {
	return len(v.Spec.AccessModes) > 0 && !slices.Contains(v.Spec.AccessModes, corev1.ReadWriteMany) && !slices.Contains(v.Spec.AccessModes, corev1.ReadOnlyMany)
}

// provision makes the volumes that wait for a pod's node, where that node stands, and binds their claims: from then on the
// pod is tied to the place.
func (e *engine) provisionVolumes(pod *corev1.Pod) []cluster.Edit {
	var edits []cluster.Edit
	for i := range pod.Spec.Volumes {
		name := cluster.ClaimName(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim := e.world().Claim(pod.Namespace, name)
		if claim == nil || claim.Spec.VolumeName != "" || claim.Spec.StorageClassName == nil {
			continue
		}
		class := e.world().Class(*claim.Spec.StorageClassName)
		if class == nil || class.Provisioner == noProvisioner {
			continue
		}
		edits = append(edits, e.provisionClaim(claim, class, e.world().Node(pod.Spec.NodeName))...)
	}
	return edits
}

// noProvisioner is the provisioner of classes whose volumes are made by hand.
const noProvisioner = "kubernetes.io/no-provisioner"

func (e *engine) provisionClaim(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node *corev1.Node) []cluster.Edit {
	bound := claim.DeepCopy()
	if bound.UID == "" {
		bound.UID = e.names.uid()
	}
	bound.Spec.VolumeName = "pvc-" + string(bound.UID)
	metav1.SetMetaDataAnnotation(&bound.ObjectMeta, volume.AnnBindCompleted, "yes") // Without it the scheduler takes no pod for the claim.
	bound.Status.Phase = corev1.ClaimBound
	made := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: bound.Spec.VolumeName, UID: e.names.uid(), CreationTimestamp: *e.apiTime()},
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

// reach is where a volume made for a node can be used: where its driver says that nodes are alike, else in the node's zone.
func (e *engine) volumeNodeAffinity(driver string, node *corev1.Node) *corev1.VolumeNodeAffinity {
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

// topologyKeys are the labels by which a driver tells nodes apart; false if it has not registered on the node.
func (e *engine) topologyKeys(driver string, node *corev1.Node) ([]string, bool) {
	drivers := e.world().CSINode(node.Name)
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

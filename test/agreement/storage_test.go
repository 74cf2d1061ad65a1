package agreement

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The storage drivers: one whose volumes are of a zone and can be attached only so often, and one that reports where it has
// room.
const (
	zonalDriver = "zonal.csi.example.com"
	roomDriver  = "room.csi.example.com"
)

// The storage classes.
const (
	waitClass  = "wait"  // made where the pod goes
	southClass = "south" // the same, in some zones only
	nowClass   = "now"   // immediate binding, without a provisioner
	roomClass  = "room"  // made where the pod goes and where there is room
	localClass = "local" // disks of nodes, which are there already
)

// Annotations by which the scheduler and the volume controller communicate.
const (
	bindCompleted = "pv.kubernetes.io/bind-completed"
	boundByUs     = "pv.kubernetes.io/bound-by-controller"
	selectedNode  = "volume.kubernetes.io/selected-node"
)

func (w *world) addStorage() {
	class := func(name, driver string, mode storagev1.VolumeBindingMode, zones ...string) *storagev1.StorageClass {
		c := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: driver, VolumeBindingMode: &mode}
		if len(zones) > 0 {
			c.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
				{Key: corev1.LabelTopologyZone, Values: zones},
			}}}
		}
		return c
	}
	wait, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	w.add(
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: zonalDriver}},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: roomDriver}, Spec: storagev1.CSIDriverSpec{StorageCapacity: new(true)}},
		class(waitClass, zonalDriver, wait), class(southClass, zonalDriver, wait, pick(w.random, zones...)),
		class(nowClass, zonalDriver, now), class(roomClass, roomDriver, wait),
		class(localClass, "kubernetes.io/no-provisioner", wait),
	)
	for _, zone := range pickSome(w.random, 60, zones...) {
		w.add(&storagev1.CSIStorageCapacity{
			ObjectMeta:       metav1.ObjectMeta{Namespace: "default", Name: zone},
			StorageClassName: roomClass,
			NodeTopology:     &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: zone}},
			Capacity:         resource.NewQuantity(int64(w.between(1, 6))<<30, resource.BinarySI),
		})
	}
	for i, node := range w.nodes {
		w.addDrivers(node)
		if w.chance(30) {
			w.addVolume(fmt.Sprintf("disk-%d", i), localClass, onNode(node.Name), nil)
		}
	}
}

// addDrivers says which drivers run on a node and how many volumes each can attach there.
func (w *world) addDrivers(node *corev1.Node) {
	on := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
	for _, driver := range pickSome(w.random, 90, zonalDriver, roomDriver) {
		d := storagev1.CSINodeDriver{Name: driver, NodeID: node.Name}
		if w.chance(70) {
			d.Allocatable = &storagev1.VolumeNodeResources{Count: new(int32(w.between(1, 2)))}
		}
		on.Spec.Drivers = append(on.Spec.Drivers, d)
	}
	w.add(on)
}

// volume is where a volume can be used, if not everywhere.
type where struct {
	affinity *corev1.VolumeNodeAffinity
	labels   map[string]string
}

func matches(key string, values ...string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}}
}

func inZone(zone string) where { return where{affinity: matches(corev1.LabelTopologyZone, zone)} }

func onNode(name string) where { return where{affinity: matches(corev1.LabelHostname, name)} }

// labelledZone is how volumes stated their zone before they had a node affinity.
func labelledZone(zone string) where {
	return where{labels: map[string]string{corev1.LabelTopologyZone: zone}}
}

// addVolume adds a volume of a class, bound to a claim if there is one.
func (w *world) addVolume(name, class string, at where, claim *corev1.PersistentVolumeClaim) {
	volume := newVolume(name, class, at)
	volume.Status.Phase = corev1.VolumeAvailable
	if claim != nil {
		bind(volume, claim)
	}
	w.add(volume)
}

func newVolume(name, class string, at where) *corev1.PersistentVolume {
	source := corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: zonalDriver, VolumeHandle: name}}
	switch class {
	case localClass:
		source = corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/mnt/" + name}}
	case roomClass:
		source.CSI.Driver = roomDriver
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: at.labels},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: class, NodeAffinity: at.affinity, PersistentVolumeSource: source,
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("4Gi")},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		},
	}
}

// bind does what the volume controller does for a volume and the claim that it is meant for.
func bind(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) {
	volume.Spec.ClaimRef = &corev1.ObjectReference{
		APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	volume.Spec.AccessModes = claim.Spec.AccessModes
	volume.Status.Phase = corev1.VolumeBound
	claim.Spec.VolumeName = volume.Name
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, bindCompleted, "yes")
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, boundByUs, "yes")
	claim.Status = corev1.PersistentVolumeClaimStatus{
		Phase: corev1.ClaimBound, AccessModes: claim.Spec.AccessModes, Capacity: volume.Spec.Capacity,
	}
}

// claim is an unbound claim of a class.
func newClaim(namespace, name, class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("3Gi")},
			},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
}

// use gives a pod a claim's volume.
func use(pod *corev1.Pod, claim string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
		Name: fmt.Sprintf("v%d", len(pod.Spec.Volumes)),
		VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		},
	})
}

// bound gives a pod a volume that exists and that its claim is bound to.
func (w *world) bound(pod *corev1.Pod, at where, mode corev1.PersistentVolumeAccessMode) {
	class := waitClass
	if at.affinity != nil && at.affinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Key == corev1.LabelHostname {
		class = localClass
	}
	claim := newClaim(pod.Namespace, fmt.Sprintf("%s-%d", pod.Name, len(pod.Spec.Volumes)), class)
	claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{mode}
	w.addVolume("vol-"+pod.Namespace+"-"+claim.Name, class, at, claim)
	w.add(claim)
	use(pod, claim.Name)
}

// unbound gives a pod a claim of a class that is not bound yet.
func (w *world) unbound(pod *corev1.Pod, class string) {
	claim := newClaim(pod.Namespace, fmt.Sprintf("%s-%d", pod.Name, len(pod.Spec.Volumes)), class)
	w.add(claim)
	use(pod, claim.Name)
}

// iscsi is a disk that two pods on one node cannot both write to.
func iscsi(pod *corev1.Pod, disk string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
		Name: fmt.Sprintf("v%d", len(pod.Spec.Volumes)),
		VolumeSource: corev1.VolumeSource{
			ISCSI: &corev1.ISCSIVolumeSource{TargetPortal: "192.0.2.1:3260", IQN: "iqn.2000-01.com.example:" + disk},
		},
	})
}

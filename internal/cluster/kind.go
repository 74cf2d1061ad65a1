package cluster

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is an API kind that a Snapshot may hold.
type Kind string

// The kinds a Snapshot holds.
const (
	Node      Kind = "Node"
	Pod       Kind = "Pod"
	Namespace Kind = "Namespace"
	Event     Kind = "Event"
	Lease     Kind = "Lease"

	Deployment            Kind = "Deployment"
	ReplicaSet            Kind = "ReplicaSet"
	ReplicationController Kind = "ReplicationController"
	StatefulSet           Kind = "StatefulSet"
	DaemonSet             Kind = "DaemonSet"
	Job                   Kind = "Job"
	CronJob               Kind = "CronJob"

	PersistentVolumeClaim Kind = "PersistentVolumeClaim"
	PersistentVolume      Kind = "PersistentVolume"
	StorageClass          Kind = "StorageClass"
	VolumeAttachment      Kind = "VolumeAttachment"
	CSINode               Kind = "CSINode"
	CSIDriver             Kind = "CSIDriver"
	CSIStorageCapacity    Kind = "CSIStorageCapacity"

	PodDisruptionBudget Kind = "PodDisruptionBudget"
	PriorityClass       Kind = "PriorityClass"
	Service             Kind = "Service"
	ResourceQuota       Kind = "ResourceQuota"
	LimitRange          Kind = "LimitRange"
	// ConfigMap is read only by name: an autoscaler's parameters.
	ConfigMap Kind = "ConfigMap"

	ResourceClaim Kind = "ResourceClaim"
	ResourceSlice Kind = "ResourceSlice"
	DeviceClass   Kind = "DeviceClass"
)

// tableOf makes an empty table of each kind. It is the one list of the kinds and their Go types.
var tableOf = map[Kind]func() rows{
	Node:      empty[*corev1.Node],
	Pod:       empty[*corev1.Pod],
	Namespace: empty[*corev1.Namespace],
	Event:     empty[*corev1.Event],
	Lease:     empty[*coordinationv1.Lease],

	Deployment:            empty[*appsv1.Deployment],
	ReplicaSet:            empty[*appsv1.ReplicaSet],
	ReplicationController: empty[*corev1.ReplicationController],
	StatefulSet:           empty[*appsv1.StatefulSet],
	DaemonSet:             empty[*appsv1.DaemonSet],
	Job:                   empty[*batchv1.Job],
	CronJob:               empty[*batchv1.CronJob],

	PersistentVolumeClaim: empty[*corev1.PersistentVolumeClaim],
	PersistentVolume:      empty[*corev1.PersistentVolume],
	StorageClass:          empty[*storagev1.StorageClass],
	VolumeAttachment:      empty[*storagev1.VolumeAttachment],
	CSINode:               empty[*storagev1.CSINode],
	CSIDriver:             empty[*storagev1.CSIDriver],
	CSIStorageCapacity:    empty[*storagev1.CSIStorageCapacity],

	PodDisruptionBudget: empty[*policyv1.PodDisruptionBudget],
	PriorityClass:       empty[*schedulingv1.PriorityClass],
	Service:             empty[*corev1.Service],
	ResourceQuota:       empty[*corev1.ResourceQuota],
	LimitRange:          empty[*corev1.LimitRange],
	ConfigMap:           empty[*corev1.ConfigMap],

	ResourceClaim: empty[*resourcev1.ResourceClaim],
	ResourceSlice: empty[*resourcev1.ResourceSlice],
	DeviceClass:   empty[*resourcev1.DeviceClass],
}

var kindOfType = func() map[reflect.Type]Kind {
	kinds := map[reflect.Type]Kind{}
	for kind, table := range tableOf {
		kinds[table().holds()] = kind
	}
	return kinds
}()

// KindOf is the kind of an object that a Snapshot may hold; false for others.
func KindOf(o metav1.Object) (Kind, bool) {
	kind, ok := kindOfType[reflect.TypeOf(o)]
	return kind, ok
}

// Knowledge says how much of a kind a Snapshot holds.
type Knowledge string

// How much of a kind is known. The zero value counts as Absent.
const (
	Complete  Knowledge = "Complete"  // every object of the cluster
	Partial   Knowledge = "Partial"   // those the question needed, such as one namespace's
	Forbidden Knowledge = "Forbidden" // the credentials may not read it
	Absent    Knowledge = "Absent"    // not asked for, or not served by this cluster
)

// Known says whether conclusions may be drawn from the objects of such a kind.
func (k Knowledge) Known() bool { return k == Complete || k == Partial }

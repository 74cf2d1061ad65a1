package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// What follows reads one kind each. Lists are sorted by namespace and name; a single object is nil if there is none of
// that name.

// Nodes are all of the kind.
func (s *Snapshot) Nodes() []*corev1.Node { return list[*corev1.Node](s, Node) }

// Node is the one of that name.
func (s *Snapshot) Node(name string) *corev1.Node {
	return get[*corev1.Node](s, Node, "", name)
}

// Pods are all of the kind.
func (s *Snapshot) Pods() []*corev1.Pod { return list[*corev1.Pod](s, Pod) }

// Pod is the one of that name.
func (s *Snapshot) Pod(namespace, name string) *corev1.Pod {
	return get[*corev1.Pod](s, Pod, namespace, name)
}

// Namespaces are all of the kind.
func (s *Snapshot) Namespaces() []*corev1.Namespace { return list[*corev1.Namespace](s, Namespace) }

// Namespace is the one of that name.
func (s *Snapshot) Namespace(name string) *corev1.Namespace {
	return get[*corev1.Namespace](s, Namespace, "", name)
}

// NamespaceLabels are the labels of a namespace; of one that was not read, those that every namespace has.
func (s *Snapshot) NamespaceLabels(name string) map[string]string {
	if ns := s.Namespace(name); ns != nil {
		return ns.Labels
	}
	return map[string]string{corev1.LabelMetadataName: name}
}

// Leases are all of the kind.
func (s *Snapshot) Leases() []*coordinationv1.Lease { return list[*coordinationv1.Lease](s, Lease) }

// Lease is the one of that name.
func (s *Snapshot) Lease(namespace, name string) *coordinationv1.Lease {
	return get[*coordinationv1.Lease](s, Lease, namespace, name)
}

// Deployments are all of the kind.
func (s *Snapshot) Deployments() []*appsv1.Deployment { return list[*appsv1.Deployment](s, Deployment) }

// Deployment is the one of that name.
func (s *Snapshot) Deployment(namespace, name string) *appsv1.Deployment {
	return get[*appsv1.Deployment](s, Deployment, namespace, name)
}

// ReplicaSets are all of the kind.
func (s *Snapshot) ReplicaSets() []*appsv1.ReplicaSet { return list[*appsv1.ReplicaSet](s, ReplicaSet) }

// ReplicaSet is the one of that name.
func (s *Snapshot) ReplicaSet(namespace, name string) *appsv1.ReplicaSet {
	return get[*appsv1.ReplicaSet](s, ReplicaSet, namespace, name)
}

// ReplicationControllers are all of the kind.
func (s *Snapshot) ReplicationControllers() []*corev1.ReplicationController {
	return list[*corev1.ReplicationController](s, ReplicationController)
}

// ReplicationController is the one of that name.
func (s *Snapshot) ReplicationController(namespace, name string) *corev1.ReplicationController {
	return get[*corev1.ReplicationController](s, ReplicationController, namespace, name)
}

// StatefulSets are all of the kind.
func (s *Snapshot) StatefulSets() []*appsv1.StatefulSet {
	return list[*appsv1.StatefulSet](s, StatefulSet)
}

// StatefulSet is the one of that name.
func (s *Snapshot) StatefulSet(namespace, name string) *appsv1.StatefulSet {
	return get[*appsv1.StatefulSet](s, StatefulSet, namespace, name)
}

// DaemonSets are all of the kind.
func (s *Snapshot) DaemonSets() []*appsv1.DaemonSet { return list[*appsv1.DaemonSet](s, DaemonSet) }

// DaemonSet is the one of that name.
func (s *Snapshot) DaemonSet(namespace, name string) *appsv1.DaemonSet {
	return get[*appsv1.DaemonSet](s, DaemonSet, namespace, name)
}

// Jobs are all of the kind.
func (s *Snapshot) Jobs() []*batchv1.Job { return list[*batchv1.Job](s, Job) }

// Job is the one of that name.
func (s *Snapshot) Job(namespace, name string) *batchv1.Job {
	return get[*batchv1.Job](s, Job, namespace, name)
}

// CronJobs are all of the kind.
func (s *Snapshot) CronJobs() []*batchv1.CronJob { return list[*batchv1.CronJob](s, CronJob) }

// CronJob is the one of that name.
func (s *Snapshot) CronJob(namespace, name string) *batchv1.CronJob {
	return get[*batchv1.CronJob](s, CronJob, namespace, name)
}

// Claims are the PersistentVolumeClaims.
func (s *Snapshot) Claims() []*corev1.PersistentVolumeClaim {
	return list[*corev1.PersistentVolumeClaim](s, PersistentVolumeClaim)
}

// Claim is a PersistentVolumeClaim.
func (s *Snapshot) Claim(namespace, name string) *corev1.PersistentVolumeClaim {
	return get[*corev1.PersistentVolumeClaim](s, PersistentVolumeClaim, namespace, name)
}

// Volumes are the PersistentVolumes.
func (s *Snapshot) Volumes() []*corev1.PersistentVolume {
	return list[*corev1.PersistentVolume](s, PersistentVolume)
}

// Volume is a PersistentVolume.
func (s *Snapshot) Volume(name string) *corev1.PersistentVolume {
	return get[*corev1.PersistentVolume](s, PersistentVolume, "", name)
}

// Classes are the StorageClasses.
func (s *Snapshot) Classes() []*storagev1.StorageClass {
	return list[*storagev1.StorageClass](s, StorageClass)
}

// Class is a StorageClass.
func (s *Snapshot) Class(name string) *storagev1.StorageClass {
	return get[*storagev1.StorageClass](s, StorageClass, "", name)
}

// VolumeAttachments are all of the kind.
func (s *Snapshot) VolumeAttachments() []*storagev1.VolumeAttachment {
	return list[*storagev1.VolumeAttachment](s, VolumeAttachment)
}

// CSINodes are all of the kind.
func (s *Snapshot) CSINodes() []*storagev1.CSINode { return list[*storagev1.CSINode](s, CSINode) }

// CSINode tells which drivers have registered on a node.
func (s *Snapshot) CSINode(name string) *storagev1.CSINode {
	return get[*storagev1.CSINode](s, CSINode, "", name)
}

// CSIDrivers are all of the kind.
func (s *Snapshot) CSIDrivers() []*storagev1.CSIDriver {
	return list[*storagev1.CSIDriver](s, CSIDriver)
}

// CSIDriver is the one of that name.
func (s *Snapshot) CSIDriver(name string) *storagev1.CSIDriver {
	return get[*storagev1.CSIDriver](s, CSIDriver, "", name)
}

// StorageCapacities are the CSIStorageCapacities.
func (s *Snapshot) StorageCapacities() []*storagev1.CSIStorageCapacity {
	return list[*storagev1.CSIStorageCapacity](s, CSIStorageCapacity)
}

// Budgets are the PodDisruptionBudgets.
func (s *Snapshot) Budgets() []*policyv1.PodDisruptionBudget {
	return list[*policyv1.PodDisruptionBudget](s, PodDisruptionBudget)
}

// PriorityClasses are all of the kind.
func (s *Snapshot) PriorityClasses() []*schedulingv1.PriorityClass {
	return list[*schedulingv1.PriorityClass](s, PriorityClass)
}

// PriorityClass is the one of that name.
func (s *Snapshot) PriorityClass(name string) *schedulingv1.PriorityClass {
	return get[*schedulingv1.PriorityClass](s, PriorityClass, "", name)
}

// RuntimeClass is the one of that name.
func (s *Snapshot) RuntimeClass(name string) *nodev1.RuntimeClass {
	return get[*nodev1.RuntimeClass](s, RuntimeClass, "", name)
}

// Services are all of the kind.
func (s *Snapshot) Services() []*corev1.Service { return list[*corev1.Service](s, Service) }

// Service is the one of that name.
func (s *Snapshot) Service(namespace, name string) *corev1.Service {
	return get[*corev1.Service](s, Service, namespace, name)
}

// Quotas are the ResourceQuotas.
func (s *Snapshot) Quotas() []*corev1.ResourceQuota {
	return list[*corev1.ResourceQuota](s, ResourceQuota)
}

// LimitRanges are all of the kind.
func (s *Snapshot) LimitRanges() []*corev1.LimitRange { return list[*corev1.LimitRange](s, LimitRange) }

// ConfigMaps are all of the kind.
func (s *Snapshot) ConfigMaps() []*corev1.ConfigMap { return list[*corev1.ConfigMap](s, ConfigMap) }

// ConfigMap is the one of that name.
func (s *Snapshot) ConfigMap(namespace, name string) *corev1.ConfigMap {
	return get[*corev1.ConfigMap](s, ConfigMap, namespace, name)
}

// ResourceClaims are all of the kind.
func (s *Snapshot) ResourceClaims() []*resourcev1.ResourceClaim {
	return list[*resourcev1.ResourceClaim](s, ResourceClaim)
}

// ResourceSlices are all of the kind.
func (s *Snapshot) ResourceSlices() []*resourcev1.ResourceSlice {
	return list[*resourcev1.ResourceSlice](s, ResourceSlice)
}

// DeviceClasses are all of the kind.
func (s *Snapshot) DeviceClasses() []*resourcev1.DeviceClass {
	return list[*resourcev1.DeviceClass](s, DeviceClass)
}

package cluster

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Owner is the object that controls another, nil if there is none or it is not in the Snapshot.
func (s *Snapshot) Owner(o metav1.Object) metav1.Object {
	ref := metav1.GetControllerOfNoCopy(o)
	if ref == nil {
		return nil
	}
	var owner metav1.Object
	switch Kind(ref.Kind) {
	case ReplicaSet:
		owner = orNone(s.ReplicaSet(o.GetNamespace(), ref.Name))
	case ReplicationController:
		owner = orNone(s.ReplicationController(o.GetNamespace(), ref.Name))
	case Deployment:
		owner = orNone(s.Deployment(o.GetNamespace(), ref.Name))
	case StatefulSet:
		owner = orNone(s.StatefulSet(o.GetNamespace(), ref.Name))
	case DaemonSet:
		owner = orNone(s.DaemonSet(o.GetNamespace(), ref.Name))
	case Job:
		owner = orNone(s.Job(o.GetNamespace(), ref.Name))
	case CronJob:
		owner = orNone(s.CronJob(o.GetNamespace(), ref.Name))
	}
	if owner == nil || owner.GetUID() != ref.UID {
		return nil
	}
	return owner
}

// Workload is the topmost object that controls a pod, such as the Deployment above its ReplicaSet; nil if it has none.
func (s *Snapshot) Workload(pod *corev1.Pod) metav1.Object {
	var top metav1.Object
	for owner := s.Owner(pod); owner != nil; owner = s.Owner(owner) {
		top = owner
	}
	return top
}

// orNone makes a nil pointer an interface that is nil.
func orNone[T any, P interface {
	*T
	metav1.Object
}](o P) metav1.Object {
	if o == nil {
		return nil
	}
	return o
}

package cluster

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// latest is the latest time in objects, which is close to when they were read: leases are renewed every ten seconds, and nodes report at least
// every five minutes.
func latest(objects []runtime.Object) time.Time {
	var last time.Time
	at := func(moments ...time.Time) {
		for _, m := range moments {
			if m.After(last) {
				last = m
			}
		}
	}
	for _, o := range objects {
		if object, ok := o.(metav1.Object); ok {
			at(object.GetCreationTimestamp().Time)
		}
		switch o := o.(type) {
		case *corev1.Node:
			for i := range o.Status.Conditions {
				at(o.Status.Conditions[i].LastHeartbeatTime.Time)
			}
		case *corev1.Pod:
			for i := range o.Status.Conditions {
				at(o.Status.Conditions[i].LastTransitionTime.Time)
			}
		case *corev1.Event:
			at(o.LastTimestamp.Time, o.EventTime.Time)
			if o.Series != nil {
				at(o.Series.LastObservedTime.Time)
			}
		case *coordinationv1.Lease:
			if o.Spec.RenewTime != nil {
				at(o.Spec.RenewTime.Time)
			}
		}
	}
	return last
}

package queue

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Class is what pods share that the scheduler decides alike: their controller, the revision of their template, and
// their requests (which may have been resized in place). A pod of the zero class is like no other.
type Class struct {
	owner    types.UID
	revision string
	cpu, mem int64
	// dependsOnPods says that a pod's feasible nodes depend on where other pods run.
	dependsOnPods bool
}

// failedAttempt is when a pod of a class was unschedulable: the queue's cycle, and the number of pods bound by then.
type failedAttempt struct{ cycle, boundPods int }

// ClassOf is the pod's class.
func ClassOf(pod *corev1.Pod) Class {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || owner.Kind == "DaemonSet" || len(pod.Spec.ResourceClaims) > 0 {
		return Class{}
	}
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			return Class{}
		}
	}
	asks := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	c := Class{owner: owner.UID, cpu: asks.Cpu().MilliValue(), mem: asks.Memory().Value(), dependsOnPods: dependsOnOtherPods(pod)}
	for _, label := range []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey} {
		c.revision += pod.Labels[label]
	}
	return c
}

// dependsOnOtherPods reports whether another pod's binding may make this one schedulable.
func dependsOnOtherPods(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	return len(pod.Spec.TopologySpreadConstraints) > 0 || a != nil && a.PodAffinity != nil
}

// KnownUnschedulable reports whether a pod of the class was unschedulable and nothing has happened since that could change
// that.
func (q *Queue) KnownUnschedulable(c Class) bool {
	failed, ok := q.failedClasses[c]
	return ok && failed.cycle == q.cycle && (!c.dependsOnPods || failed.boundPods == q.boundPods)
}

// MarkUnschedulable records that a pod of a class is unschedulable now.
func (q *Queue) MarkUnschedulable(c Class) {
	if c == (Class{}) {
		return
	}
	if q.failedClasses == nil {
		q.failedClasses = map[Class]failedAttempt{}
	}
	q.failedClasses[c] = failedAttempt{q.cycle, q.boundPods}
}

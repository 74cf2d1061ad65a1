package simulation

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
)

// class is what pods share of which the scheduler thinks alike: their controller, the revision of its template, and what
// they ask for (which may have been resized in place). The zero class is a pod like no other.
type equivalenceClass struct {
	owner    types.UID
	revision string
	cpu, mem int64
	// spread says that where other pods run matters to whether they fit.
	dependsOnPods bool
}

// failure is when a class fitted nowhere: the room there was, and how many pods had landed.
type failedAttempt struct{ cycle, boundPods int }

// classOf is the pod's class.
func equivalenceClassOf(pod *corev1.Pod) equivalenceClass {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || owner.Kind == "DaemonSet" || len(pod.Spec.ResourceClaims) > 0 {
		return equivalenceClass{}
	}
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			return equivalenceClass{}
		}
	}
	asks := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	c := equivalenceClass{owner: owner.UID, cpu: asks.Cpu().MilliValue(), mem: asks.Memory().Value(), dependsOnPods: dependsOnOtherPods(pod)}
	for _, label := range []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey} {
		c.revision += pod.Labels[label]
	}
	return c
}

// minds says whether a pod that lands elsewhere may make this one fit.
func dependsOnOtherPods(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	return len(pod.Spec.TopologySpreadConstraints) > 0 || a != nil && a.PodAffinity != nil
}

// hopelessFor says whether one of the class fitted nowhere and nothing has happened since that could help it.
func (q *queue) knownUnschedulable(c equivalenceClass) bool {
	failed, ok := q.failedClasses[c]
	return ok && failed.cycle == q.cycle && (!c.dependsOnPods || failed.boundPods == q.boundPods)
}

func (q *queue) markUnschedulable(c equivalenceClass) {
	if c == (equivalenceClass{}) {
		return
	}
	if q.failedClasses == nil {
		q.failedClasses = map[equivalenceClass]failedAttempt{}
	}
	q.failedClasses[c] = failedAttempt{q.cycle, q.boundPods}
}

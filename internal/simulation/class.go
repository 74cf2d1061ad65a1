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
type class struct {
	owner    types.UID
	revision string
	cpu, mem int64
	// spread says that where other pods run matters to whether they fit.
	spread bool
}

// failure is when a class fitted nowhere: the room there was, and how many pods had landed.
type failure struct{ room, landed int }

// classOf is the pod's class.
func classOf(pod *corev1.Pod) class {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || owner.Kind == "DaemonSet" || len(pod.Spec.ResourceClaims) > 0 {
		return class{}
	}
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			return class{}
		}
	}
	asks := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	c := class{owner: owner.UID, cpu: asks.Cpu().MilliValue(), mem: asks.Memory().Value(), spread: minds(pod)}
	for _, label := range []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey} {
		c.revision += pod.Labels[label]
	}
	return c
}

// minds says whether a pod that lands elsewhere may make this one fit.
func minds(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	return len(pod.Spec.TopologySpreadConstraints) > 0 || a != nil && a.PodAffinity != nil
}

// hopelessFor says whether one of the class fitted nowhere and nothing has happened since that could help it.
func (q *queue) hopelessFor(c class) bool {
	failed, ok := q.hopeless[c]
	return ok && failed.room == q.room && (!c.spread || failed.landed == q.landed)
}

func (q *queue) giveUp(c class) {
	if c == (class{}) {
		return
	}
	if q.hopeless == nil {
		q.hopeless = map[class]failure{}
	}
	q.hopeless[c] = failure{q.room, q.landed}
}

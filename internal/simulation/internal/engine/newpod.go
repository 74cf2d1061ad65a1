package engine

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReplacementPod is the pod that an owner creates in place of another: the same except for name, node and status. It copies the
// live pod rather than the template, because that includes what admission changed.
func (e *Engine) ReplacementPod(pod *corev1.Pod, name string) *corev1.Pod {
	next := &corev1.Pod{TypeMeta: pod.TypeMeta, Spec: pod.Spec}
	next.ObjectMeta = metav1.ObjectMeta{
		Name: name, GenerateName: pod.GenerateName, Namespace: pod.Namespace, UID: e.Names.UID(),
		Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
		CreationTimestamp: *e.APITime(),
	}
	next.Spec.NodeName = ""
	next.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: pod.Status.QOSClass}
	return next
}

// PodFromTemplate is a pod as its controller creates it from a template, with the defaults of admission.
func (e *Engine) PodFromTemplate(template *corev1.PodTemplateSpec, namespace, name string, owner metav1.OwnerReference) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: namespace, UID: e.Names.UID(), Labels: maps.Clone(template.Labels),
		Annotations: maps.Clone(template.Annotations), OwnerReferences: []metav1.OwnerReference{owner}, CreationTimestamp: *e.APITime(),
	}}
	pod.Spec = *template.Spec.DeepCopy()
	pod.Status.Phase = corev1.PodPending
	e.Admit(pod)
	return pod
}

// runningPod is the pod once it runs on a node.
func (e *Engine) runningPod(pod *corev1.Pod, node string) *corev1.Pod {
	placed := *pod
	placed.Spec.NodeName = node
	now := *e.APITime()
	placed.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now, QOSClass: pod.Status.QOSClass}
	kinds := [...]corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady}
	placed.Status.Conditions = make([]corev1.PodCondition, 0, len(kinds))
	for _, kind := range kinds {
		placed.Status.Conditions = append(placed.Status.Conditions,
			corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	return &placed
}

// startingPod is a bound pod of which no container has started.
func (e *Engine) startingPod(placed *corev1.Pod) *corev1.Pod {
	pod := *placed
	pod.Status.Phase, pod.Status.StartTime = corev1.PodPending, nil
	pod.Status.Conditions = slices.Clone(pod.Status.Conditions)
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.ContainersReady || c.Type == corev1.PodReady {
			c.Status, c.Reason = corev1.ConditionFalse, "ContainersNotReady"
		}
	}
	return &pod
}

// terminatingPod is the pod while it is being deleted.
func (e *Engine) terminatingPod(pod *corev1.Pod) *corev1.Pod {
	terminating := *pod
	terminating.DeletionTimestamp = e.APITime()
	return &terminating
}

// CreatePod creates a pod, as the replacement of an old one unless that is nil.
func (e *Engine) CreatePod(old, next *corev1.Pod) {
	if old != nil {
		e.Fates.Replace(old, next)
	} else {
		e.Fates.Begin(next)
	}
	e.SubmitPod(next)
}

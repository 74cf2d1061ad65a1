package intake

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dropValues replaces the values of the environment variables of the pods that an object makes, and leaves out of what it
// makes what meta leaves out of the object itself. A variable's name, and where its value comes from, stay: a container that
// cannot start for a missing Secret names it there.
func dropValues(o Object, values Values) {
	switch o := o.(type) {
	case *batchv1.CronJob:
		dropMeta(&o.Spec.JobTemplate.ObjectMeta)
	case *appsv1.StatefulSet:
		for i := range o.Spec.VolumeClaimTemplates {
			dropMeta(&o.Spec.VolumeClaimTemplates[i].ObjectMeta)
		}
	}
	made := template(o)
	if made == nil {
		return
	}
	dropMeta(&made.ObjectMeta)
	for i := range made.Spec.Volumes {
		dropClaimMeta(&made.Spec.Volumes[i])
	}
	values.SealTemplate(o)
}

func dropMeta(o *metav1.ObjectMeta) {
	o.ManagedFields = nil
	delete(o.Annotations, corev1.LastAppliedConfigAnnotation)
}

// dropClaimMeta is for the claim that is made for one pod.
func dropClaimMeta(v *corev1.Volume) {
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		dropMeta(&v.Ephemeral.VolumeClaimTemplate.ObjectMeta)
	}
}

// template is the pod that an object makes, nil if it makes none.
func template(o Object) *corev1.PodTemplateSpec {
	switch o := o.(type) {
	case *corev1.ReplicationController:
		return o.Spec.Template
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	default:
		return nil
	}
}

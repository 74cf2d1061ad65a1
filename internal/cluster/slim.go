package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// slim drops what no question needs, what makes up much of an object's size, and what may be confidential: managed
// fields, the manifest that kubectl last applied, and the values of environment variables. A variable's name, and where
// its value comes from, stay: a container that cannot start for a missing Secret names it there.
func slim(o metav1.Object) {
	o.SetManagedFields(nil)
	if annotations := o.GetAnnotations(); annotations != nil {
		delete(annotations, corev1.LastAppliedConfigAnnotation)
	}
	spec := podSpec(o)
	if spec == nil {
		return
	}
	for i := range spec.InitContainers {
		dropValues(spec.InitContainers[i].Env)
	}
	for i := range spec.Containers {
		dropValues(spec.Containers[i].Env)
	}
	for i := range spec.EphemeralContainers {
		dropValues(spec.EphemeralContainers[i].Env)
	}
}

func dropValues(env []corev1.EnvVar) {
	for i := range env {
		env[i].Value = ""
	}
}

// podSpec is the pod that an object is or makes, nil if neither.
func podSpec(o metav1.Object) *corev1.PodSpec {
	switch o := o.(type) {
	case *corev1.Pod:
		return &o.Spec
	case *corev1.ReplicationController:
		if o.Spec.Template == nil {
			return nil
		}
		return &o.Spec.Template.Spec
	case *appsv1.Deployment:
		return &o.Spec.Template.Spec
	case *appsv1.ReplicaSet:
		return &o.Spec.Template.Spec
	case *appsv1.StatefulSet:
		return &o.Spec.Template.Spec
	case *appsv1.DaemonSet:
		return &o.Spec.Template.Spec
	case *batchv1.Job:
		return &o.Spec.Template.Spec
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template.Spec
	default:
		return nil
	}
}

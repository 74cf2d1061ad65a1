package intake

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// dropValues empties the environment variables of the pods that an object makes. A variable's name, and where its value
// comes from, stay: a container that cannot start for a missing Secret names it there.
func dropValues(o Object) {
	spec := template(o)
	if spec == nil {
		return
	}
	for i := range spec.InitContainers {
		dropEnv(spec.InitContainers[i].Env)
	}
	for i := range spec.Containers {
		dropEnv(spec.Containers[i].Env)
	}
}

func dropEnv(env []corev1.EnvVar) {
	for i := range env {
		env[i].Value = ""
	}
}

// template is the pod that an object makes, nil if it makes none.
func template(o Object) *corev1.PodSpec {
	switch o := o.(type) {
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

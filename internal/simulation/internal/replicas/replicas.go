package replicas

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Of is how many pods an owner should have; fallback if its kind does not say.
func Of(owner metav1.Object, fallback int) int {
	var replicas *int32
	switch o := owner.(type) {
	case *appsv1.ReplicaSet:
		replicas = o.Spec.Replicas
	case *corev1.ReplicationController:
		replicas = o.Spec.Replicas
	case *appsv1.StatefulSet:
		replicas = o.Spec.Replicas
	case *appsv1.Deployment:
		replicas = o.Spec.Replicas
	default:
		return fallback
	}
	if replicas == nil {
		return 1
	}
	return int(*replicas)
}

// DeploymentLimits are a Deployment's maxSurge and maxUnavailable as numbers of pods: by default a quarter; with the strategy
// Recreate none and all.
func DeploymentLimits(d *appsv1.Deployment, desired int) (maxSurge, maxUnavailable int) {
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return 0, desired
	}
	maxSurge, maxUnavailable = (desired+3)/4, desired/4
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		maxSurge, maxUnavailable = Scaled(r.MaxSurge, desired, true, maxSurge), Scaled(r.MaxUnavailable, desired, false, maxUnavailable)
	}
	if maxSurge == 0 {
		maxUnavailable = max(maxUnavailable, 1)
	}
	return maxSurge, maxUnavailable
}

// DaemonSetLimits are a DaemonSet's maxUnavailable and maxSurge as numbers of pods.
func DaemonSetLimits(set *appsv1.DaemonSet, pods int) (maxUnavailable, maxSurge int) {
	rolling := set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return 1, 0
	}
	maxUnavailable, maxSurge = Scaled(rolling.MaxUnavailable, pods, true, 1), Scaled(rolling.MaxSurge, pods, true, 0)
	if maxSurge == 0 {
		maxUnavailable = max(maxUnavailable, 1)
	}
	return maxUnavailable, maxSurge
}

// Scaled is an absolute number or a percentage of a total; fallback if it is not set.
func Scaled(value *intstr.IntOrString, of int, up bool, fallback int) int {
	if value == nil {
		return fallback
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, of, up)
	if err != nil {
		return fallback // The API server rejects such values.
	}
	return n
}

package simulation

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// sameShape says whether pods of two templates are alike to the scheduler, and of the same images. A manifest and what the
// API server makes of it differ in much else, and a rollout that only changes environment or annotations moves nothing.
func (f *future) sameShape(namespace string, a, b *corev1.PodTemplateSpec) bool {
	return equality.Semantic.DeepEqual(f.shapeOf(namespace, a), f.shapeOf(namespace, b))
}

func (f *future) shapeOf(namespace string, template *corev1.PodTemplateSpec) *corev1.Pod {
	spec := template.Spec.DeepCopy()
	pod := &corev1.Pod{}
	pod.Namespace, pod.Labels = namespace, template.Labels
	pod.Spec = corev1.PodSpec{
		NodeSelector: spec.NodeSelector, Affinity: spec.Affinity, Tolerations: spec.Tolerations, HostNetwork: spec.HostNetwork,
		TopologySpreadConstraints: spec.TopologySpreadConstraints, PriorityClassName: spec.PriorityClassName, Priority: spec.Priority,
		SchedulerName: spec.SchedulerName, SchedulingGates: spec.SchedulingGates, ResourceClaims: spec.ResourceClaims, Overhead: spec.Overhead,
	}
	pod.Spec.InitContainers, pod.Spec.Containers = outlines(spec.InitContainers), outlines(spec.Containers)
	for _, v := range spec.Volumes {
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			pod.Spec.Volumes = append(pod.Spec.Volumes, v)
		}
	}
	f.admit(pod)
	return pod
}

// outlines are containers without what the scheduler does not look at.
func outlines(containers []corev1.Container) []corev1.Container {
	var kept []corev1.Container
	for _, c := range containers {
		outline := corev1.Container{Name: c.Name, Image: c.Image, Resources: c.Resources, RestartPolicy: c.RestartPolicy}
		for _, port := range c.Ports {
			if port.HostPort != 0 {
				outline.Ports = append(outline.Ports, corev1.ContainerPort{HostPort: port.HostPort, HostIP: port.HostIP, Protocol: port.Protocol})
			}
		}
		kept = append(kept, outline)
	}
	return kept
}

// newLike is an empty object of the same type.
func newLike(o runtime.Object) runtime.Object {
	return reflect.New(reflect.TypeOf(o).Elem()).Interface().(runtime.Object)
}

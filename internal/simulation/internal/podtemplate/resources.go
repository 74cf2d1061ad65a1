package podtemplate

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// ContainerOf is a container by its name, the first if no name is given.
func ContainerOf(spec *corev1.PodSpec, name string) *corev1.Container {
	for i := range spec.Containers {
		if name == "" || spec.Containers[i].Name == name {
			return &spec.Containers[i]
		}
	}
	return nil
}

// SetResources sets some of a container's requests and limits. A limit below its request is raised to it: the API server rejects
// such a limit.
func SetResources(container *corev1.Container, requests, limits corev1.ResourceList) {
	r := corev1.ResourceRequirements{Claims: container.Resources.Claims}
	r.Requests, r.Limits = maps.Clone(container.Resources.Requests), maps.Clone(container.Resources.Limits)
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	if r.Limits == nil && len(limits) > 0 {
		r.Limits = corev1.ResourceList{}
	}
	maps.Copy(r.Requests, requests)
	maps.Copy(r.Limits, limits)
	for name, request := range r.Requests {
		if limit, ok := r.Limits[name]; ok && limit.Cmp(request) < 0 {
			r.Limits[name] = request
		}
	}
	container.Resources = r
}

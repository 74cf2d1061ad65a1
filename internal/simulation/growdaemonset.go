package simulation

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// growDaemonSet sets the requests of a DaemonSet's container and rolls it out.
func (e *engine) growDaemonSet(ctx context.Context, c change.GrowDaemonSet) error {
	set := e.world().DaemonSet(c.Namespace, c.Name)
	if set == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	resized := set.DeepCopy()
	container := containerOf(&resized.Spec.Template.Spec, c.Container)
	if container == nil {
		return outcome.UnknownError{Ref: change.Ref{Kind: "Container", Namespace: c.Namespace, Name: c.Container}}
	}
	setResources(container, c.Requests, nil)
	return e.rolloutDaemonSet(ctx, resized, func(old *corev1.Pod) *corev1.Pod {
		next := e.replacementPod(old, e.names.pod(old.Namespace, set.Name+"-"))
		next.Spec.Containers = slices.Clone(old.Spec.Containers)
		if live := containerOf(&next.Spec, container.Name); live != nil {
			setResources(live, container.Resources.Requests, container.Resources.Limits)
		}
		return next
	})
}

// containerOf is a container by its name, the first if no name is given.
func containerOf(spec *corev1.PodSpec, name string) *corev1.Container {
	for i := range spec.Containers {
		if name == "" || spec.Containers[i].Name == name {
			return &spec.Containers[i]
		}
	}
	return nil
}

// setResources sets some of a container's requests and limits. A limit below its request is raised to it: the API server rejects
// such a limit.
func setResources(container *corev1.Container, requests, limits corev1.ResourceList) {
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

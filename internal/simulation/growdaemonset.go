package simulation

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// growDaemonSet sets the requests of a DaemonSet's container and rolls it out.
func (e *engine) growDaemonSet(ctx context.Context, c change.GrowDaemonSet) error {
	set := e.world().DaemonSet(c.Namespace, c.Name)
	if set == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	resized := set.DeepCopy()
	container := podtemplate.ContainerOf(&resized.Spec.Template.Spec, c.Container)
	if container == nil {
		return outcome.UnknownError{Ref: change.Ref{Kind: "Container", Namespace: c.Namespace, Name: c.Container}}
	}
	podtemplate.SetResources(container, c.Requests, nil)
	return e.rolloutDaemonSet(ctx, resized, func(old *corev1.Pod) *corev1.Pod {
		next := e.replacementPod(old, e.names.Pod(old.Namespace, set.Name+"-"))
		next.Spec.Containers = slices.Clone(old.Spec.Containers)
		if live := podtemplate.ContainerOf(&next.Spec, container.Name); live != nil {
			podtemplate.SetResources(live, container.Resources.Requests, container.Resources.Limits)
		}
		return next
	})
}

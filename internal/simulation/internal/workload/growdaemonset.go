package workload

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// GrowDaemonSet sets the requests of a DaemonSet's container and rolls it out.
func (w *Controllers) GrowDaemonSet(ctx context.Context, c change.GrowDaemonSet) error {
	set := w.engine.World().DaemonSet(c.Namespace, c.Name)
	if set == nil {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	resized := set.DeepCopy()
	container := podtemplate.ContainerOf(&resized.Spec.Template.Spec, c.Container)
	if container == nil {
		return outcome.UnknownError{Ref: change.Ref{Kind: "Container", Namespace: c.Namespace, Name: c.Container}}
	}
	podtemplate.SetResources(container, c.Requests, nil)
	return w.RolloutDaemonSet(ctx, resized, func(old *corev1.Pod) *corev1.Pod {
		next := w.engine.ReplacementPod(old, w.engine.Names.Pod(old.Namespace, set.Name+"-"))
		next.Spec.Containers = slices.Clone(old.Spec.Containers)
		if live := podtemplate.ContainerOf(&next.Spec, container.Name); live != nil {
			podtemplate.SetResources(live, container.Resources.Requests, container.Resources.Limits)
		}
		return next
	})
}

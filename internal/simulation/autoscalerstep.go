package simulation

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// NextStep is what a vertical autoscaler will make a DaemonSet's container ask for once the cluster has grown enough.
type AutoscalerStep struct {
	// Autoscaler is its Deployment, Target the DaemonSet.
	Autoscaler, Target change.Ref
	Container          string
	// More is how many nodes like the present ones it takes; zero is a step that is due already.
	MoreNodes int
	// Requests are what the container will ask for.
	Requests corev1.ResourceList
}

// furthest is how many more nodes are looked at; a step beyond is nobody's concern today.
const maxMoreNodes = 500

// NextSteps are those of every vertical autoscaler of the Judge's world whose parameters can be seen, by target.
func NextAutoscalerSteps(judge *scheduling.Judge) []AutoscalerStep {
	e := newEngine(judge, 0)
	var steps []AutoscalerStep
	for _, d := range e.world().Deployments() {
		for i := range d.Spec.Template.Spec.Containers {
			if c := &d.Spec.Template.Spec.Containers[i]; isVerticalAutoscaler(c) {
				steps = append(steps, e.nextAutoscalerSteps(d, c)...)
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b AutoscalerStep) int {
		return cmp.Or(cmp.Compare(a.Target.Namespace, b.Target.Namespace), cmp.Compare(a.Target.Name, b.Target.Name))
	})
	return steps
}

func (e *engine) nextAutoscalerSteps(d *appsv1.Deployment, c *corev1.Container) []AutoscalerStep {
	namespace, kind, name := autoscalerTarget(d, c)
	set := e.world().DaemonSet(namespace, name)
	config, ok := e.scaleConfig(d, c)
	if kind != "daemonset" || set == nil || !ok {
		return nil
	}
	var steps []AutoscalerStep
	for _, g := range config {
		container := containerOf(&set.Spec.Template.Spec, g.Name)
		if container == nil || g.Name == "" {
			continue
		}
		if more, requests, ok := e.nextResourceStep(g, container); ok {
			steps = append(steps, AutoscalerStep{
				Autoscaler: change.Ref{Kind: string(cluster.Deployment), Namespace: d.Namespace, Name: d.Name},
				Target:     change.Ref{Kind: string(cluster.DaemonSet), Namespace: namespace, Name: name},
				Container:  container.Name, MoreNodes: more, Requests: requests,
			})
		}
	}
	return steps
}

// nextGrowth is the fewest nodes more, each of the cores of the last, with which the container asks for more of anything.
func (e *engine) nextResourceStep(g containerScaleConfig, container *corev1.Container) (int, corev1.ResourceList, bool) {
	nodes, cores, each := 0, int64(0), int64(0)
	for _, node := range e.world().Nodes() {
		capacity := node.Status.Capacity[corev1.ResourceCPU]
		nodes++
		each = capacity.Value()
		cores += each
	}
	for more := range maxMoreNodes {
		wanted := scaledResources(g.Requests, nodes+more, int(cores+int64(more)*each))
		for name, quantity := range wanted {
			if now := container.Resources.Requests[name]; quantity.Cmp(now) > 0 {
				return more, wanted, true
			}
		}
	}
	return 0, nil, false
}

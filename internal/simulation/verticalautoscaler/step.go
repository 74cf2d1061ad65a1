package verticalautoscaler

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
)

// Step is the next increase of a DaemonSet's requests: one that a vertical autoscaler makes as the cluster grows, or one that is not rolled out yet.
type Step struct {
	// Autoscaler is the Deployment of the vertical autoscaler, zero without one; Target is the DaemonSet.
	Autoscaler, Target change.Ref
	Container          string
	// MoreNodes is how many nodes like the existing ones it takes; zero if the increase is due already.
	MoreNodes int
	// Requests are the container's requests after the increase.
	Requests corev1.ResourceList
}

// Changes are those that cause the step: more nodes, to which the autoscaler reacts, or the increase itself.
func (s Step) Changes() []change.Change {
	if s.MoreNodes > 0 {
		return []change.Change{change.AddNodes{Count: s.MoreNodes}}
	}
	return []change.Change{change.GrowDaemonSet{Namespace: s.Target.Namespace, Name: s.Target.Name, Container: s.Container, Requests: s.Requests}}
}

// maxMoreNodes bounds how many more nodes are tried.
const maxMoreNodes = 500

// NextSteps are the next steps of every vertical autoscaler in a world whose parameters are known, by target.
func NextSteps(world *cluster.Snapshot) []Step {
	var steps []Step
	for _, d := range world.Deployments() {
		for i := range d.Spec.Template.Spec.Containers {
			if c := &d.Spec.Template.Spec.Containers[i]; isVerticalAutoscaler(c) {
				steps = append(steps, nextAutoscalerSteps(world, d, c)...)
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Target.Namespace, b.Target.Namespace), cmp.Compare(a.Target.Name, b.Target.Name))
	})
	return steps
}

// UnknownTargets are the DaemonSets whose vertical autoscaler's parameters are not known, and with them the next step.
func UnknownTargets(world *cluster.Snapshot) []change.Ref {
	var targets []change.Ref
	for _, d := range world.Deployments() {
		for i := range d.Spec.Template.Spec.Containers {
			c := &d.Spec.Template.Spec.Containers[i]
			namespace, kind, name := autoscalerTarget(d, c)
			if !isVerticalAutoscaler(c) || kind != "daemonset" || world.DaemonSet(namespace, name) == nil {
				continue
			}
			if _, known := scaleConfig(world, d, c); !known {
				targets = append(targets, change.Ref{Kind: string(cluster.DaemonSet), Namespace: namespace, Name: name})
			}
		}
	}
	return targets
}

// AllSteps are those of NextSteps, and for each other DaemonSet the containers of its template that request more than those of pods that it has not
// replaced yet.
func AllSteps(world *cluster.Snapshot) []Step {
	steps := NextSteps(world)
	scaled := map[change.Ref]bool{}
	for _, s := range steps {
		scaled[s.Target] = true
	}
	for _, set := range world.DaemonSets() {
		target := change.Ref{Kind: string(cluster.DaemonSet), Namespace: set.Namespace, Name: set.Name}
		if scaled[target] {
			continue
		}
		for i := range set.Spec.Template.Spec.Containers {
			c := &set.Spec.Template.Spec.Containers[i]
			if slices.ContainsFunc(world.PodsOf(set.UID), func(pod *corev1.Pod) bool { return requestsMoreThan(c, pod) }) {
				steps = append(steps, Step{Target: target, Container: c.Name, Requests: c.Resources.Requests})
			}
		}
	}
	return steps
}

// requestsMoreThan reports whether a container of a template requests more than it does in a pod that runs.
func requestsMoreThan(c *corev1.Container, pod *corev1.Pod) bool {
	held := podtemplate.ContainerOf(&pod.Spec, c.Name)
	if held == nil || held.Name != c.Name || pod.DeletionTimestamp != nil || cluster.Ended(pod) {
		return false
	}
	for name, quantity := range c.Resources.Requests {
		if now := held.Resources.Requests[name]; quantity.Cmp(now) > 0 {
			return true
		}
	}
	return false
}

func nextAutoscalerSteps(world *cluster.Snapshot, d *appsv1.Deployment, c *corev1.Container) []Step {
	namespace, kind, name := autoscalerTarget(d, c)
	set := world.DaemonSet(namespace, name)
	config, ok := scaleConfig(world, d, c)
	if kind != "daemonset" || set == nil || !ok {
		return nil
	}
	var steps []Step
	for _, g := range config {
		container := podtemplate.ContainerOf(&set.Spec.Template.Spec, g.Name)
		if container == nil || g.Name == "" {
			continue
		}
		if more, requests, ok := nextResourceStep(world, g, container); ok {
			steps = append(steps, Step{
				Autoscaler: change.Ref{Kind: string(cluster.Deployment), Namespace: d.Namespace, Name: d.Name},
				Target:     change.Ref{Kind: string(cluster.DaemonSet), Namespace: namespace, Name: name},
				Container:  container.Name, MoreNodes: more, Requests: requests,
			})
		}
	}
	return steps
}

// nextResourceStep is the smallest number of additional nodes, each with as many cores as the last, at which a request of the
// container rises.
func nextResourceStep(world *cluster.Snapshot, g containerScaleConfig, container *corev1.Container) (int, corev1.ResourceList, bool) {
	nodes, cores, each := 0, int64(0), int64(0)
	for _, node := range world.Nodes() {
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

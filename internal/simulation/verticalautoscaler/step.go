package verticalautoscaler

import (
	"cmp"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/internal/verticalpodautoscaler"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Step is the next increase of a workload's requests: one that a vertical autoscaler makes as the cluster grows or because it recommends more, or one that
// is not rolled out yet.
type Step struct {
	// Autoscaler is the Deployment of the cluster-proportional vertical autoscaler, or the VerticalPodAutoscaler, zero without one; Target is the
	// DaemonSet or, of WorkloadSteps, another workload.
	Autoscaler, Target change.Ref
	Container          string
	// Pods are those that request less than a new pod does; empty if all request what the template does, as before a step of the cluster-proportional
	// vertical autoscaler.
	Pods []*corev1.Pod
	// MoreNodes is how many nodes like the existing ones it takes; zero if the increase is due already.
	MoreNodes int
	// Requests are the container's requests after the increase.
	Requests corev1.ResourceList
}

// Changes are those that cause the step: more nodes, to which the autoscaler reacts, or the increase itself. A VerticalPodAutoscaler's updater evicts
// one pod after the other.
func (s Step) Changes() []change.Change {
	if s.MoreNodes > 0 {
		return []change.Change{change.AddNodes{Count: s.MoreNodes}}
	}
	if s.Target.Kind != string(cluster.DaemonSet) {
		changes := make([]change.Change, len(s.Pods))
		for i, pod := range s.Pods {
			changes[i] = change.Evict{Namespace: pod.Namespace, Name: pod.Name}
		}
		return changes
	}
	return []change.Change{change.GrowDaemonSet{Namespace: s.Target.Namespace, Name: s.Target.Name, Container: s.Container, Requests: s.Requests}}
}

// maxMoreNodes bounds how many more nodes are tried.
const maxMoreNodes = 500

// NextSteps are the next steps of every vertical autoscaler in a world whose parameters are known, by target.
func NextSteps(world *cluster.Snapshot) []Step {
	var steps []Step
	for _, d := range world.VerticalAutoscalers() {
		for i := range d.Spec.Template.Spec.Containers {
			if c := &d.Spec.Template.Spec.Containers[i]; cluster.IsVerticalAutoscaler(c) {
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
	for _, d := range world.VerticalAutoscalers() {
		for i := range d.Spec.Template.Spec.Containers {
			c := &d.Spec.Template.Spec.Containers[i]
			namespace, kind, name := autoscalerTarget(d, c)
			if !cluster.IsVerticalAutoscaler(c) || kind != "daemonset" || world.DaemonSet(namespace, name) == nil {
				continue
			}
			if _, known := scaleConfig(world, d, c); !known {
				targets = append(targets, daemonSetRef(world.DaemonSet(namespace, name)))
			}
		}
	}
	return targets
}

// AllSteps are those of NextSteps, and for each other DaemonSet the containers of which a new pod requests more than pods that run: by its template, which
// is not rolled out yet, or by a VerticalPodAutoscaler.
func AllSteps(world *cluster.Snapshot) []Step {
	steps := NextSteps(world)
	scaled := map[change.Ref]bool{}
	for _, s := range steps {
		scaled[s.Target] = true
	}
	for _, set := range world.DaemonSets() {
		if !scaled[daemonSetRef(set)] {
			steps = append(steps, newPodSteps(world, set)...)
		}
	}
	return steps
}

// newPodSteps are the containers of which a new pod of a DaemonSet requests more than pods that run.
func newPodSteps(world *cluster.Snapshot, set *appsv1.DaemonSet) []Step {
	spec, by := &set.Spec.Template.Spec, change.Ref{}
	if autoscaler := Recommender(world, daemonSetRef(set)); autoscaler != nil {
		spec = spec.DeepCopy()
		verticalpodautoscaler.Admit(autoscaler, spec)
		by = change.Ref{Kind: string(cluster.VerticalPodAutoscaler), Namespace: autoscaler.Namespace, Name: autoscaler.Name}
	}
	var steps []Step
	for i := range spec.Containers {
		c := &spec.Containers[i]
		pods := slices.DeleteFunc(slices.Clone(world.PodsOf(set.UID)), func(pod *corev1.Pod) bool { return !requestsMoreThan(c, pod) })
		if len(pods) > 0 {
			steps = append(steps, Step{Autoscaler: by, Target: daemonSetRef(set), Container: c.Name, Pods: pods, Requests: c.Resources.Requests})
		}
	}
	return steps
}

// WorkloadSteps are the containers of which VerticalPodAutoscalers recommend more than pods of Deployments, StatefulSets and ReplicaSets request.
func WorkloadSteps(world *cluster.Snapshot) []Step {
	recommended := recommendedSteps(world, cluster.Deployment, cluster.StatefulSet, cluster.ReplicaSet)
	var steps []Step
	for _, target := range slices.SortedFunc(maps.Keys(recommended), outcome.CompareRefs) {
		steps = append(steps, recommended[target]...)
	}
	return steps
}

// recommendedSteps are the containers of which VerticalPodAutoscalers recommend more than pods of workloads of some kinds request, by workload.
func recommendedSteps(world *cluster.Snapshot, kinds ...cluster.Kind) map[change.Ref][]Step {
	steps, autoscalers := map[change.Ref][]Step{}, verticalpodautoscaler.Of(world)
	if len(autoscalers) == 0 {
		return steps
	}
	for _, pod := range world.Pods() {
		autoscaler := autoscalers.OfPod(world, pod)
		if autoscaler == nil || !slices.Contains(kinds, cluster.Kind(autoscaler.Spec.TargetRef.Kind)) {
			continue
		}
		target := change.Ref{Kind: autoscaler.Spec.TargetRef.Kind, Namespace: autoscaler.Namespace, Name: autoscaler.Spec.TargetRef.Name}
		spec := pod.Spec
		verticalpodautoscaler.Admit(autoscaler, &spec)
		for i := range spec.Containers {
			c := &spec.Containers[i]
			if !requestsMoreThan(c, pod) {
				continue
			}
			at := slices.IndexFunc(steps[target], func(s Step) bool { return s.Container == c.Name })
			if at < 0 {
				by := change.Ref{Kind: string(cluster.VerticalPodAutoscaler), Namespace: autoscaler.Namespace, Name: autoscaler.Name}
				at = len(steps[target])
				steps[target] = append(steps[target], Step{Autoscaler: by, Target: target, Container: c.Name, Requests: c.Resources.Requests})
			}
			steps[target][at].Pods = append(steps[target][at].Pods, pod)
		}
	}
	return steps
}

// Recommender is the VerticalPodAutoscaler that sets the requests of a workload's new pods; nil if there is none.
func Recommender(world *cluster.Snapshot, workload change.Ref) *custom.VerticalPodAutoscaler {
	return verticalpodautoscaler.Of(world)[workload]
}

// Recreated is a pod with what it would request if it were created anew: what a VerticalPodAutoscaler recommends, if one sets its requests.
func Recreated(world *cluster.Snapshot, pod *corev1.Pod) *corev1.Pod {
	autoscaler := verticalpodautoscaler.Of(world).OfPod(world, pod)
	if autoscaler == nil {
		return pod
	}
	recreated := *pod
	verticalpodautoscaler.Admit(autoscaler, &recreated.Spec)
	return &recreated
}

func daemonSetRef(set *appsv1.DaemonSet) change.Ref {
	return change.Ref{Kind: string(cluster.DaemonSet), Namespace: set.Namespace, Name: set.Name}
}

// requestsMoreThan reports whether a container of a new pod requests more than it does in a pod that runs.
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
				Target:     daemonSetRef(set),
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

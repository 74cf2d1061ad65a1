package scheduling

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// survey asks each filter plugin on its own, as if there were no other. The scheduler stops at a node's first refusal.
type survey struct {
	store   *store
	profile *profile
	pod     *corev1.Pod
	state   fwk.CycleState
	// everywhere are the refusals that hold of every node.
	everywhere []refusal
	plugins    []surveyed
}

// refusal is a plugin's status that rejects the pod.
type refusal struct {
	plugin string
	status *fwk.Status
}

// surveyed is a plugin that is asked about each node.
type surveyed struct {
	name   string
	filter fwk.FilterPlugin // nil if it has a PreFilter only
	// only are the nodes that its PreFilter leaves, nil if it leaves all.
	only sets.Set[string]
	ask  asker
}

// asker asks a plugin about a node.
type asker func(ctx context.Context, at *nodeEntry) *fwk.Status

// askerOf returns how a plugin is to be asked. Limited says that its PreFilter leaves only some nodes.
type askerOf func(ctx context.Context, plugin fwk.FilterPlugin, state fwk.CycleState, limited bool) asker

// newSurvey asks every plugin what holds of all nodes. If askerOf is nil, plugins are asked about each node by their Filter.
func newSurvey(ctx context.Context, s *store, p *profile, pod *corev1.Pod, askerOf askerOf) (*survey, error) {
	v := &survey{store: s, profile: p, pod: pod, state: framework.NewCycleState()}
	done := sets.New[string]() // plugins that skip the pod, or exclude every node
	for _, plugin := range p.filters {
		its := surveyed{name: plugin.Name()}
		if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
			result, status := pre.PreFilter(ctx, v.state, pod, s.nodes.sorted.infos)
			switch {
			case status.IsSkip():
				done.Insert(its.name)
				continue
			case status.IsRejected():
				done.Insert(its.name)
				v.everywhere = append(v.everywhere, refusal{its.name, status})
				continue
			case !status.IsSuccess():
				return nil, fmt.Errorf("asking plugin %s about pod %s: %w", its.name, nameOf(pod), status.AsError())
			}
			if !result.AllNodes() {
				its.only = result.NodeNames
			}
		}
		if filter, ok := plugin.(fwk.FilterPlugin); ok {
			its.filter = filter
			its.ask = func(ctx context.Context, at *nodeEntry) *fwk.Status { return filter.Filter(ctx, v.state, pod, at.info) }
			if askerOf != nil {
				its.ask = askerOf(ctx, filter, v.state, its.only != nil)
			}
		}
		v.plugins = append(v.plugins, its)
	}
	v.state.SetSkipFilterPlugins(done) // for RunPreFilterExtensionAddPod
	return v, nil
}

// on asks about some nodes, and tells of the plugins that refuse one, by its index, in their order. Nodes are asked about at the same time.
func (v *survey) on(ctx context.Context, nodes []*nodeEntry, refused func(i int, r refusal)) error {
	failed := make([]error, len(nodes))
	v.profile.each(ctx, len(nodes), func(i int) {
		failed[i] = v.onOne(ctx, nodes[i], func(r refusal) { refused(i, r) })
	})
	return errors.Join(append(failed, ctx.Err())...)
}

func (v *survey) onOne(ctx context.Context, at *nodeEntry, refused func(refusal)) error {
	nominatedState, withNominated, err := v.withNominatedPods(ctx, at.info)
	if err != nil {
		return err
	}
	for i := range v.plugins {
		plugin := &v.plugins[i]
		status := plugin.status(ctx, at)
		if status.IsSuccess() && withNominated != nil && plugin.filter != nil {
			status = plugin.filter.Filter(ctx, nominatedState, v.pod, withNominated)
		}
		switch {
		case status.IsSuccess():
		case status.IsRejected():
			refused(refusal{plugin.name, status})
		default:
			return fmt.Errorf("asking plugin %s whether node %s takes pod %s: %w", plugin.name, at.name, nameOf(v.pod), status.AsError())
		}
	}
	return nil
}

func (p *surveyed) status(ctx context.Context, at *nodeEntry) *fwk.Status {
	switch {
	case p.only != nil && !p.only.Has(at.name):
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(p.name))
	case p.filter == nil:
		return nil
	}
	return p.ask(ctx, at)
}

// withNominatedPods is the node as it will be once the pods nominated to it are there, nil if none of equal or higher priority is
// (addGENominatedPods in pkg/scheduler/framework/runtime).
func (v *survey) withNominatedPods(ctx context.Context, node fwk.NodeInfo) (fwk.CycleState, fwk.NodeInfo, error) {
	var state fwk.CycleState
	var withNominated fwk.NodeInfo
	for _, other := range v.store.nodes.nominated.NominatedPodsForNode(node.Node().Name) {
		if other.GetPod().UID == v.pod.UID || corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(v.pod) {
			continue
		}
		if withNominated == nil {
			state, withNominated = v.state.Clone(), node.Snapshot()
		}
		withNominated.AddPodInfo(other)
		if status := v.profile.framework.RunPreFilterExtensionAddPod(ctx, state, v.pod, other, withNominated); !status.IsSuccess() {
			return nil, nil, fmt.Errorf("adding nominated pod %s to node %s: %w", nameOf(other.GetPod()), node.Node().Name, status.AsError())
		}
	}
	return state, withNominated, nil
}

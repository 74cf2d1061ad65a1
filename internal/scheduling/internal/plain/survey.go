package plain

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Survey asks each filter plugin on its own, as if there were no other. The scheduler stops at a node's first refusal.
type Survey struct {
	store   *store.Store
	profile *profile.Profile
	pod     *corev1.Pod
	state   fwk.CycleState
	// Everywhere are the refusals that hold of every node.
	Everywhere []Refusal
	plugins    []surveyed
}

// Refusal is a plugin's status that rejects the pod.
type Refusal struct {
	Plugin string
	Status *fwk.Status
}

// surveyed is a plugin that is asked about each node.
type surveyed struct {
	name   string
	filter fwk.FilterPlugin // nil if it has a PreFilter only
	// only are the nodes that its PreFilter leaves, nil if it leaves all.
	only sets.Set[string]
	ask  FilterFunc
}

// FilterFunc filters a node for a pod, as a plugin does.
type FilterFunc func(ctx context.Context, at *store.Node) *fwk.Status

// filterFuncOf returns the FilterFunc of a plugin. Limited says that its PreFilter leaves only some nodes.
type filterFuncOf func(ctx context.Context, plugin fwk.FilterPlugin, state fwk.CycleState, limited bool) FilterFunc

// NewSurvey asks every plugin what holds of all nodes. If filterFuncOf is nil, plugins are asked about each node by their Filter.
func NewSurvey(ctx context.Context, s *store.Store, p *profile.Profile, pod *corev1.Pod, filterFuncOf filterFuncOf) (*Survey, error) {
	v := &Survey{store: s, profile: p, pod: pod, state: framework.NewCycleState()}
	done := sets.New[string]() // plugins that skip the pod, or exclude every node
	for _, plugin := range p.Filters {
		its := surveyed{name: plugin.Name()}
		if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
			result, status := pre.PreFilter(ctx, v.state, pod, s.Nodes.Sorted.Infos)
			switch {
			case status.IsSkip():
				done.Insert(its.name)
				continue
			case status.IsRejected():
				done.Insert(its.name)
				v.Everywhere = append(v.Everywhere, Refusal{its.name, status})
				continue
			case !status.IsSuccess():
				return nil, fmt.Errorf("asking plugin %s about pod %s: %w", its.name, store.NameOf(pod), status.AsError())
			}
			if !result.AllNodes() {
				its.only = result.NodeNames
			}
		}
		if filter, ok := plugin.(fwk.FilterPlugin); ok {
			its.filter = filter
			its.ask = func(ctx context.Context, at *store.Node) *fwk.Status {
				return filter.Filter(ctx, v.state, pod, at.Info)
			}
			if filterFuncOf != nil {
				its.ask = filterFuncOf(ctx, filter, v.state, its.only != nil)
			}
		}
		v.plugins = append(v.plugins, its)
	}
	v.state.SetSkipFilterPlugins(done) // for RunPreFilterExtensionAddPod
	return v, nil
}

// On asks about some nodes, and tells of the plugins that refuse one, by its index, in their order. Nodes are asked about at the same time.
func (v *Survey) On(ctx context.Context, nodes []*store.Node, refused func(i int, r Refusal)) error {
	failed := make([]error, len(nodes))
	v.profile.Each(ctx, len(nodes), func(i int) {
		failed[i] = v.onOne(ctx, nodes[i], func(r Refusal) { refused(i, r) })
	})
	return errors.Join(append(failed, ctx.Err())...)
}

func (v *Survey) onOne(ctx context.Context, at *store.Node, refused func(Refusal)) error {
	nominatedState, withNominated, err := v.withNominatedPods(ctx, at.Info)
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
			refused(Refusal{plugin.name, status})
		default:
			return fmt.Errorf("asking plugin %s whether node %s takes pod %s: %w", plugin.name, at.Name, store.NameOf(v.pod), status.AsError())
		}
	}
	return nil
}

func (p *surveyed) status(ctx context.Context, at *store.Node) *fwk.Status {
	switch {
	case p.only != nil && !p.only.Has(at.Name):
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(p.name))
	case p.filter == nil:
		return nil
	}
	return p.ask(ctx, at)
}

// withNominatedPods is the node as it will be once the pods nominated to it are there, nil if none of equal or higher priority is
// (addGENominatedPods in pkg/scheduler/framework/runtime).
func (v *Survey) withNominatedPods(ctx context.Context, node fwk.NodeInfo) (fwk.CycleState, fwk.NodeInfo, error) {
	var state fwk.CycleState
	var withNominated fwk.NodeInfo
	for _, other := range v.store.Nodes.Nominated.NominatedPodsForNode(node.Node().Name) {
		if other.GetPod().UID == v.pod.UID || corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(v.pod) {
			continue
		}
		if withNominated == nil {
			state, withNominated = v.state.Clone(), node.Snapshot()
		}
		withNominated.AddPodInfo(other)
		if status := v.profile.Framework.RunPreFilterExtensionAddPod(ctx, state, v.pod, other, withNominated); !status.IsSuccess() {
			return nil, nil, fmt.Errorf("adding nominated pod %s to node %s: %w", store.NameOf(other.GetPod()), node.Node().Name, status.AsError())
		}
	}
	return state, withNominated, nil
}

package scheduling

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// Obstacles says, of every plugin and every node, what keeps the pod off. It does not stop at a node's first.
func (j *Judge) Obstacles(ctx context.Context, pod *corev1.Pod) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	ctx = withoutLogs(ctx)
	s := j.newSurvey(p, pod)
	if j.hasFastPath(pod) {
		s.class = p.class(ctx, j, s.pod)
	}
	return s.run(ctx)
}

func (j *Judge) newSurvey(p *profile, pod *corev1.Pod) *survey {
	return &survey{judge: j, profile: p, nodes: j.nodes, pod: j.pods.defaulted(pod), state: framework.NewCycleState()}
}

// survey asks each filter plugin on its own, as if there were no other.
type survey struct {
	judge   *Judge
	profile *profile
	// class is nil if no cached answer is to be used.
	class *class
	nodes *nodeStore
	pod   *corev1.Pod
	state fwk.CycleState

	everywhere []Obstacle
	asked      []asked
}

// asked is a plugin that filters each node.
type asked struct {
	plugin fwk.FilterPlugin // nil if it has a PreFilter only
	name   string
	// only are the nodes it leaves, nil if it leaves all.
	only sets.Set[string]
	// table is its cached answers for pods of this class, nil if it must be asked anew; node is a node as it sees it.
	table *table[*fwk.Status]
	node  func(*nodeEntry) fwk.NodeInfo
	// footprint is nil unless the table holds only for nodes where none of these volumes is mounted.
	footprint *volumeFootprint
	// said is its status for each of the sorted nodes, nil if it must be asked about each.
	said []*fwk.Status
}

func (s *survey) run(ctx context.Context) (Obstacles, error) {
	if status := s.profile.gate(ctx, s.pod); status != nil {
		if !status.IsRejected() {
			return Obstacles{}, fmt.Errorf("asking plugin %s about pod %s: %w", status.Plugin(), nameOf(s.pod), status.AsError())
		}
		s.everywhere = append(s.everywhere, Obstacle{Plugin: status.Plugin(), Reasons: status.Reasons(), Final: true})
	}
	if err := s.prepare(ctx); err != nil {
		return Obstacles{}, err
	}
	entries := s.nodes.sorted.entries // sorted by name
	found := make([]NodeObstacles, len(entries))
	failed := make([]error, len(entries))
	s.profile.each(ctx, len(entries), func(i int) { found[i], failed[i] = s.look(ctx, entries[i]) })
	return Obstacles{Everywhere: s.everywhere, Nodes: found}, errors.Join(append(failed, ctx.Err())...)
}

// prepare asks every plugin what holds of all nodes.
func (s *survey) prepare(ctx context.Context) error {
	done := sets.New[string]() // plugins that skip the pod, or exclude every node
	for _, plugin := range s.profile.filters {
		filter, _ := plugin.(fwk.FilterPlugin)
		ask := asked{plugin: filter, name: plugin.Name()}
		if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
			result, status := pre.PreFilter(ctx, s.state, s.pod, s.nodes.sorted.infos)
			switch {
			case status.IsSkip():
				done.Insert(ask.name)
				continue
			case status.IsRejected():
				done.Insert(ask.name)
				s.everywhere = append(s.everywhere, obstacle(ask.name, status))
				continue
			case !status.IsSuccess():
				return fmt.Errorf("asking plugin %s about pod %s: %w", ask.name, nameOf(s.pod), status.AsError())
			}
			if !result.AllNodes() {
				ask.only = result.NodeNames
			}
		}
		if filter != nil {
			ask.node = s.judge.mounting(filter)
			if s.class != nil {
				ask.table, ask.footprint = s.tableOf(filter)
				ask.table.fit(len(s.nodes.byName))
			}
			ask.said = s.ofVolumes(ctx, filter)
		}
		s.asked = append(s.asked, ask)
	}
	s.state.SetSkipFilterPlugins(done) // for RunPreFilterExtensionAddPod
	return nil
}

// tableOf is the cached answers of a plugin for pods of this class, nil if it must be asked anew.
func (s *survey) tableOf(plugin fwk.FilterPlugin) (*table[*fwk.Status], *volumeFootprint) {
	if plugin.Name() != names.NodeVolumeLimits {
		return s.class.verdicts[plugin.Name()], nil
	}
	footprint := s.judge.objects.volumeFootprint(s.pod)
	if footprint == nil {
		return nil, nil
	}
	return s.profile.classes.verdictsFor(s.judge, footprint), footprint
}

// ofVolumes is VolumeBinding's status for each node, if asking beforehand saves time.
func (s *survey) ofVolumes(ctx context.Context, plugin fwk.FilterPlugin) []*fwk.Status {
	if plugin.Name() != names.VolumeBinding {
		return nil
	}
	keys, all := s.judge.objects.volumeKeys(s.pod)
	if !all {
		return nil
	}
	return slices.Clone(s.judge.scratch.verdicts.ask(s.judge, s.profile.domains.of(s.judge.nodes, keys), s.nodes.sorted.entries, allAlike, func(at *nodeEntry) *fwk.Status {
		return plugin.Filter(ctx, s.state, s.pod, at.info)
	}))
}

func (s *survey) look(ctx context.Context, at *nodeEntry) (NodeObstacles, error) {
	found := NodeObstacles{Node: at.name}
	nominatedState, withNominated, err := s.withNominatedPods(ctx, at.info)
	if err != nil {
		return found, err
	}
	for _, ask := range s.asked {
		status := s.ask(ctx, ask, at)
		if status.IsSuccess() && withNominated != nil && ask.plugin != nil {
			status = ask.plugin.Filter(ctx, nominatedState, s.pod, withNominated)
		}
		switch {
		case status.IsSuccess():
		case status.IsRejected():
			found.Obstacles = append(found.Obstacles, obstacle(ask.name, status))
		default:
			return found, fmt.Errorf("asking plugin %s whether node %s takes pod %s: %w", ask.name, found.Node, nameOf(s.pod), status.AsError())
		}
	}
	return found, nil
}

func (s *survey) ask(ctx context.Context, ask asked, at *nodeEntry) *fwk.Status {
	switch {
	case ask.only != nil && !ask.only.Has(at.name):
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(ask.name))
	case ask.plugin == nil:
		return nil
	case ask.said != nil:
		return ask.said[at.index]
	case ask.table == nil || ask.only != nil: // A table for each pod that names its node would fill the memory.
		return ask.plugin.Filter(ctx, s.state, s.pod, ask.node(at))
	case ask.footprint != nil && !ask.footprint.unusedOn(at, s.nodes.mounted(at)):
		return ask.plugin.Filter(ctx, s.state, s.pod, ask.node(at))
	}
	return ask.table.of(at, func() *fwk.Status { return ask.plugin.Filter(ctx, s.class.state, s.pod, ask.node(at)) })
}

// withNominatedPods is the node as it will be once the pods nominated to it are there, nil if none of equal or higher priority is
// (addGENominatedPods in pkg/scheduler/framework/runtime).
func (s *survey) withNominatedPods(ctx context.Context, node fwk.NodeInfo) (fwk.CycleState, fwk.NodeInfo, error) {
	var state fwk.CycleState
	var withNominated fwk.NodeInfo
	for _, other := range s.nodes.nominated.NominatedPodsForNode(node.Node().Name) {
		if other.GetPod().UID == s.pod.UID || corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(s.pod) {
			continue
		}
		if withNominated == nil {
			state, withNominated = s.state.Clone(), node.Snapshot()
		}
		withNominated.AddPodInfo(other)
		if status := s.profile.framework.RunPreFilterExtensionAddPod(ctx, state, s.pod, other, withNominated); !status.IsSuccess() {
			return nil, nil, fmt.Errorf("adding nominated pod %s to node %s: %w", nameOf(other.GetPod()), node.Node().Name, status.AsError())
		}
	}
	return state, withNominated, nil
}

func obstacle(plugin string, status *fwk.Status) Obstacle {
	return Obstacle{Plugin: plugin, Reasons: status.Reasons(), Final: status.Code() == fwk.UnschedulableAndUnresolvable}
}

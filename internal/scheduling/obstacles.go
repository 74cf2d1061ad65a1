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
	ctx = quiet(ctx)
	s := j.survey(p, pod)
	if j.sweepable(pod) {
		s.class = p.class(ctx, j, s.pod)
	}
	return s.run(ctx)
}

func (j *Judge) survey(p *profile, pod *corev1.Pod) *survey {
	return &survey{judge: j, profile: p, board: j.board, pod: j.tenants.seen(pod), state: framework.NewCycleState()}
}

// survey asks each filter plugin on its own, as if there were no other.
type survey struct {
	judge   *Judge
	profile *profile
	// class is nil if what is remembered of pods like this is not to be used.
	class *class
	board *board
	pod   *corev1.Pod
	state fwk.CycleState

	everywhere []Obstacle
	asked      []asked
}

// asked is a plugin that has something to say about each node.
type asked struct {
	plugin fwk.FilterPlugin // nil if it names nodes only
	name   string
	// only are the nodes it leaves, nil if it leaves all.
	only sets.Set[string]
	// table is what it has said of pods like this, nil if it must be asked anew; node is a node as it sees it.
	table *table[*fwk.Status]
	node  func(*slot) fwk.NodeInfo
	// cargo is nil unless the table holds only for nodes that this is unknown to.
	cargo *cargo
	// said is what it says of each node of the lineup, nil if it must be asked about each.
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
	slots := s.board.nodes.slots // sorted by name
	found := make([]NodeObstacles, len(slots))
	failed := make([]error, len(slots))
	s.profile.each(ctx, len(slots), func(i int) { found[i], failed[i] = s.look(ctx, slots[i]) })
	return Obstacles{Everywhere: s.everywhere, Nodes: found}, errors.Join(append(failed, ctx.Err())...)
}

// prepare asks every plugin what holds of all nodes.
func (s *survey) prepare(ctx context.Context) error {
	done := sets.New[string]() // plugins without a say in this pod's case
	for _, plugin := range s.profile.filters {
		filter, _ := plugin.(fwk.FilterPlugin)
		ask := asked{plugin: filter, name: plugin.Name()}
		if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
			result, status := pre.PreFilter(ctx, s.state, s.pod, s.board.nodes.infos)
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
				ask.table, ask.cargo = s.tableOf(filter)
				ask.table.fit(len(s.board.slots))
			}
			ask.said = s.ofVolumes(ctx, filter)
		}
		s.asked = append(s.asked, ask)
	}
	s.state.SetSkipFilterPlugins(done) // for RunPreFilterExtensionAddPod
	return nil
}

// tableOf is what a plugin has said of pods like this, nil if it must be asked anew.
func (s *survey) tableOf(plugin fwk.FilterPlugin) (*table[*fwk.Status], *cargo) {
	if plugin.Name() != names.NodeVolumeLimits {
		return s.class.verdicts[plugin.Name()], nil
	}
	cargo := s.judge.shelf.cargo(s.pod)
	if cargo == nil {
		return nil, nil
	}
	return s.profile.classes.ofCargo(s.judge, cargo), cargo
}

// ofVolumes is what VolumeBinding says of each node, if it is worth asking beforehand.
func (s *survey) ofVolumes(ctx context.Context, plugin fwk.FilterPlugin) []*fwk.Status {
	if plugin.Name() != names.VolumeBinding {
		return nil
	}
	keys, all := s.judge.shelf.volumeKeys(s.pod)
	if !all {
		return nil
	}
	return slices.Clone(s.judge.scratch.verdicts.ask(s.judge, s.profile.domains.of(s.judge.board, keys), s.board.nodes.slots, alike, func(at *slot) *fwk.Status {
		return plugin.Filter(ctx, s.state, s.pod, at.info)
	}))
}

func (s *survey) look(ctx context.Context, at *slot) (NodeObstacles, error) {
	found := NodeObstacles{Node: at.name}
	crowdedState, crowded, err := s.crowd(ctx, at.info)
	if err != nil {
		return found, err
	}
	for _, ask := range s.asked {
		status := s.ask(ctx, ask, at)
		if status.IsSuccess() && crowded != nil && ask.plugin != nil {
			status = ask.plugin.Filter(ctx, crowdedState, s.pod, crowded)
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

func (s *survey) ask(ctx context.Context, ask asked, at *slot) *fwk.Status {
	switch {
	case ask.only != nil && !ask.only.Has(at.name):
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(ask.name))
	case ask.plugin == nil:
		return nil
	case ask.said != nil:
		return ask.said[at.here]
	case ask.table == nil || ask.only != nil: // A table for each pod that names its node would fill the memory.
		return ask.plugin.Filter(ctx, s.state, s.pod, ask.node(at))
	case ask.cargo != nil && !ask.cargo.unknownTo(at, s.board.mounted(at)):
		return ask.plugin.Filter(ctx, s.state, s.pod, ask.node(at))
	}
	return ask.table.of(at, func() *fwk.Status { return ask.plugin.Filter(ctx, s.class.state, s.pod, ask.node(at)) })
}

// crowd is the node as it will be once the pods it was promised to are there, nil if it was promised to none that this pod
// must yield to (addGENominatedPods in pkg/scheduler/framework/runtime).
func (s *survey) crowd(ctx context.Context, node fwk.NodeInfo) (fwk.CycleState, fwk.NodeInfo, error) {
	var state fwk.CycleState
	var crowded fwk.NodeInfo
	for _, other := range s.board.nominated.NominatedPodsForNode(node.Node().Name) {
		if other.GetPod().UID == s.pod.UID || corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(s.pod) {
			continue
		}
		if crowded == nil {
			state, crowded = s.state.Clone(), node.Snapshot()
		}
		crowded.AddPodInfo(other)
		if status := s.profile.framework.RunPreFilterExtensionAddPod(ctx, state, s.pod, other, crowded); !status.IsSuccess() {
			return nil, nil, fmt.Errorf("adding nominated pod %s to node %s: %w", nameOf(other.GetPod()), node.Node().Name, status.AsError())
		}
	}
	return state, crowded, nil
}

func obstacle(plugin string, status *fwk.Status) Obstacle {
	return Obstacle{Plugin: plugin, Reasons: status.Reasons(), Final: status.Code() == fwk.UnschedulableAndUnresolvable}
}

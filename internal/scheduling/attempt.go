package scheduling

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// attempt is what the scheduler finds out about one pod in one cycle (schedulePod in pkg/scheduler/schedule_one.go).
type attempt struct {
	profile *profile
	board   *board
	pod     *corev1.Pod // as plugins see it
	state   fwk.CycleState
	// gated says that the pod never comes to the scheduler's turn.
	gated    bool
	feasible []fwk.NodeInfo
	// refused are the nodes that are not feasible.
	refused *framework.NodeToStatus
}

func (j *Judge) attempt(ctx context.Context, pod *corev1.Pod) (*attempt, error) {
	p, err := j.profile(pod)
	if err != nil {
		return nil, err
	}
	a := j.begun(p, j.tenants.seen(pod))
	return a, a.filter(quiet(ctx), j.board.nodes.infos)
}

// lastResort is the attempt of a pod that a sweep found no node for. It looks only at nodes where the pod may have victims:
// preemption takes no others.
func (j *Judge) lastResort(ctx context.Context, s *sweep) (*attempt, error) {
	a, below := j.begun(s.profile, s.pod), j.board.below(corev1helpers.PodPriority(s.pod))
	if s.looked && len(below) == 0 {
		return a, nil
	}
	return a, a.filter(quiet(ctx), below)
}

func (j *Judge) begun(p *profile, seen *corev1.Pod) *attempt {
	return &attempt{profile: p, board: j.board, pod: seen, state: framework.NewCycleState(), refused: framework.NewDefaultNodeToStatus()}
}

func (a *attempt) filter(ctx context.Context, nodes []fwk.NodeInfo) error {
	if a.gated = a.profile.gate(ctx, a.pod) != nil; a.gated {
		return nil
	}
	allowed, status, by := a.profile.framework.RunPreFilterPlugins(ctx, a.state, a.pod)
	switch {
	case status.IsSuccess():
	case status.IsRejected():
		a.refused.SetAbsentNodesStatus(status)
		return nil
	default:
		return fmt.Errorf("asking what bears on pod %s: %w", nameOf(a.pod), status.AsError())
	}
	if !allowed.AllNodes() {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool { return !allowed.NodeNames.Has(n.Node().Name) })
		a.refused.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(sets.List(by)...)))
	}
	return a.filterNodes(ctx, nodes)
}

// named are those of the nodes that exist.
func (a *attempt) named(names sets.Set[string]) []fwk.NodeInfo {
	var nodes []fwk.NodeInfo
	for name := range names {
		if node := a.board.node(name); node != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

func (a *attempt) filterNodes(ctx context.Context, nodes []fwk.NodeInfo) error {
	statuses := make([]*fwk.Status, len(nodes))
	a.profile.framework.Parallelizer().Until(ctx, len(nodes), func(i int) {
		statuses[i] = a.profile.framework.RunFilterPluginsWithNominatedPods(ctx, a.state, a.pod, nodes[i])
	}, "")
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, status := range statuses {
		switch {
		case status.IsSuccess():
			a.feasible = append(a.feasible, nodes[i])
		case status.IsRejected():
			a.refused.Set(nodes[i].Node().Name, status)
		default:
			return fmt.Errorf("asking whether node %s takes pod %s: %w", nodes[i].Node().Name, nameOf(a.pod), status.AsError())
		}
	}
	return nil
}

// best are the feasible nodes that score highest. A pod that a node was promised to goes there whatever the scores.
func (a *attempt) best(ctx context.Context) ([]string, error) {
	for _, node := range a.feasible {
		if node.Node().Name == a.pod.Status.NominatedNodeName {
			return []string{node.Node().Name}, nil
		}
	}
	if len(a.feasible) <= 1 {
		return namesOf(a.feasible), nil
	}
	ctx = quiet(ctx)
	if status := a.profile.framework.RunPreScorePlugins(ctx, a.state, a.pod, a.feasible); !status.IsSuccess() {
		return nil, fmt.Errorf("scoring nodes for pod %s: %w", nameOf(a.pod), status.AsError())
	}
	scores, status := a.profile.framework.RunScorePlugins(ctx, a.state, a.pod, a.feasible)
	if !status.IsSuccess() {
		return nil, fmt.Errorf("scoring nodes for pod %s: %w", nameOf(a.pod), status.AsError())
	}
	var best []string
	var highest int64
	for i := range scores {
		if best == nil || scores[i].TotalScore > highest {
			best, highest = nil, scores[i].TotalScore
		}
		if scores[i].TotalScore == highest {
			best = append(best, scores[i].Name)
		}
	}
	return best, nil
}

// gate is why the pod does not come to the scheduler's turn, nil if it does.
func (p *profile) gate(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	for _, gate := range p.gates {
		if status := gate.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return status.WithPlugin(gate.Name())
		}
	}
	return nil
}

// elsewhere is what the scheduler says of nodes that plugins sorted out before it looked at them.
func elsewhere(plugins ...string) string {
	return fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", plugins)
}

func namesOf(nodes []fwk.NodeInfo) []string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.Node().Name
	}
	return names
}

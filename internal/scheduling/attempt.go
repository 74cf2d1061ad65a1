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
	nodes   *nodeStore
	pod     *corev1.Pod // as plugins see it
	state   fwk.CycleState
	// gated says that a PreEnqueue plugin keeps the pod out of the active queue.
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
	a := j.newAttempt(p, j.pods.defaulted(pod))
	return a, a.filter(withoutLogs(ctx), j.nodes.sorted.infos)
}

// lastResort is the attempt for a pod that the fast filter found no node for. It looks only at nodes where the pod may have
// victims: preemption takes no others.
func (j *Judge) lastResort(ctx context.Context, s *fastFilter) (*attempt, error) {
	a, below := j.newAttempt(s.profile, s.pod), j.nodes.withPodsBelow(corev1helpers.PodPriority(s.pod))
	if s.preFiltered && len(below) == 0 {
		return a, nil
	}
	return a, a.filter(withoutLogs(ctx), below)
}

func (j *Judge) newAttempt(p *profile, seen *corev1.Pod) *attempt {
	return &attempt{profile: p, nodes: j.nodes, pod: seen, state: framework.NewCycleState(), refused: framework.NewDefaultNodeToStatus()}
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
		if node := a.nodes.node(name); node != nil {
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

// best are the feasible nodes that score highest. A pod goes to its nominated node whatever the scores.
func (a *attempt) best(ctx context.Context) ([]string, error) {
	for _, node := range a.feasible {
		if node.Node().Name == a.pod.Status.NominatedNodeName {
			return []string{node.Node().Name}, nil
		}
	}
	if len(a.feasible) <= 1 {
		return namesOf(a.feasible), nil
	}
	ctx = withoutLogs(ctx)
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

// gate is the status of the PreEnqueue plugin that keeps the pod out of the active queue, nil if none does.
func (p *profile) gate(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	for _, gate := range p.gates {
		if status := gate.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return status.WithPlugin(gate.Name())
		}
	}
	return nil
}

// elsewhere is what the scheduler says of nodes that PreFilter plugins excluded.
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

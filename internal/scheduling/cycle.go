package scheduling

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// cycle is what the scheduler finds out about one pod in one scheduling cycle (schedulePod in pkg/scheduler/schedule_one.go).
type cycle struct {
	profile *profile
	store   *store
	pod     *corev1.Pod
	state   fwk.CycleState
	// gated says that a PreEnqueue plugin keeps the pod out of the active queue.
	gated    bool
	feasible []fwk.NodeInfo
	// refused are the statuses of the nodes that are not feasible.
	refused *framework.NodeToStatus
}

var _ attempt = &cycle{}

// cycle filters some nodes.
func (s *plainScheduler) cycle(ctx context.Context, p *profile, pod *corev1.Pod, nodes []fwk.NodeInfo) (*cycle, error) {
	c := s.newCycle(p, pod)
	if c.gated = p.gate(ctx, pod) != nil; c.gated {
		return c, nil
	}
	allowed, status, by := p.framework.RunPreFilterPlugins(ctx, c.state, pod)
	switch {
	case status.IsSuccess():
	case status.IsRejected():
		c.refused.SetAbsentNodesStatus(status)
		return c, nil
	default:
		return nil, fmt.Errorf("asking what bears on pod %s: %w", nameOf(pod), status.AsError())
	}
	if !allowed.AllNodes() {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool { return !allowed.NodeNames.Has(n.Node().Name) })
		c.refused.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(sets.List(by)...)))
	}
	return c, c.filter(ctx, nodes)
}

// newCycle has not looked at any node.
func (s *plainScheduler) newCycle(p *profile, pod *corev1.Pod) *cycle {
	return &cycle{profile: p, store: s.store, pod: pod, state: framework.NewCycleState(), refused: framework.NewDefaultNodeToStatus()}
}

// elsewhere is what the scheduler says of nodes that PreFilter plugins excluded.
func elsewhere(plugins ...string) string {
	return fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", plugins)
}

func (c *cycle) filter(ctx context.Context, nodes []fwk.NodeInfo) error {
	statuses := make([]*fwk.Status, len(nodes))
	c.profile.framework.Parallelizer().Until(ctx, len(nodes), func(i int) {
		statuses[i] = c.profile.framework.RunFilterPluginsWithNominatedPods(ctx, c.state, c.pod, nodes[i])
	}, "")
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, status := range statuses {
		switch {
		case status.IsSuccess():
			c.feasible = append(c.feasible, nodes[i])
		case status.IsRejected():
			c.refused.Set(nodes[i].Node().Name, status)
		default:
			return fmt.Errorf("asking whether node %s takes pod %s: %w", nodes[i].Node().Name, nameOf(c.pod), status.AsError())
		}
	}
	return nil
}

func (c *cycle) Feasible() []*nodeEntry {
	nodes := make([]*nodeEntry, len(c.feasible))
	for i, node := range c.feasible {
		nodes[i] = c.store.nodes.byName[node.Node().Name]
	}
	return nodes
}

func (c *cycle) Cycle(context.Context) (*cycle, error) { return c, nil }

// Best is the nominated node if it is feasible, whatever the scores.
func (c *cycle) Best(ctx context.Context) ([]*nodeEntry, error) {
	nodes := c.Feasible()
	if len(nodes) <= 1 {
		return nodes, nil
	}
	for _, node := range nodes {
		if node.name == c.pod.Status.NominatedNodeName {
			return []*nodeEntry{node}, nil
		}
	}
	scores, err := c.Scores(ctx)
	if err != nil {
		return nil, err
	}
	highest := slices.Max(scores)
	var best []*nodeEntry
	for i, node := range nodes {
		if scores[i] == highest {
			best = append(best, node)
		}
	}
	return best, nil
}

// Scores are those of all score plugins.
func (c *cycle) Scores(ctx context.Context) ([]int64, error) {
	if status := c.profile.framework.RunPreScorePlugins(ctx, c.state, c.pod, c.feasible); !status.IsSuccess() {
		return nil, fmt.Errorf("scoring nodes for pod %s: %w", nameOf(c.pod), status.AsError())
	}
	scored, status := c.profile.framework.RunScorePlugins(ctx, c.state, c.pod, c.feasible)
	if !status.IsSuccess() {
		return nil, fmt.Errorf("scoring nodes for pod %s: %w", nameOf(c.pod), status.AsError())
	}
	totals := make([]int64, len(scored))
	for i := range scored {
		totals[i] = scored[i].TotalScore
	}
	return totals, nil
}

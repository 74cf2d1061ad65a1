package plain

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Cycle is what the scheduler finds out about one pod in one scheduling cycle (schedulePod in pkg/scheduler/schedule_one.go).
type Cycle struct {
	profile *profile.Profile
	store   *store.Store
	pod     *corev1.Pod
	state   fwk.CycleState
	// gated says that a PreEnqueue plugin keeps the pod out of the active queue.
	gated    bool
	feasible []fwk.NodeInfo
	// refused are the statuses of the nodes that are not feasible.
	refused *framework.NodeToStatus
	// BudgetsOf are the budgets that protect some of a node's pods of a lower priority than that; if nil, all of the cluster's are looked at.
	BudgetsOf func(pods []fwk.PodInfo, priority int32) []*policyv1.PodDisruptionBudget
}

var _ Attempt = &Cycle{}

// Cycle filters some nodes.
func (s *Scheduler) Cycle(ctx context.Context, p *profile.Profile, pod *corev1.Pod, nodes []fwk.NodeInfo) (*Cycle, error) {
	c := s.NewCycle(p, pod)
	if c.gated = p.Gate(ctx, pod) != nil; c.gated {
		return c, nil
	}
	allowed, status, by := p.Framework.RunPreFilterPlugins(ctx, c.state, pod)
	switch {
	case status.IsSuccess():
	case status.IsRejected():
		c.refused.SetAbsentNodesStatus(status)
		return c, nil
	default:
		return nil, fmt.Errorf("asking what bears on pod %s: %w", store.NameOf(pod), status.AsError())
	}
	if !allowed.AllNodes() {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool { return !allowed.NodeNames.Has(n.Node().Name) })
		c.refused.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, elsewhere(sets.List(by)...)))
	}
	return c, c.filter(ctx, nodes)
}

// NewCycle has not looked at any node.
func (s *Scheduler) NewCycle(p *profile.Profile, pod *corev1.Pod) *Cycle {
	return &Cycle{profile: p, store: s.Store, pod: pod, state: framework.NewCycleState(), refused: framework.NewDefaultNodeToStatus()}
}

// elsewhere is what the scheduler says of nodes that PreFilter plugins excluded.
func elsewhere(plugins ...string) string {
	return fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", plugins)
}

func (c *Cycle) filter(ctx context.Context, nodes []fwk.NodeInfo) error {
	statuses := make([]*fwk.Status, len(nodes))
	c.profile.Framework.Parallelizer().Until(ctx, len(nodes), func(i int) {
		statuses[i] = c.profile.Framework.RunFilterPluginsWithNominatedPods(ctx, c.state, c.pod, nodes[i])
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
			return fmt.Errorf("asking whether node %s takes pod %s: %w", nodes[i].Node().Name, store.NameOf(c.pod), status.AsError())
		}
	}
	return nil
}

// Feasible are the nodes that pass every filter.
func (c *Cycle) Feasible() []*store.Node {
	nodes := make([]*store.Node, len(c.feasible))
	for i, node := range c.feasible {
		nodes[i] = c.store.Nodes.ByName[node.Node().Name]
	}
	return nodes
}

// Keep leaves the feasible nodes at some positions.
func (c *Cycle) Keep(positions []int) {
	c.feasible = make([]fwk.NodeInfo, len(positions))
	for i, at := range positions {
		c.feasible[i] = c.store.Nodes.Sorted.Infos[at]
	}
}

// Cycle is the cycle itself.
func (c *Cycle) Cycle(context.Context) (*Cycle, error) { return c, nil }

// Best is the nominated node if it is feasible, whatever the scores.
func (c *Cycle) Best(ctx context.Context) ([]*store.Node, error) {
	nodes := c.Feasible()
	if len(nodes) <= 1 {
		return nodes, nil
	}
	for _, node := range nodes {
		if node.Name == c.pod.Status.NominatedNodeName {
			return []*store.Node{node}, nil
		}
	}
	scores, err := c.Scores(ctx)
	if err != nil {
		return nil, err
	}
	highest := slices.Max(scores)
	var best []*store.Node
	for i, node := range nodes {
		if scores[i] == highest {
			best = append(best, node)
		}
	}
	return best, nil
}

// Scores are those of all score plugins.
func (c *Cycle) Scores(ctx context.Context) ([]int64, error) {
	if status := c.profile.Framework.RunPreScorePlugins(ctx, c.state, c.pod, c.feasible); !status.IsSuccess() {
		return nil, fmt.Errorf("scoring nodes for pod %s: %w", store.NameOf(c.pod), status.AsError())
	}
	scored, status := c.profile.Framework.RunScorePlugins(ctx, c.state, c.pod, c.feasible)
	if !status.IsSuccess() {
		return nil, fmt.Errorf("scoring nodes for pod %s: %w", store.NameOf(c.pod), status.AsError())
	}
	totals := make([]int64, len(scored))
	for i := range scored {
		totals[i] = scored[i].TotalScore
	}
	return totals, nil
}

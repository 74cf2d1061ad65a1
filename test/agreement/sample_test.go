package agreement

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// sampleOf is how many feasible nodes a scheduler with default settings looks for (numFeasibleNodesToFind in
// pkg/scheduler/schedule_one.go).
func sampleOf(nodes int) int { return max(nodes*max(50-nodes/125, 5)/100, min(nodes, 100)) }

// candidatesOf is at how many nodes it looks that it could preempt on (GetOffsetAndNumCandidates in
// pkg/scheduler/framework/plugins/defaultpreemption).
func candidatesOf(nodes int) int { return max(nodes/10, min(nodes, 100)) }

// compareSampled compares with a scheduler that looks at some nodes only.
func (g *game) compareSampled(ctx context.Context, s *session, pod *corev1.Pod, p prediction, d decision) (agreed bool, err error) {
	agreed = p.matches(d)
	switch enough := sampleOf(len(s.world.nodes)); {
	case len(p.fit.Feasible) > enough:
		g.sampled++
		random, err := s.couldDraw(ctx, pod, p, decision{node: pick(s.world.random, p.fit.Feasible...)}, enough)
		if err != nil {
			return false, err
		}
		if random {
			g.sampledLuck++
		}
		if agreed {
			return true, nil
		}
		g.notBestOfAll++
		return s.couldDraw(ctx, pod, p, d, enough)
	case len(p.preemptions) > 0 && !agreed:
		g.candidates++
		return s.couldTry(ctx, pod, p, d)
	}
	return agreed, nil
}

// couldDraw says whether the decision is the best for some sample that a scheduler could have drawn that stops to look at
// nodes when it has found so many. The nodes that are better than the chosen one must then be among those that it did not
// see, which are cordoned here to take them out.
func (s *session) couldDraw(ctx context.Context, pod *corev1.Pod, p prediction, d decision, enough int) (bool, error) {
	if !slices.Contains(p.fit.Feasible, d.node) {
		return false, nil
	}
	best, err := s.bestOfRest(ctx, pod, p, d, enough)
	if best || err != nil {
		return best, err
	}
	return s.couldStart(ctx, pod, p.fit.Feasible, d, enough)
}

// bestOfRest takes out whoever is better, as long as enough are left.
func (s *session) bestOfRest(ctx context.Context, pod *corev1.Pod, p prediction, d decision, enough int) (bool, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	for !p.matches(d) {
		if len(p.fit.Feasible)-len(p.fit.Best) < enough {
			return false, nil
		}
		var err error
		if p, err = s.without(ctx, pod, p.fit.Best); err != nil {
			return false, err
		}
	}
	return true, nil
}

// couldStart tries every node at which the scheduler could have started to look. Scores are made relative to those of the
// other nodes in the sample, so that a node may be the best of it though too many are better when all are looked at.
func (s *session) couldStart(ctx context.Context, pod *corev1.Pod, feasible []string, d decision, enough int) (bool, error) {
	order := s.world.inTurn()
	for start := range order {
		var sample []string
		for i := range order {
			if name := order[(start+i)%len(order)]; len(sample) < enough && slices.Contains(feasible, name) {
				sample = append(sample, name)
			}
		}
		if !slices.Contains(sample, d.node) {
			continue
		}
		is, err := s.bestOf(ctx, pod, feasible, sample, d)
		if is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func (s *session) bestOf(ctx context.Context, pod *corev1.Pod, feasible, sample []string, d decision) (bool, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	unseen := slices.DeleteFunc(slices.Clone(feasible), func(name string) bool { return slices.Contains(sample, name) })
	p, err := s.without(ctx, pod, unseen)
	return p.matches(d), err
}

// inTurn are the nodes in the order in which the scheduler looks at them: one of each zone after the other
// (pkg/scheduler/backend/cache/node_tree.go).
func (w *world) inTurn() []string {
	var zones []string
	in := map[string][]string{}
	for _, node := range w.nodes {
		zone := node.Labels[corev1.LabelTopologyZone]
		if in[zone] == nil {
			zones = append(zones, zone)
		}
		in[zone] = append(in[zone], node.Name)
	}
	var order []string
	for i := 0; len(order) < len(w.nodes); i++ {
		for _, zone := range zones {
			if i < len(in[zone]) {
				order = append(order, in[zone][i])
			}
		}
	}
	return order
}

// couldTry says the same of a decision to preempt: besides the nodes that are better than the chosen one there must be as
// many to preempt on as the scheduler looks for.
func (s *session) couldTry(ctx context.Context, pod *corev1.Pod, p prediction, d decision) (bool, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	seen := map[string]bool{}
	for found := false; len(p.preemptions) > 0; {
		if found = found || p.matches(d); found {
			for _, choice := range p.preemptions {
				seen[choice.Node] = true
			}
		}
		if found && len(seen) >= candidatesOf(len(s.world.nodes)) {
			return true, nil
		}
		var best []string
		for _, choice := range p.preemptions {
			best = append(best, choice.Node)
		}
		var err error
		if p, err = s.without(ctx, pod, slices.Compact(best)); err != nil {
			return false, err
		}
	}
	return false, nil
}

// without runs the judge with some more nodes cordoned.
func (s *session) without(ctx context.Context, pod *corev1.Pod, nodes []string) (prediction, error) {
	var unseen []cluster.Edit
	for _, name := range nodes {
		node := s.judge.World().Node(name).DeepCopy()
		node.Spec.Unschedulable = true
		unseen = append(unseen, cluster.Put(node))
	}
	if err := s.judge.Apply(unseen...); err != nil {
		return prediction{}, err
	}
	return predict(ctx, s.judge, pod)
}

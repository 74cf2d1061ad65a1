package scheduling

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Fit says where a pod may run, every node looked at.
func (j *Judge) Fit(ctx context.Context, pod *corev1.Pod) (Fit, error) {
	ctx = withoutLogs(ctx)
	s, err := j.fastFilter(ctx, pod)
	if err != nil {
		return Fit{}, err
	}
	if s == nil {
		return j.plainFit(ctx, pod)
	}
	best, err := s.best(ctx)
	if err != nil {
		return Fit{}, err
	}
	return Fit{Feasible: entryNames(s.feasible), Best: entryNames(best)}, nil
}

// plainFit asks the framework as the scheduler does, about every node.
func (j *Judge) plainFit(ctx context.Context, pod *corev1.Pod) (Fit, error) {
	a, err := j.attempt(ctx, pod)
	if err != nil {
		return Fit{}, err
	}
	best, err := a.best(ctx)
	if err != nil {
		return Fit{}, err
	}
	f := Fit{Feasible: namesOf(a.feasible), Best: best}
	slices.Sort(f.Feasible)
	slices.Sort(f.Best)
	return f, nil
}

// Place is one attempt of the scheduler: a node for the pod, chosen by seed among the best, else a preemption, else neither.
// It changes nothing. With seed zero, of equally important pods the older ones are spared: that is likeliest, since the scheduler's
// cache holds pods in the order in which they were added, but for those that moved up when another was removed.
func (j *Judge) Place(ctx context.Context, pod *corev1.Pod) (Placement, error) {
	ctx = withoutLogs(ctx)
	s, err := j.fastFilter(ctx, pod)
	if err != nil {
		return Placement{}, err
	}
	var node string
	var a *attempt
	switch {
	case s == nil:
		if a, err = j.attempt(ctx, pod); err == nil && len(a.feasible) > 0 {
			node, err = a.chosen(ctx, j)
		}
	case len(s.feasible) > 0:
		node, err = s.chosen(ctx)
	default:
		a, err = j.lastResort(ctx, s)
	}
	if err != nil || node != "" {
		return Placement{Node: node}, err
	}
	orders := otherVictimOrders
	if j.seed == 0 {
		orders = 0
	}
	choices, err := a.preempt(ctx, &j.pods, orders)
	if err != nil || len(choices) == 0 {
		return Placement{}, err
	}
	chosen := j.pickPreemption(pod, choices)
	return Placement{Preemption: &chosen}, nil
}

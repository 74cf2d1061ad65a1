package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Fit says where a pod may run, every node looked at.
func (j *Judge) Fit(ctx context.Context, pod *corev1.Pod) (Fit, error) {
	ctx = profile.WithoutLogs(ctx)
	a, err := j.attempt(ctx, pod)
	if err != nil {
		return Fit{}, err
	}
	best, err := a.Best(ctx)
	if err != nil {
		return Fit{}, err
	}
	feasible := entryNames(a.Feasible())
	return Fit{Feasible: feasible, Best: entryNames(best), Sampled: len(feasible) > j.sampleSize(pod)}, nil
}

// Place is one attempt of the scheduler: a node for the pod, chosen by seed among the best of those that it scores, else a preemption,
// else neither. It changes nothing. With seed zero every node is scored, and of equally important pods the older ones are spared:
// that is likeliest, since the scheduler's cache holds pods in the order in which they were added, but for those that moved up when
// another was removed.
func (j *Judge) Place(ctx context.Context, pod *corev1.Pod) (Placement, error) {
	ctx = profile.WithoutLogs(ctx)
	a, err := j.attempt(ctx, pod)
	if err != nil {
		return Placement{}, err
	}
	j.sample(a, pod)
	best, err := a.Best(ctx)
	if err != nil {
		return Placement{}, err
	}
	if len(best) > 0 {
		return Placement{Node: j.pickNode(pod, best)}, nil
	}
	orders := plain.OtherVictimOrders
	if j.seed == 0 {
		orders = 0
	}
	choices, err := j.preempt(ctx, a, orders)
	if err != nil || len(choices) == 0 {
		return Placement{}, err
	}
	chosen := j.pickPreemption(pod, choices)
	return Placement{Preemption: &chosen}, nil
}

func (j *Judge) attempt(ctx context.Context, pod *corev1.Pod) (plain.Attempt, error) {
	p, err := j.profile(pod)
	if err != nil {
		return nil, err
	}
	return j.path.Attempt(ctx, p, j.store.Pods.Defaulted(pod))
}

func entryNames(entries []*store.Node) []string {
	all := make([]string, len(entries))
	for i, entry := range entries {
		all[i] = entry.Name
	}
	return all
}

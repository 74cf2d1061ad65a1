package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// path is a way to find out where a pod fits in the cluster as it is stored. A pod is given as plugins see it.
type path interface {
	// Attempt filters every node.
	Attempt(ctx context.Context, p *profile, pod *corev1.Pod) (attempt, error)
	// First is the first of some nodes that passes every filter, nil if none does.
	First(ctx context.Context, p *profile, pod *corev1.Pod, among []*nodeEntry) (*nodeEntry, error)
	// Survey asks each filter plugin on its own.
	Survey(ctx context.Context, p *profile, pod *corev1.Pod) (*survey, error)
}

// attempt is what is found out about a pod.
type attempt interface {
	// Feasible nodes pass every filter. They are in the order of the store.
	Feasible() []*nodeEntry
	// Best are the feasible nodes that score highest; the next call of any attempt overwrites them.
	Best(ctx context.Context) ([]*nodeEntry, error)
	// Scores are the feasible nodes' totals. Which of them are higher, and by how much, is what counts.
	Scores(ctx context.Context) ([]int64, error)
	// Cycle is what preemption goes by, if there is no feasible node.
	Cycle(ctx context.Context) (*cycle, error)
}

// plainScheduler is the path that asks every plugin about every node, as kube-scheduler does.
type plainScheduler struct{ store *store }

var _ path = &plainScheduler{}

func (s *plainScheduler) Attempt(ctx context.Context, p *profile, pod *corev1.Pod) (attempt, error) {
	return s.cycle(ctx, p, pod, s.store.nodes.sorted.infos)
}

func (s *plainScheduler) First(ctx context.Context, p *profile, pod *corev1.Pod, among []*nodeEntry) (*nodeEntry, error) {
	c, err := s.cycle(ctx, p, pod, infosOf(among))
	if err != nil || len(c.feasible) == 0 {
		return nil, err
	}
	return c.Feasible()[0], nil
}

func (s *plainScheduler) Survey(ctx context.Context, p *profile, pod *corev1.Pod) (*survey, error) {
	return newSurvey(ctx, s.store, p, pod, nil)
}

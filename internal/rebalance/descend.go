package rebalance

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// descend evicts pods of a workload, each time the fewest that lower its excess in every outcome, until it is zero or none do. Where one pod does not, it
// is evicted together with others that make room for it on a node where it helps, or that take its place (an ejection chain, or a swap).
func (s *search) descend(ctx context.Context, w *workload) (step, error) {
	one, before := step{workloads: []*workload{w}, bound: w.bound()}, w.excess()
	for w.excess() > 0 {
		moved, err := s.lower(ctx, w, s.left-len(one.evicted))
		if err != nil {
			return one, err
		}
		if moved == nil {
			break
		}
		one.evicted = append(one.evicted, moved...)
	}
	if left := w.excess(); left > 0 {
		most := len(w.limits) + 1 // One eviction can bring the workload nearer to each of its limits by one pod, and to its rules.
		one.bound = (before - left + most - 1) / most
	}
	return one, nil
}

// lower evicts the fewest pods, up to a number, that lower the excess of a workload in every outcome; nil if there are none.
func (s *search) lower(ctx context.Context, w *workload, most int) ([]*corev1.Pod, error) {
	before, leaving := w.excess(), s.leaving(w)
	if s.o.OutOfTime() {
		most = min(most, 1)
	}
	return s.fewest(ctx, 1, most, target{
		classes:    leaving,
		met:        func() bool { return w.excess() < before },
		possible:   func([]*corev1.Pod) bool { return true },
		hasSpace:   func(_ *corev1.Pod, node string) bool { return w.hasSpace(w.byNode(), node) },
		makingRoom: func() [][]*corev1.Pod { return s.makingRoom([]*workload{w}, leaving) },
	})
}

package rebalance

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

// mostReduced is up to how many evictions of a plan are looked at for whether they are needed: each is simulated without.
const mostReduced = 64

// withoutRedundant leaves out of steps each eviction without which every future comes as planned all the same, those that disrupt most first. Of steps that need as
// many evictions as they have, none are. The others keep their order, on which it depends where the scheduler runs the pods.
func (s *search) withoutRedundant(ctx context.Context, steps []step, is played) ([]step, played, error) {
	stale, looked := false, 0
	for i := range steps {
		for _, pod := range byMostDisruption(steps[i].evicted) {
			one := steps[i]
			if looked++; len(one.evicted) <= one.bound || len(one.workloads) == 0 || looked > mostReduced || s.o.OutOfTime() {
				break
			}
			one.evicted = without(one.evicted, pod)
			if !s.evictsFromAll(one) {
				continue
			}
			fewer := slices.Clone(steps)
			fewer[i] = one
			reduced, err := s.play(ctx, fewer, withoutMove(is.waves, podRef(pod)))
			if err != nil {
				return nil, played{}, err
			}
			if stale = len(reduced.bad) > 0; !stale {
				steps, is = fewer, reduced
			}
		}
	}
	if !stale {
		return steps, is, nil
	}
	is, err := s.play(ctx, steps, is.waves) // What a play notes besides is of the last one.
	return steps, is, err
}

// evictsFromAll reports whether a step evicts a pod of each workload that it is for.
func (s *search) evictsFromAll(one step) bool {
	return !slices.ContainsFunc(one.workloads, func(w *workload) bool {
		return !slices.ContainsFunc(one.evicted, func(pod *corev1.Pod) bool { return s.original[podRef(pod)].workload == w })
	})
}

// withoutMove are waves without the eviction of a pod.
func withoutMove(waves []Wave, pod change.Ref) (all []Wave) {
	for _, wave := range waves {
		moves := slices.DeleteFunc(slices.Clone(wave.Moves), func(move Move) bool { return move.Pod == pod })
		if len(moves) > 0 {
			all = append(all, Wave{Moves: moves})
		}
	}
	return all
}

func byMostDisruption(pods []*corev1.Pod) []*corev1.Pod {
	pods = slices.Clone(pods)
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return compareDisruption(b, a) })
	return pods
}

package simulation

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// randomness decides what a cluster does not determine: the order in which controllers handle objects, and how long things take
// that nothing waits for. The first future has no randomness: everything happens at once, in order.
type randomness struct {
	rng *rand.Rand
	// delaysPods says that in this future some pods reach the scheduler later than others.
	delaysPods bool
	// earlyEnds is the probability, in halves, that a terminating pod is gone before its replacement is scheduled.
	earlyEnds int
	// retriesLate says that in this future pods that quotas have refused are created again later than others for the first time.
	retriesLate bool
}

// newRandomness is the randomness of a future, by its seed. The Judge has its own for the scheduler.
func newRandomness(seed uint64) randomness {
	if seed == 0 {
		return randomness{}
	}
	r := randomness{rng: rand.New(rand.NewPCG(seed, seed))}
	r.delaysPods = r.rng.IntN(2) == 0
	r.earlyEnds = r.rng.IntN(3)
	r.retriesLate = r.rng.IntN(3) == 0
	return r
}

// shuffle orders randomly what a controller handles in no order.
func shuffle[T any](r randomness, items []T) {
	if r.rng != nil {
		r.rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
}

// shuffled are the items in random order.
func shuffled[T any](r randomness, items []T) []T {
	items = slices.Clone(items)
	shuffle(r, items)
	return items
}

// batches are items handled at once or, by chance, some of them later than others.
func batches[T any](r randomness, items []T) [][]T {
	if r.rng == nil {
		return [][]T{items}
	}
	shuffle(r, items)
	var parts [][]T
	for len(items) > 0 {
		n := 1 + r.rng.IntN(len(items))
		parts, items = append(parts, items[:n]), items[n:]
	}
	return parts
}

// delayed says whether a pod reaches the scheduler after those created at the same time: its controller was slower, or the pod is
// in its scheduling back-off.
func (r randomness) delayed() bool { return r.delaysPods && r.rng.IntN(2) == 0 }

// endsBeforeReplacement says whether a terminating pod is gone before its replacement reaches the scheduler. How long that takes
// is not known: from no time to the whole grace period.
func (r randomness) endsBeforeReplacement() bool { return r.rng != nil && r.rng.IntN(2) < r.earlyEnds }

// bindDelayed says whether other pods are scheduled before the victims of a preemption are gone. Mostly they are: the scheduler
// goes on at once, and victims take time to end.
func (r randomness) bindDelayed() bool { return r.rng != nil && r.rng.IntN(4) > 0 }

// groupDrains says whether a group drains the nodes that it terminates: mostly it does.
func (r randomness) groupDrains() bool { return r.rng == nil || r.rng.IntN(3) > 0 }

// quotaDelayed says whether the quota of a removed pod is released only after its owner has tried to create another: the quota
// controller runs beside the owner's.
func (r randomness) quotaDelayed() bool { return r.rng != nil && r.rng.IntN(2) == 0 }

// observed is how many of the events that happen at about the same time a controller observes at once: all or, by chance, only some.
func (r randomness) observed(all int) int {
	if r.rng == nil || all < 2 || r.rng.IntN(2) == 0 {
		return all
	}
	return 1 + r.rng.IntN(all)
}

// maxLag is the longest time between the snapshot and the change.
const maxLag = 10 * time.Second

// lag is the time between the snapshot and the change: mostly none.
func (r randomness) lag() time.Duration {
	if r.rng == nil || r.rng.IntN(3) > 0 {
		return 0
	}
	return time.Duration(r.rng.Int64N(int64(maxLag)))
}

// startDelay is how long after the snapshot an event happens.
func (r randomness) startDelay() time.Duration {
	if r.rng == nil {
		return 0
	}
	return time.Duration(r.rng.Int64N(int64(time.Minute)))
}

// within is when a periodic event happens next, and whether that is before an unreachable node is removed, which takes no known
// time.
func (r randomness) within(period time.Duration) (wait time.Duration, before bool) {
	if r.rng == nil {
		return period, true
	}
	return time.Duration(r.rng.Int64N(int64(period))), r.rng.IntN(2) == 0
}

// unobserved are new pods that the quota controller has not observed when it counts: mostly none.
func (r randomness) unobserved(pods []*corev1.Pod) []*corev1.Pod {
	if r.rng == nil || len(pods) == 0 || r.rng.IntN(8) > 0 {
		return nil
	}
	return shuffled(r, pods)[:1+r.rng.IntN(len(pods))]
}

// settleStep settles before the next step of a drain or a rollout or, by chance and if the step is ready then, only schedules
// pods: what takes time, as a Job's next pod, comes after the step.
func (e *engine) settleStep(ctx context.Context, ready func() bool) error {
	if e.randomness.delayed() {
		if err := e.schedule(ctx); err != nil || ready() {
			return err
		}
	}
	return e.settle(ctx)
}

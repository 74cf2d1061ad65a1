package simulation

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// chance is what nobody decides: the order in which controllers take what has none, and how long things take that nobody
// waits for. The first future has no chance in it: all that may happen at once does, in order.
type randomness struct {
	rng *rand.Rand
	// unruly futures are those in which pods reach the scheduler at different times.
	delaysPods bool
	// quick is how likely a pod that is told to end is gone before others ask for its room, out of two.
	earlyEnds int
}

// chanceOf is the chance of a future, by its seed; the scheduler's own dice are the Judge's.
func newRandomness(seed uint64) randomness {
	if seed == 0 {
		return randomness{}
	}
	c := randomness{rng: rand.New(rand.NewPCG(seed, seed))}
	c.delaysPods = c.rng.IntN(2) == 0
	c.earlyEnds = c.rng.IntN(3)
	return c
}

// shuffle orders what a controller takes in no order of its own.
func shuffle[T any](c randomness, items []T) {
	if c.rng != nil {
		c.rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
}

// drawn are the same items, in an order of chance: which of several equal ones comes first nobody decides.
func shuffled[T any](c randomness, items []T) []T {
	items = slices.Clone(items)
	shuffle(c, items)
	return items
}

// waves are things that happen at once, or, if it so falls, some of them later than others.
func batches[T any](c randomness, items []T) [][]T {
	if c.rng == nil {
		return [][]T{items}
	}
	shuffle(c, items)
	var parts [][]T
	for len(items) > 0 {
		n := 1 + c.rng.IntN(len(items))
		parts, items = append(parts, items[:n]), items[n:]
	}
	return parts
}

// late says whether a pod comes to the scheduler's turn after those that ask at the same time: its controller was slower,
// or the scheduler still waits after its last attempt (its back-off).
func (c randomness) delayed() bool { return c.delaysPods && c.rng.IntN(2) == 0 }

// endsFirst says whether a pod that is told to end is gone before what its owner makes instead comes to the scheduler. How long pods take
// nobody knows: some end as soon as they are told to, others take the whole of their grace period.
func (c randomness) endsBeforeReplacement() bool { return c.rng != nil && c.rng.IntN(2) < c.earlyEnds }

// overtaken says whether others come to the scheduler's turn before the victims of a preemption are gone. Mostly they do:
// the scheduler goes on at once, and pods take their time to end.
func (c randomness) bindDelayed() bool { return c.rng != nil && c.rng.IntN(4) > 0 }

// countedLater says whether a quota's room that a pod leaves is there only once its owner has asked for another in vain: the quota
// controller counts while the owner's own controller is at work.
func (c randomness) quotaDelayed() bool { return c.rng != nil && c.rng.IntN(2) == 0 }

// delay is how long after the world was read something happens in it.
func (c randomness) startDelay() time.Duration {
	if c.rng == nil {
		return 0
	}
	return time.Duration(c.rng.Int64N(int64(time.Minute)))
}

// within is when something comes that comes once in a period, and whether it does before a dead node goes, which takes no known time.
func (c randomness) within(period time.Duration) (wait time.Duration, before bool) {
	if c.rng == nil {
		return period, true
	}
	return time.Duration(c.rng.Int64N(int64(period))), c.rng.IntN(2) == 0
}

// unseen are those of new pods that the quota controller has not heard of when it counts: mostly none.
func (c randomness) unobserved(pods []*corev1.Pod) []*corev1.Pod {
	if c.rng == nil || len(pods) == 0 || c.rng.IntN(8) > 0 {
		return nil
	}
	return shuffled(c, pods)[:1+c.rng.IntN(len(pods))]
}

// proceed lets happen what the next step of a drain or a rollout waits for: all that comes, or, if it so falls and the step
// can be taken then, what needs no time only. A Job's next pod, which comes a while after its last, is then made after it.
func (e *engine) settleStep(ctx context.Context, ready func() bool) error {
	if e.randomness.delayed() {
		if err := e.schedule(ctx); err != nil || ready() {
			return err
		}
	}
	return e.settle(ctx)
}

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
type chance struct {
	dice *rand.Rand
	// unruly futures are those in which pods reach the scheduler at different times.
	unruly bool
	// quick is how likely a pod that is told to end is gone before others ask for its room, out of two.
	quick int
}

// chanceOf is the chance of a future, by its seed; the scheduler's own dice are the Judge's.
func chanceOf(seed uint64) chance {
	if seed == 0 {
		return chance{}
	}
	c := chance{dice: rand.New(rand.NewPCG(seed, seed))}
	c.unruly = c.dice.IntN(2) == 0
	c.quick = c.dice.IntN(3)
	return c
}

// shuffle orders what a controller takes in no order of its own.
func shuffle[T any](c chance, items []T) {
	if c.dice != nil {
		c.dice.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
}

// drawn are the same items, in an order of chance: which of several equal ones comes first nobody decides.
func drawn[T any](c chance, items []T) []T {
	items = slices.Clone(items)
	shuffle(c, items)
	return items
}

// waves are things that happen at once, or, if it so falls, some of them later than others.
func waves[T any](c chance, items []T) [][]T {
	if c.dice == nil {
		return [][]T{items}
	}
	shuffle(c, items)
	var parts [][]T
	for len(items) > 0 {
		n := 1 + c.dice.IntN(len(items))
		parts, items = append(parts, items[:n]), items[n:]
	}
	return parts
}

// late says whether a pod comes to the scheduler's turn after those that ask at the same time: its controller was slower,
// or the scheduler still waits after its last attempt (its back-off).
func (c chance) late() bool { return c.unruly && c.dice.IntN(2) == 0 }

// endsFirst says whether a pod that is told to end is gone before what its owner makes instead comes to the scheduler. How long pods take
// nobody knows: some end as soon as they are told to, others take the whole of their grace period.
func (c chance) endsFirst() bool { return c.dice != nil && c.dice.IntN(2) < c.quick }

// overtaken says whether others come to the scheduler's turn before the victims of a preemption are gone. Mostly they do:
// the scheduler goes on at once, and pods take their time to end.
func (c chance) overtaken() bool { return c.dice != nil && c.dice.IntN(4) > 0 }

// countedLater says whether a quota's room that a pod leaves is there only once its owner has asked for another in vain: the quota
// controller counts while the owner's own controller is at work.
func (c chance) countedLater() bool { return c.dice != nil && c.dice.IntN(2) == 0 }

// delay is how long after the world was read something happens in it.
func (c chance) delay() time.Duration {
	if c.dice == nil {
		return 0
	}
	return time.Duration(c.dice.Int64N(int64(time.Minute)))
}

// within is when something comes that comes once in a period, and whether it does before a dead node goes, which takes no known time.
func (c chance) within(period time.Duration) (wait time.Duration, before bool) {
	if c.dice == nil {
		return period, true
	}
	return time.Duration(c.dice.Int64N(int64(period))), c.dice.IntN(2) == 0
}

// unseen are those of new pods that the quota controller has not heard of when it counts: mostly none.
func (c chance) unseen(pods []*corev1.Pod) []*corev1.Pod {
	if c.dice == nil || len(pods) == 0 || c.dice.IntN(8) > 0 {
		return nil
	}
	return drawn(c, pods)[:1+c.dice.IntN(len(pods))]
}

// proceed lets happen what the next step of a drain or a rollout waits for: all that comes, or, if it so falls and the step
// can be taken then, what needs no time only. A Job's next pod, which comes a while after its last, is then made after it.
func (f *future) proceed(ctx context.Context, ready func() bool) error {
	if f.chance.late() {
		if err := f.schedule(ctx); err != nil || ready() {
			return err
		}
	}
	return f.settle(ctx)
}

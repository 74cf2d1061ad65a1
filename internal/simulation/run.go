package simulation

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Options say how a simulation runs.
type Options struct {
	// Seeds is the number of futures, each with its own seed; zero is one.
	Seeds int
	// LeavePending leaves out what is ongoing already: pending pods are not scheduled, and evictions from unreachable nodes are
	// not continued.
	LeavePending bool
}

// Run simulates changes in the Judge's world, in order, and leaves the Judge as it was. It fails if a change names an object that
// does not exist (UnknownError), or if the Judge fails.
func Run(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options) (Outcome, error) {
	var outcome Outcome
	err := Inspect(ctx, judge, changes, o, func(seen Outcome) error {
		outcome = seen
		return nil
	})
	return outcome, err
}

// Inspect is Run with access to the simulated world: inspect is called at the end of each future, while the Judge has its world.
// The first future comes last, with the Outcome of all futures; the others have their own.
func Inspect(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, inspect func(Outcome) error) error {
	all := newAggregate(max(o.Seeds, 1))
	for seed := uint64(all.seeds) - 1; seed > 0; seed-- {
		err := simulate(ctx, judge, changes, o, seed, func(e *engine) error {
			if err := e.explainWaiting(ctx); err != nil {
				return err
			}
			all.add(e)
			return inspect(e.outcome())
		})
		if err != nil {
			return err
		}
	}
	return simulate(ctx, judge, changes, o, 0, func(e *engine) error {
		if err := e.explainWaiting(ctx); err != nil {
			return err
		}
		all.add(e)
		return inspect(all.outcome(e))
	})
}

// simulate applies the changes in one future and calls visit at its end, while the Judge has its world.
func simulate(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, seed uint64, visit func(*engine) error) error {
	return withFork(ctx, judge, o, seed, func(e *engine) error {
		for _, c := range changes {
			if err := e.apply(ctx, c); err != nil {
				return err
			}
		}
		return visit(e)
	})
}

// withFork forks the Judge's world for one future, plays it, and reverts the fork.
func withFork(ctx context.Context, judge *scheduling.Judge, o Options, seed uint64, play func(*engine) error) error {
	judge.Fork()
	defer judge.Revert()
	if seed > 0 {
		before := judge.Reseed(seed)
		defer judge.Reseed(before)
	}
	e := newEngine(judge, seed)
	if !o.LeavePending {
		if err := e.startOngoing(); err != nil {
			return err
		}
		if err := e.elapse(ctx, e.randomness.lag()); err != nil {
			return err
		}
	}
	return play(e)
}

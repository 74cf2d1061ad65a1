package simulation

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Options say how a future is played.
type Options struct {
	// Seeds is how many times it is played with other dice; zero is once.
	Seeds int
	// LeavePending leaves out of it what goes on already: pods that wait are not offered to the scheduler, and what nodes that do
	// not answer bring about is not continued.
	LeavePending bool
}

// Run plays changes in the Judge's world, in order, and leaves the Judge as it was. An error is a change that names what
// is not there (an UnknownError), or a Judge that fails.
func Run(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options) (Outcome, error) {
	var outcome Outcome
	err := Inspect(ctx, judge, changes, o, func(seen Outcome) error {
		outcome = seen
		return nil
	})
	return outcome, err
}

// In is Run with a look around: look is called while the Judge stands in a future's world, in that of each. The first future
// comes last, and its Outcome tells of all; that of another tells of this future only.
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

// played is one future, seen while the Judge stands in it.
func simulate(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, seed uint64, visit func(*engine) error) error {
	return withFork(judge, o, seed, func(e *engine) error {
		for _, c := range changes {
			if err := e.apply(ctx, c); err != nil {
				return err
			}
		}
		return visit(e)
	})
}

// forked is one future at its beginning, which the Judge stands in as long as do plays it.
func withFork(judge *scheduling.Judge, o Options, seed uint64, play func(*engine) error) error {
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
	}
	return play(e)
}

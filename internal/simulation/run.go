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
	err := In(ctx, judge, changes, o, func(seen Outcome) error {
		outcome = seen
		return nil
	})
	return outcome, err
}

// In is Run with a look around: look is called while the Judge stands in a future's world, in that of each. The first future
// comes last, and its Outcome tells of all; that of another tells of this future only.
func In(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, look func(Outcome) error) error {
	all := newTally(max(o.Seeds, 1))
	for seed := uint64(all.seeds) - 1; seed > 0; seed-- {
		err := played(ctx, judge, changes, o, seed, func(f *future) error {
			if err := f.giveReasons(ctx); err != nil {
				return err
			}
			all.add(f)
			return look(f.outcome())
		})
		if err != nil {
			return err
		}
	}
	return played(ctx, judge, changes, o, 0, func(f *future) error {
		if err := f.giveReasons(ctx); err != nil {
			return err
		}
		all.add(f)
		return look(all.outcome(f))
	})
}

// played is one future, seen while the Judge stands in it.
func played(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, seed uint64, see func(*future) error) error {
	return forked(judge, o, seed, func(f *future) error {
		for _, c := range changes {
			if err := f.make(ctx, c); err != nil {
				return err
			}
		}
		return see(f)
	})
}

// forked is one future at its beginning, which the Judge stands in as long as do plays it.
func forked(judge *scheduling.Judge, o Options, seed uint64, do func(*future) error) error {
	judge.Fork()
	defer judge.Revert()
	if seed > 0 {
		before := judge.Reseed(seed)
		defer judge.Reseed(before)
	}
	f := begin(judge, seed)
	if !o.LeavePending {
		if err := f.resume(); err != nil {
			return err
		}
	}
	return do(f)
}

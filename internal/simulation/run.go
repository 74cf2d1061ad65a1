package simulation

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
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
func Run(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options) (outcome.Outcome, error) {
	var last outcome.Outcome
	err := Inspect(ctx, judge, changes, o, func(seen outcome.Outcome) error {
		last = seen
		return nil
	})
	return last, err
}

// Inspect is Run with access to the simulated world: inspect is called at the end of each future, while the Judge has its world.
// The first future comes last, with the Outcome of all futures; the others have their own.
func Inspect(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, inspect func(outcome.Outcome) error) error {
	seeds := max(o.Seeds, 1)
	all := outcome.NewAggregate(seeds)
	for seed := uint64(seeds) - 1; seed > 0; seed-- {
		err := simulate(ctx, judge, changes, o, seed, func(e *engine) error {
			if err := e.explainWaiting(ctx); err != nil {
				return err
			}
			e.noteUnsimulated()
			one := e.outcome()
			all.Add(one)
			return inspect(one)
		})
		if err != nil {
			return err
		}
	}
	return simulate(ctx, judge, changes, o, 0, func(e *engine) error {
		if err := e.explainWaiting(ctx); err != nil {
			return err
		}
		e.noteUnsimulated()
		first := e.outcome()
		all.Add(first)
		return inspect(all.Outcome(first))
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
		if err := e.elapse(ctx, e.randomness.Lag()); err != nil {
			return err
		}
	}
	return play(e)
}

// outcome is that of this future alone.
func (e *engine) outcome() outcome.Outcome {
	return outcome.Outcome{World: e.judge.World(), Fates: e.fates.List(), Violations: e.budgets.Violations(), NotModelled: e.gaps.List(), Seeds: 1}
}

// noteUnsimulated notes what may follow from a future and is not simulated.
func (e *engine) noteUnsimulated() {
	e.noteAutoscaling(e.fates.List())
	e.noteAdmissionControllers()
}

// noteAutoscaling notes that an autoscaler outside the cluster may add nodes for unschedulable pods.
func (e *engine) noteAutoscaling(fates []outcome.Fate) {
	waits := func(fate outcome.Fate) bool { return fate.Kind == outcome.Waiting && fate.To == "" }
	if slices.ContainsFunc(fates, waits) && len(e.initial.Groups()) > 0 {
		e.gaps.Note("nodes", message.Of(message.GapAutoscaling, nil))
	}
}

package simulation

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
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
// does not exist (UnknownError), also if an earlier change removed it in every future, or if the Judge fails.
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
	all := outcome.NewAggregate(max(o.Seeds, 1))
	return eachFuture(ctx, judge, changes, o, func(seed int, f *future) error {
		if err := f.engine.ExplainWaiting(ctx); err != nil {
			return err
		}
		f.noteUnsimulated()
		one := f.outcome()
		all.Add(one)
		if seed == 0 {
			one = all.Outcome(one)
		}
		return inspect(one)
	})
}

// eachFuture applies the changes in each future, the first one last, and calls visit at its end, while the Judge has its world. It
// fails if in every future an earlier change removed what a change names.
func eachFuture(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, visit func(seed int, f *future) error) error {
	all := futures{changes: changes, options: o, visit: visit}
	for seed := max(o.Seeds, 1) - 1; seed >= 0; seed-- {
		if err := all.play(ctx, judge, seed); err != nil {
			return err
		}
	}
	return nil
}

// simulate applies the changes in one future and calls visit at its end, while the Judge has its world.
func simulate(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, seed uint64, visit func(*future) error) error {
	return withFork(ctx, judge, o, seed, func(f *future) error {
		for _, c := range changes {
			err := f.apply(ctx, c)
			if unknown := (outcome.UnknownError{}); errors.As(err, &unknown) && f.existedInitially(unknown.Ref) {
				f.removed = unknown
				f.noteRemoved(unknown.Ref)
				continue
			}
			if err != nil {
				return err
			}
		}
		return visit(f)
	})
}

// existedInitially reports whether an object existed before the first change, or whether a zone or a node group had a node.
func (f *future) existedInitially(ref change.Ref) bool {
	initial := f.engine.Initial
	switch ref.Kind {
	case "Zone":
		return slices.ContainsFunc(initial.Nodes(), func(n *corev1.Node) bool { return cluster.Zone(n) == ref.Name })
	case "Group":
		return slices.ContainsFunc(initial.Groups(), func(g cluster.Group) bool { return g.Name == ref.Name })
	default:
		return initial.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name) != nil
	}
}

// noteRemoved notes that the changes before may remove what a change is about.
func (f *future) noteRemoved(ref change.Ref) {
	gap := sentence.GapRemoved(ref)
	if ref.Kind == "Zone" || ref.Kind == "Group" {
		gap = sentence.GapEmptied(ref)
	}
	f.engine.Gaps.Note(ref.String(), gap)
}

// withFork forks the Judge's world for one future, plays it, and reverts the fork.
func withFork(ctx context.Context, judge *scheduling.Judge, o Options, seed uint64, play func(*future) error) error {
	judge.Fork()
	defer judge.Revert()
	if seed > 0 {
		before := judge.Reseed(seed)
		defer judge.Reseed(before)
	}
	f := newFuture(judge, seed)
	if !o.LeavePending {
		if err := f.startOngoing(); err != nil {
			return err
		}
		if err := f.engine.Elapse(ctx, f.engine.Randomness.Lag()); err != nil {
			return err
		}
	}
	return play(f)
}

// outcome is that of this future alone.
func (f *future) outcome() outcome.Outcome {
	return outcome.Outcome{World: f.engine.Judge.World(), Fates: f.engine.Fates.List(), Violations: f.engine.Budgets.Violations(), NotModelled: f.engine.Gaps.List(), Addresses: f.engine.AddressOutcome(), Seeds: 1}
}

// noteUnsimulated notes what may follow from a future and is not simulated.
func (f *future) noteUnsimulated() {
	f.noteAutoscaling(f.engine.Fates.List())
	f.engine.NoteAdmissionControllers()
}

// noteAutoscaling notes that an autoscaler outside the cluster may add nodes for unschedulable pods.
func (f *future) noteAutoscaling(fates []outcome.Fate) {
	waits := func(fate outcome.Fate) bool { return fate.Kind == outcome.Waiting && fate.To == "" }
	if slices.ContainsFunc(fates, waits) && len(f.engine.Initial.Groups()) > 0 {
		f.engine.Gaps.Note("nodes", sentence.GapAutoscaling())
	}
}

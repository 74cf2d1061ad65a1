package query

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Foresees says whether futures can be played: where the world holds only some of the pods, one would be a guess.
func (v View) Foresees() bool {
	return v.Judge != nil && v.World.Knowledge(cluster.Pod) == cluster.Complete
}

// Future plays changes in the View's world; false if they cannot be played.
func (v View) Future(ctx context.Context, changes ...change.Change) (simulation.Outcome, bool) {
	if !v.Foresees() {
		return simulation.Outcome{}, false
	}
	outcome, err := simulation.Run(ctx, v.Judge, changes, simulation.Options{LeavePending: true})
	return outcome, err == nil
}

// Try plays a remedy, and then what it is to withstand. It comes back verified if the future holds what was promised, as
// it was if nobody can say, and not at all, with false, if the future refutes it.
func (v View) Try(ctx context.Context, way finding.Remedy, holds func(simulation.Outcome) bool, then ...change.Change) (finding.Remedy, bool) {
	outcome, ok := v.Future(ctx, append([]change.Change{way.Change}, then...)...)
	if !ok {
		return way, true
	}
	way.Verified = holds(outcome)
	return way, way.Verified
}

package query

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// CanSimulate reports whether futures can be simulated: if the world contains only some of the pods, they would be guesses.
func (q Query) CanSimulate() bool {
	return q.Judge != nil && q.World.Knowledge(cluster.Pod) == cluster.Complete
}

// Simulate simulates changes in the Query's world; false if they cannot be simulated.
func (q Query) Simulate(ctx context.Context, changes ...change.Change) (outcome.Outcome, bool) {
	if !q.CanSimulate() {
		return outcome.Outcome{}, false
	}
	result, err := simulation.Run(ctx, q.Judge, changes, simulation.Options{LeavePending: true})
	return result, err == nil
}

// VerifyRemedy simulates a remedy, and then what it must withstand. The remedy is verified if the simulation confirms it, unchanged
// if it cannot be simulated, and false if the simulation refutes it.
func (q Query) VerifyRemedy(ctx context.Context, proposal finding.Remedy, holds func(outcome.Outcome) bool, then ...change.Change) (finding.Remedy, bool) {
	result, ok := q.Simulate(ctx, append([]change.Change{proposal.Change}, then...)...)
	if !ok {
		return proposal, true
	}
	proposal.Verified = holds(result)
	return proposal, proposal.Verified
}

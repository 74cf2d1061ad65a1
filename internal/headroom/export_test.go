package headroom

import (
	"context"

	"github.com/naosu-dev/naosu/internal/scheduling"
)

// ComputeSome is Compute that loses so many classes of nodes at most.
func ComputeSome(ctx context.Context, judge *scheduling.Judge, o Options, lost int) (*Report, error) {
	return compute(ctx, judge, o, limits{lost, mostAlone})
}

// ComputeTogether is Compute with several workers.
func ComputeTogether(ctx context.Context, judge *scheduling.Judge, o Options) (*Report, error) {
	return compute(ctx, judge, o, limits{mostLost, 0})
}

// Tractable reports whether rooms are looked for, for each failure of a kind.
func Tractable(judge *scheduling.Judge, o Options) (all []bool) {
	c := newComputation(judge, o, limits{mostLost, mostAlone})
	for _, f := range c.failures() {
		all = append(all, c.tractable(c.casesToSize(&Answer{Failure: f})))
	}
	return all
}

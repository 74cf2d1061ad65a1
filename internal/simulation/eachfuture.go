package simulation

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// EachFuture is Run with a separate Outcome for each future, the first future last: it shows which fates occur together. The
// fates have no reasons and no probabilities.
func EachFuture(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, visit func(outcome.Outcome) error) error {
	for seed := max(o.Seeds, 1) - 1; seed >= 0; seed-- {
		err := simulate(ctx, judge, changes, o, uint64(seed), func(f *future) error {
			return visit(f.outcome())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

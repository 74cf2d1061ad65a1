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
	return eachFuture(ctx, judge, changes, o, func(_ int, f *future) error { return visit(f.outcome()) })
}

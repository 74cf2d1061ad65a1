package simulation

import (
	"context"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Each is Run with every one of its futures seen on its own, the first last. What they share is in Run's answer; this is
// for whoever must know which of them are possible together. Fates have no reasons and no chances.
func Each(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, see func(Outcome) error) error {
	for seed := max(o.Seeds, 1) - 1; seed >= 0; seed-- {
		err := played(ctx, judge, changes, o, uint64(seed), func(f *future) error {
			return see(f.outcome())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

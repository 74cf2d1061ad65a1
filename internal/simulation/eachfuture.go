package simulation

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// EachFuture is Run with a separate Outcome for each future, the first future last: it shows which fates occur together. The
// fates have no reasons and no probabilities. The Judge has the future's world while visit is called.
func EachFuture(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, visit func(outcome.Outcome) error) error {
	return eachFuture(ctx, judge, changes, o, func(_ int, f *future) error { return visit(f.outcome()) })
}

// EachFutureParallel is EachFuture on all CPUs, where that is sooner: with a Judge of the same world for each. visit is called for one future at a time, in
// any order but for the first future, which comes last. It must not use the Judge, which is at work.
func EachFutureParallel(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, visit func(outcome.Outcome) error) error {
	judges := min(runtime.GOMAXPROCS(0), o.Seeds-1)
	if judges < 2 || len(changes)*o.Seeds < len(judge.World().Nodes()) { // Making a Judge costs as much as some changes.
		return EachFuture(ctx, judge, changes, o, visit)
	}
	all := futures{changes: changes, options: o, visit: func(_ int, f *future) error { return visit(f.outcome()) }}
	var left atomic.Int64 // the seeds that are to be played before the first future
	left.Store(int64(o.Seeds))
	play := func(ctx context.Context, judge *scheduling.Judge) error {
		for seed := left.Add(-1); seed > 0; seed = left.Add(-1) {
			if err := all.play(ctx, judge, int(seed)); err != nil {
				return err
			}
		}
		return nil
	}
	world := judge.World()
	group, playing := errgroup.WithContext(ctx)
	group.Go(func() error { return play(playing, judge) })
	for range judges - 1 {
		group.Go(func() error {
			other, err := scheduling.New(playing, world, judge.Options())
			if err != nil {
				return fmt.Errorf("making another Judge: %w", err)
			}
			return play(playing, other)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return all.play(ctx, judge, 0)
}

// futures plays changes in futures, on one Judge or several.
type futures struct {
	changes []change.Change
	options Options

	mu        sync.Mutex
	removedIn int
	// visit is called at the end of a future, for one at a time.
	visit func(seed int, f *future) error
}

// play plays one future. It fails if in every future an earlier change removed what a change names.
func (p *futures) play(ctx context.Context, judge *scheduling.Judge, seed int) error {
	return simulate(ctx, judge, p.changes, p.options, uint64(seed), func(f *future) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if f.removed != nil {
			p.removedIn++
		}
		if p.removedIn == max(p.options.Seeds, 1) {
			return f.removed
		}
		return p.visit(seed, f)
	})
}

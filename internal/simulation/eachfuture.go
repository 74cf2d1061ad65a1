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
	p := parallel{changes: changes, options: o, visit: visit}
	p.seed.Store(int64(o.Seeds))
	world := judge.World()
	group, playing := errgroup.WithContext(ctx)
	group.Go(func() error { return p.play(playing, judge) })
	for range judges - 1 {
		group.Go(func() error {
			other, err := scheduling.New(playing, world, judge.Options())
			if err != nil {
				return fmt.Errorf("making another Judge: %w", err)
			}
			return p.play(playing, other)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return p.playOne(ctx, judge, 0)
}

// parallel plays futures on several Judges.
type parallel struct {
	changes []change.Change
	options Options
	// seed is the one that was played last; the next is one less.
	seed atomic.Int64

	mu        sync.Mutex
	removedIn int
	visit     func(outcome.Outcome) error
}

// play plays futures on one Judge while there are any but the first.
func (p *parallel) play(ctx context.Context, judge *scheduling.Judge) error {
	for seed := p.seed.Add(-1); seed > 0; seed = p.seed.Add(-1) {
		if err := p.playOne(ctx, judge, uint64(seed)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parallel) playOne(ctx context.Context, judge *scheduling.Judge, seed uint64) error {
	return simulate(ctx, judge, p.changes, p.options, seed, func(f *future) error {
		one := f.outcome()
		p.mu.Lock()
		defer p.mu.Unlock()
		if f.removed != nil {
			p.removedIn++
		}
		if p.removedIn == p.options.Seeds {
			return f.removed
		}
		return p.visit(one)
	})
}

package headroom

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// mostAlone is up to how many nodes, times the cases of all failures, one worker is sooner done than several: each of the others needs a Judge of its own.
const mostAlone = 5_000

// answers are those about each of the failures, by several workers in a large cluster. They do not depend on how many there are.
func (c *computation) answers(ctx context.Context, failures []Failure) ([]Answer, error) {
	answers, next := make([]Answer, len(failures)), make(chan int, len(failures))
	for i := range failures {
		next <- i
	}
	close(next)
	options := c.judge.Options()
	g, ctx := errgroup.WithContext(ctx)
	for n := range c.workers(len(failures)) {
		g.Go(func() error {
			worker := *c
			if n > 0 {
				judge, err := scheduling.New(ctx, c.world, options)
				if err != nil {
					return err
				}
				worker.judge = judge
			}
			for i := range next {
				a, err := worker.answer(ctx, failures[i])
				if err == nil && c.o.Sized {
					err = worker.sizeRoom(ctx, &a)
					c.progress(len(failures[i].cases))
				}
				if err != nil {
					return err
				}
				answers[i] = a
			}
			return nil
		})
	}
	return answers, g.Wait()
}

func (c *computation) workers(failures int) int {
	if c.total*len(c.ready) <= c.limits.alone {
		return 1
	}
	return max(1, min(failures, runtime.GOMAXPROCS(0)))
}

// progress tells that more failures have been simulated.
func (c *computation) progress(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.played += more
	c.o.Progress(c.played, c.total)
}

// note notes what was not simulated.
func (f *findings) note(gaps []outcome.Gap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, gap := range gaps {
		f.gaps.Note(gap.About, gap.Why)
	}
}

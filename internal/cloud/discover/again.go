package discover

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// How long until who could not be asked is looked for again: at first, and at most.
const (
	firstWait   = 10 * time.Second
	longestWait = 5 * time.Minute
)

// Discovered is who runs a cluster's machines, as far as is known by now: what could not be asked when a process began may be
// there a minute later, as credentials are whose webhook was not up yet. It is safe for concurrent use.
type Discovered struct {
	discover func(context.Context) (cloud.Providers, []cloud.Gap)

	mu        sync.RWMutex
	providers cloud.Providers
	gaps      []cloud.Gap
}

// Again discovers once; Run goes on.
func Again(ctx context.Context, o Options) *Discovered {
	return again(ctx, func(ctx context.Context) (cloud.Providers, []cloud.Gap) { return Discover(ctx, o) })
}

func again(ctx context.Context, discover func(context.Context) (cloud.Providers, []cloud.Gap)) *Discovered {
	d := &Discovered{discover: discover}
	d.look(ctx)
	return d
}

// Now are the providers and the gaps that are known of now.
func (d *Discovered) Now() (cloud.Providers, []cloud.Gap) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.providers, d.gaps
}

// Run looks again as long as there are gaps, and less and less often, until the context ends. Found is told of each look.
func (d *Discovered) Run(ctx context.Context, clock clock.Clock, found func(cloud.Providers, []cloud.Gap)) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		if _, gaps := d.Now(); len(gaps) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-clock.After(wait):
		}
		d.look(ctx)
		found(d.Now())
	}
}

func (d *Discovered) look(ctx context.Context) {
	providers, gaps := d.discover(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.providers, d.gaps = providers, gaps
}

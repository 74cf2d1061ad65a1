package discover

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// The delays after which providers that could not be used are tried again: at first, and at most.
const (
	firstRetry   = 10 * time.Second
	longestRetry = 5 * time.Minute
)

// Discovered are the providers of a cluster, discovered again as long as some could not be used: at the start of a process credentials may be
// missing because the webhook that injects them is not ready. It is safe for concurrent use.
type Discovered struct {
	discover func(context.Context) (cloud.Providers, []cloud.Gap)

	mu        sync.RWMutex
	providers cloud.Providers
	gaps      []cloud.Gap
}

// NewDiscovered discovers providers once; Run does it again.
func NewDiscovered(ctx context.Context, o Options) *Discovered {
	return newDiscovered(ctx, func(ctx context.Context) (cloud.Providers, []cloud.Gap) { return Discover(ctx, o) })
}

func newDiscovered(ctx context.Context, discover func(context.Context) (cloud.Providers, []cloud.Gap)) *Discovered {
	d := &Discovered{discover: discover}
	d.look(ctx)
	return d
}

// Now returns the providers, and those that could not be used.
func (d *Discovered) Now() (cloud.Providers, []cloud.Gap) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.providers, d.gaps
}

// Run discovers again as long as there are gaps, with a backoff, until the context ends. found is called each time.
func (d *Discovered) Run(ctx context.Context, clock clock.Clock, found func(cloud.Providers, []cloud.Gap)) {
	for wait := firstRetry; ; wait = min(2*wait, longestRetry) {
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

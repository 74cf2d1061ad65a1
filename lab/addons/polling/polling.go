// Package polling runs the loop of the simulated programs that look at the cluster at a fixed period.
package polling

import (
	"context"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/utils/clock"
)

// Run starts the factory's informers, waits until their caches are filled, and then calls step at once and every period until ctx ends.
func Run(ctx context.Context, factory informers.SharedInformerFactory, c clock.WithTicker, period time.Duration, step func(context.Context)) {
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	for _, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return // ctx ended first
		}
	}
	ticker := c.NewTicker(period)
	defer ticker.Stop()
	for {
		step(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
	}
}

package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	// readyzTimeout is how long the API server may take to say how it fares.
	readyzTimeout = 5 * time.Second
	// maxWatchAge is how old what the watch knows may be before nothing should rest on it.
	maxWatchAge = time.Minute
)

// english is what logs are in.
var english = message.English()

// watch is the cluster, watched by every replica, so that the next to lead knows it already.
type watch struct {
	*cluster.Watch
	clock     clock.PassiveClock
	hasSynced atomic.Bool
}

func newWatch(kube kubernetes.Interface, c clock.WithTicker) (*watch, error) {
	w, err := cluster.NewWatch(kube, c, cluster.Event, cluster.ServiceAccount) // Nothing that is decided rests on these.
	if err != nil {
		return nil, err
	}
	return &watch{Watch: w, clock: c}, nil
}

// Start watches until the context ends.
func (w *watch) Start(ctx context.Context) error {
	go func() {
		if w.Ready(ctx) == nil {
			debug.FreeOSMemory() // Reading a large cluster takes more memory than holding it.
			w.hasSynced.Store(true)
		}
	}()
	w.Run(ctx)
	return nil
}

// NeedLeaderElection is whether only the leader watches.
func (*watch) NeedLeaderElection() bool { return false }

// synced says whether of every kind it is known what there is, or that it cannot be known.
func (w *watch) synced() bool { return w.hasSynced.Load() }

// checkReady is an error as long as nothing should rest on what the watch knows.
func (w *watch) checkReady(*http.Request) error {
	if !w.synced() {
		return errors.New("the cluster has not been read yet")
	}
	if age := w.clock.Since(w.Snapshot().Taken()); age > maxWatchAge {
		return fmt.Errorf("the cluster data is %s old", age.Round(time.Second))
	}
	return nil
}

func addHealth(mgr manager.Manager, w *watch, live func() error) error {
	if err := mgr.AddReadyzCheck("watch", w.checkReady); err != nil {
		return fmt.Errorf("adding the readiness check: %w", err)
	}
	if err := mgr.AddHealthzCheck("planning", func(*http.Request) error { return live() }); err != nil {
		return fmt.Errorf("adding the liveness check: %w", err)
	}
	return nil
}

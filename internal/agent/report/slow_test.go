package report_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// slow is an API server that does some things late.
type slow struct {
	*fleet
	silent    bool          // its watches say nothing
	eventTime time.Duration // how long it takes for an Event

	mu      sync.Mutex
	written map[string]time.Time // when a condition was first False
}

func newSlow() *slow { return &slow{fleet: newFleet(), written: map[string]time.Time{}} }

func (s *slow) PatchConditions(ctx context.Context, name string, conditions []kube.Condition) (*kube.Node, error) {
	s.mu.Lock()
	for _, c := range conditions {
		if _, is := s.written[c.Type]; !is && c.Status == kube.False {
			s.written[c.Type] = time.Now()
		}
	}
	s.mu.Unlock()
	return s.fleet.PatchConditions(ctx, name, conditions)
}

func (s *slow) ApplyEvent(ctx context.Context, e kube.Event) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.eventTime):
	}
	return s.fleet.ApplyEvent(ctx, e)
}

func (s *slow) WatchNode(ctx context.Context, name string, lasting time.Duration, handle func(kube.Seen)) error {
	if !s.silent {
		return s.fleet.WatchNode(ctx, name, lasting, handle)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(30 * time.Second):
	}
	return fmt.Errorf("watch node %s: %w", name, kube.ErrSilent)
}

// told is how long it takes until a fault that befalls a node after some time is told, with nothing else but some warnings.
func told(t *testing.T, server *slow, after time.Duration, warnings int) time.Duration {
	t.Helper()
	reasons := []reason.Reason{
		{ID: "Down", Condition: reason.KernelReady, Severity: reason.Fatal}, {ID: "Slow", Condition: reason.KernelReady, Severity: reason.Warning},
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := report.New(server, "n", reasons, slog.New(slog.NewTextHandler(t.Output(), nil)))
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	snapshot := evidence.Snapshot{At: time.Now()}
	for i := range warnings {
		snapshot.Standing = append(snapshot.Standing, evidence.Standing{Reason: "Slow", Entity: fmt.Sprint(i), Since: time.Now(), Count: 1})
	}
	r.Show(snapshot)
	time.Sleep(after) //nolint:forbidigo // The clock is the bubble's.
	began := time.Now()
	snapshot.Standing = append(snapshot.Standing, evidence.Standing{Reason: "Down", Since: began, Count: 1})
	r.Show(snapshot)
	time.Sleep(10 * time.Minute) //nolint:forbidigo // As above.
	cancel()
	running.Wait()
	at, is := server.written[string(reason.KernelReady)]
	if !is {
		return time.Hour
	}
	return at.Sub(began)
}

// A condition waits for no Event that the API server takes long for.
func TestConditionsDoNotWaitForEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newSlow()
		server.eventTime = 15 * time.Second
		if late := told(t, server, 16*time.Second, 8); late > 11*time.Second {
			t.Errorf("a fault was told after %v, while Events were written", late)
		}
	})
}

// A watch that is open and says nothing stops no reporting.
func TestReportsWhereWatchesSayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newSlow()
		server.silent = true
		if late := told(t, server, time.Second, 0); late > time.Minute {
			t.Errorf("a fault was told after %v", late)
		}
		later := newSlow()
		later.silent = true
		if late := told(t, later, time.Hour, 0); late > 11*time.Second {
			t.Errorf("an hour later a fault was told after %v", late)
		}
	})
}

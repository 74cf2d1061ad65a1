package metrics

import (
	"context"
	"errors"
	"fmt"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
)

// Lossy is a monitor.Monitor of logs from which records are dropped if they are not read in time.
type Lossy interface {
	// Lost is how many were dropped since the agent's start, by log.
	Lost() map[string]uint64
}

// Watch wraps monitors: their evidence is counted, and that they run becomes a health check.
func (m *Metrics) Watch(monitors []monitor.Monitor) []monitor.Monitor {
	watched := make([]monitor.Monitor, len(monitors))
	for i, inner := range monitors {
		watched[i] = &observed{Monitor: inner, metrics: m}
		if lossy, is := inner.(Lossy); is {
			m.lossy = append(m.lossy, lossy)
		}
	}
	m.Check("monitors", func() error { return m.ended(watched) })
	return watched
}

// observed is a wrapped monitor.
type observed struct {
	monitor.Monitor
	metrics *Metrics
	failed  error // why it does not run; guarded by metrics.mu
}

func (o *observed) Run(ctx context.Context, emit monitor.Emit) error {
	o.note(nil)
	err := o.Monitor.Run(ctx, func(e evidence.Evidence) {
		o.metrics.count(e)
		emit(e)
	})
	if ctx.Err() == nil {
		o.note(fmt.Errorf("%s ended: %w", o.Name(), err))
	}
	return err
}

func (o *observed) note(err error) {
	o.metrics.mu.Lock()
	defer o.metrics.mu.Unlock()
	o.failed = err
}

// ended is an error for each monitor that does not run.
func (m *Metrics) ended(watched []monitor.Monitor) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, w := range watched {
		if o, is := w.(*observed); is && o.failed != nil {
			errs = append(errs, o.failed)
		}
	}
	return errors.Join(errs...)
}

// count counts evidence of faults.
func (m *Metrics) count(e evidence.Evidence) {
	if e.State != evidence.Fault {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.evidence[e.Reason]++
}

// Package agent runs the monitors of the node agent, adds the evidence that they emit to a store, and passes on which reasons stand.
package agent

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

const (
	// restartDelay is after how long a monitor that ended is started again; as much again, at random, is added.
	restartDelay = 30 * time.Second
	// collectDelay is for how long evidence is collected before it is shown and saved: what fails at the same time is reported together.
	collectDelay = time.Second
	// saveInterval is the time between two writes of the evidence file as long as the same reasons stand.
	saveInterval = time.Minute
)

// Agent watches a host.
type Agent struct {
	Monitors []monitor.Monitor
	// Reasons are the catalogue as configured.
	Reasons []reason.Reason
	// EvidenceFile keeps the evidence over restarts of the agent; nil keeps none.
	EvidenceFile *EvidenceFile
	// Show is called with the state of all reasons whenever it may have changed. It must not block.
	Show  func(evidence.Snapshot)
	Clock clock.Clock
	// Log is about the agent itself: what the host lacks is evidence, and goes to Show.
	Log *slog.Logger
}

// Run watches until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	store := evidence.NewStore(a.Reasons)
	if err := a.EvidenceFile.restore(store, a.Clock.Now()); err != nil {
		a.Log.Warn("Evidence of the last run is lost", "err", err)
	}
	added := make(chan struct{}, 1)
	emit := func(e evidence.Evidence) {
		store.Add(e)
		select {
		case added <- struct{}{}:
		default:
		}
	}
	var running sync.WaitGroup
	for _, m := range a.Monitors {
		running.Go(func() { a.runMonitor(ctx, m, emit) })
	}
	a.showAndSave(ctx, store, added)
	running.Wait()
	if err := a.EvidenceFile.save(store); err != nil {
		a.Log.Warn("Evidence is not saved for the next run", "err", err)
	}
	return nil
}

// runMonitor runs a monitor until ctx ends, and starts it again if it ends before.
func (a *Agent) runMonitor(ctx context.Context, m monitor.Monitor, emit monitor.Emit) {
	for {
		err := m.Run(ctx, emit)
		if ctx.Err() != nil {
			return
		}
		a.Log.Warn("Monitor ended, and is started again", "monitor", m.Name(), "retryAfter", restartDelay.String(), "err", err)
		for _, id := range m.Reasons() {
			emit(evidence.Evidence{Reason: id, State: evidence.Unreadable, At: a.Clock.Now(), Source: m.Name(), Raw: fmt.Sprintf("monitor %s ended: %v", m.Name(), err)})
		}
		select {
		case <-ctx.Done():
			return
		case <-a.Clock.After(restartDelay + rand.N(restartDelay)):
		}
	}
}

// showAndSave shows and saves the snapshot of the store when it may have changed: after evidence was added, and when some expires. It ends
// with ctx.
func (a *Agent) showAndSave(ctx context.Context, store *evidence.Store, added <-chan struct{}) {
	waiting := added // nil while a snapshot is due anyway, so that a flood does not wake this for each line
	timer := earliestTimer{clock: a.Clock}
	timer.set(a.Clock.Now().Add(collectDelay))
	var saved string // what stood then
	var savedAt time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-waiting:
			waiting = nil
			timer.set(a.Clock.Now().Add(collectDelay))
		case <-timer.timer.C():
			timer.timer, waiting = nil, added
			snapshot := store.Snapshot(a.Clock.Now())
			a.Show(snapshot)
			if now := standingEntities(snapshot); now != saved || snapshot.At.Sub(savedAt) >= saveInterval {
				saved, savedAt = now, snapshot.At
				if err := a.EvidenceFile.save(store); err != nil {
					a.Log.Warn("Evidence is not saved for the next run", "err", err)
				}
			}
			next := snapshot.At.Add(time.Hour)
			if !snapshot.ChangesAt.IsZero() {
				next = snapshot.ChangesAt
			}
			timer.set(next)
		}
	}
}

// earliestTimer fires at the earliest of the times it was set to.
type earliestTimer struct {
	clock clock.Clock
	timer clock.Timer // nil once it fired
	due   time.Time
}

func (l *earliestTimer) set(when time.Time) {
	if l.timer != nil {
		if !when.Before(l.due) {
			return
		}
		l.timer.Stop()
	}
	l.timer, l.due = l.clock.NewTimer(when.Sub(l.clock.Now())), when
}

// standingEntities lists what stands, for comparison.
func standingEntities(p evidence.Snapshot) string {
	var b strings.Builder
	for _, s := range p.Standing {
		fmt.Fprintf(&b, "%s %s\n", s.Reason, s.Entity)
	}
	return b.String()
}

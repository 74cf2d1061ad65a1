// Package agent puts the node agent together: monitors tell evidence, a store counts and times it, a reporter says what stands.
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
	// again is how long a monitor that ended rests.
	again = 30 * time.Second
	// settle is for how long evidence is gathered before it is shown and saved: what fails together is reported together.
	settle = time.Second
	// forgetful is how old what is kept over a restart may be, if nothing stands or goes.
	forgetful = time.Minute
)

// Agent watches a host.
type Agent struct {
	Monitors []monitor.Monitor
	// Reasons are the catalogue as configured.
	Reasons []reason.Reason
	// Memory keeps the evidence over restarts; nil keeps nothing.
	Memory *Memory
	// Show is called with what stands whenever that may have changed. It must not block.
	Show  func(evidence.Snapshot)
	Clock clock.Clock
	// Log is about the agent itself: what the host lacks is evidence, and goes to Show.
	Log *slog.Logger
}

// Run watches until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	store := evidence.NewStore(a.Reasons)
	if err := a.Memory.recall(store, a.Clock.Now()); err != nil {
		a.Log.Warn("Evidence of the last run is lost", "err", err)
	}
	told := make(chan evidence.Evidence, 64)
	emit := func(e evidence.Evidence) {
		select {
		case told <- e:
		case <-ctx.Done():
		}
	}
	var running sync.WaitGroup
	for _, m := range a.Monitors {
		running.Go(func() { a.keep(ctx, m, emit) })
	}
	a.weigh(ctx, store, told)
	running.Wait()
	if err := a.Memory.keep(store); err != nil {
		a.Log.Warn("Evidence is not saved for the next run", "err", err)
	}
	return nil
}

// keep runs a monitor, again and again if it ends.
func (a *Agent) keep(ctx context.Context, m monitor.Monitor, emit monitor.Emit) {
	for {
		err := m.Run(ctx, emit)
		if ctx.Err() != nil {
			return
		}
		a.Log.Warn("Monitor ended, and is started again", "monitor", m.Name(), "retryAfter", again.String(), "err", err)
		for _, id := range m.Reasons() {
			emit(evidence.Evidence{Reason: id, State: evidence.Unreadable, At: a.Clock.Now(), Source: m.Name(), Raw: fmt.Sprintf("monitor %s ended: %v", m.Name(), err)})
		}
		select {
		case <-ctx.Done():
			return
		case <-a.Clock.After(again + rand.N(again)):
		}
	}
}

// weigh takes evidence in, and shows the snapshot when it may have changed: after evidence, and when time changes it.
func (a *Agent) weigh(ctx context.Context, store *evidence.Store, told <-chan evidence.Evidence) {
	alarm := alarm{clock: a.Clock}
	alarm.at(a.Clock.Now().Add(settle))
	var standing string
	var kept time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-told:
			store.Add(e)
			alarm.at(a.Clock.Now().Add(settle))
		case <-alarm.timer.C():
			alarm.timer = nil
			snapshot := store.Snapshot(a.Clock.Now())
			a.Show(snapshot)
			if now := names(snapshot); now != standing || snapshot.At.Sub(kept) >= forgetful {
				standing, kept = now, snapshot.At
				if err := a.Memory.keep(store); err != nil {
					a.Log.Warn("Evidence is not saved for the next run", "err", err)
				}
			}
			next := snapshot.At.Add(time.Hour)
			if !snapshot.ChangesAt.IsZero() {
				next = snapshot.ChangesAt
			}
			alarm.at(next)
		}
	}
}

// alarm goes off at the earliest time it was set to.
type alarm struct {
	clock clock.Clock
	timer clock.Timer // nil once it went off
	due   time.Time
}

func (l *alarm) at(when time.Time) {
	if l.timer != nil {
		if !when.Before(l.due) {
			return
		}
		l.timer.Stop()
	}
	l.timer, l.due = l.clock.NewTimer(when.Sub(l.clock.Now())), when
}

// names are the reasons and entities that stand.
func names(p evidence.Snapshot) string {
	var b strings.Builder
	for _, s := range p.Standing {
		fmt.Fprintf(&b, "%s %s\n", s.Reason, s.Entity)
	}
	return b.String()
}

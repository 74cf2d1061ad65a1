// Package agent puts the node agent together: monitors tell evidence, a book weighs it, a reporter says what stands.
package agent

import (
	"context"
	"fmt"
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
	Show  func(evidence.Picture)
	Clock clock.Clock
	// Log is told what a person should know of the agent itself.
	Log func(format string, args ...any)
}

// Run watches until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	book := evidence.NewBook(a.Reasons)
	if err := a.Memory.recall(book, a.Clock.Now()); err != nil {
		a.Log("evidence of the last run is lost: %v", err)
	}
	told := make(chan evidence.Evidence, 64)
	tell := func(e evidence.Evidence) {
		select {
		case told <- e:
		case <-ctx.Done():
		}
	}
	var running sync.WaitGroup
	for _, m := range a.Monitors {
		running.Go(func() { a.keep(ctx, m, tell) })
	}
	a.weigh(ctx, book, told)
	running.Wait()
	if err := a.Memory.keep(book); err != nil {
		a.Log("evidence is not kept over a restart: %v", err)
	}
	return nil
}

// keep runs a monitor, again and again if it ends.
func (a *Agent) keep(ctx context.Context, m monitor.Monitor, tell monitor.Tell) {
	for {
		err := m.Run(ctx, tell)
		if ctx.Err() != nil {
			return
		}
		a.Log("monitor %s ended and is started again in about %v: %v", m.Name(), again, err)
		for _, id := range m.Reasons() {
			tell(evidence.Evidence{Reason: id, State: evidence.Unreadable, At: a.Clock.Now(), Source: m.Name(), Raw: fmt.Sprintf("monitor %s ended: %v", m.Name(), err)})
		}
		select {
		case <-ctx.Done():
			return
		case <-a.Clock.After(again + rand.N(again)):
		}
	}
}

// weigh takes evidence in, and shows the picture when it may have changed: after evidence, and when time changes it.
func (a *Agent) weigh(ctx context.Context, book *evidence.Book, told <-chan evidence.Evidence) {
	alarm := alarm{clock: a.Clock}
	alarm.at(a.Clock.Now().Add(settle))
	var standing string
	var kept time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-told:
			book.Note(e)
			alarm.at(a.Clock.Now().Add(settle))
		case <-alarm.timer.C():
			alarm.timer = nil
			picture := book.Picture(a.Clock.Now())
			a.Show(picture)
			if now := names(picture); now != standing || picture.At.Sub(kept) >= forgetful {
				standing, kept = now, picture.At
				if err := a.Memory.keep(book); err != nil {
					a.Log("evidence is not kept over a restart: %v", err)
				}
			}
			next := picture.At.Add(time.Hour)
			if !picture.Next.IsZero() {
				next = picture.Next
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
func names(p evidence.Picture) string {
	var b strings.Builder
	for _, s := range p.Standing {
		fmt.Fprintf(&b, "%s %s\n", s.Reason, s.Entity)
	}
	return b.String()
}

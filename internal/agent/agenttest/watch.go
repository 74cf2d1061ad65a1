// Package agenttest lets tests see reasons stand and go: real monitors watch real faults, and a Book weighs what they tell.
package agenttest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// patience bounds every wait. It is only met when a test fails.
const patience = 2 * time.Minute

// Watched are monitors at work, and the Book of what they told.
type Watched struct {
	t *testing.T

	mu    sync.Mutex
	book  *evidence.Book
	told  []string
	again chan struct{} // closed and replaced with each evidence
}

// Override changes reasons for a test, which cannot wait for an hour of quiet.
type Override func(*reason.Reason)

// Sooner has one reason stand and go on the first evidence, and its quiet last a second: what it needs and how long it
// stays is the Book's, and tested there.
func Sooner(ids ...reason.ID) Override {
	return func(r *reason.Reason) {
		if !slices.Contains(ids, r.ID) {
			return
		}
		if r.Looked() {
			r.Needs.For, r.Clears.For = 0, 0
		} else {
			r.Needs.Count, r.Clears.Quiet = 1, time.Second
		}
	}
}

// Watch runs monitors until the test ends.
func Watch(t *testing.T, monitors []monitor.Monitor, overrides ...Override) *Watched {
	t.Helper()
	reasons := slices.Clone(reason.Catalogue)
	for i := range reasons {
		if reasons[i].Severity == reason.Off {
			reasons[i].Severity = reason.Warning
		}
		for _, override := range overrides {
			override(&reasons[i])
		}
	}
	w := &Watched{t: t, book: evidence.NewBook(reasons), again: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	for _, m := range monitors {
		running.Go(func() {
			if err := m.Run(ctx, w.tell); err != nil && ctx.Err() == nil {
				t.Errorf("monitor %s ended: %v", m.Name(), err)
			}
		})
	}
	return w
}

func (w *Watched) tell(e evidence.Evidence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.book.Note(e)
	if e.State != evidence.Well && e.State != evidence.Readable {
		w.told = append(w.told, strings.TrimSpace(fmt.Sprintln(e.At.Format(time.StampMilli), e.State, e.Reason, e.Entity, e.Source+":", e.Raw)))
	}
	close(w.again)
	w.again = make(chan struct{})
}

// Stands waits until a reason stands for an entity, and its last evidence says some words, if any are given: on a busy
// machine the first look may find less than the next.
func (w *Watched) Stands(id reason.ID, entity string, words ...string) evidence.Standing {
	w.t.Helper()
	var found evidence.Standing
	w.await(fmt.Sprintf("%s of %q stands %q", id, entity, words), func(p evidence.Picture) bool {
		i := find(p, id, entity)
		if i < 0 || slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(p.Standing[i].Raw, word) }) {
			return false
		}
		found = p.Standing[i]
		return true
	})
	w.t.Logf("%s %s stands: %s: %s", id, entity, found.Source, found.Raw)
	return found
}

// Goes waits until a reason that stood for an entity does no more, and it is known that it does not.
func (w *Watched) Goes(id reason.ID, entity string) {
	w.t.Helper()
	w.await(fmt.Sprintf("%s of %q goes", id, entity), func(p evidence.Picture) bool {
		unknown := slices.ContainsFunc(p.Unknown, func(g evidence.Gap) bool { return g.Reason == id })
		return find(p, id, entity) < 0 && !unknown
	})
}

// Picture is what holds now.
func (w *Watched) Picture() evidence.Picture {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.book.Picture(time.Now())
}

func find(p evidence.Picture, id reason.ID, entity string) int {
	return slices.IndexFunc(p.Standing, func(s evidence.Standing) bool { return s.Reason == id && s.Entity == entity })
}

// await waits until the picture is as wanted: it looks when something is told, and when the Book says that time changes it.
func (w *Watched) await(what string, is func(evidence.Picture) bool) {
	w.t.Helper()
	end := time.After(patience)
	for {
		w.mu.Lock()
		picture, again := w.book.Picture(time.Now()), w.again
		w.mu.Unlock()
		if is(picture) {
			return
		}
		var next <-chan time.Time
		if !picture.Next.IsZero() {
			next = time.After(time.Until(picture.Next))
		}
		select {
		case <-again:
		case <-next:
		case <-end:
			w.t.Fatalf("waited %v until %s\nholds: %+v\ntold:\n%s", patience, what, picture, w.history())
		}
	}
}

func (w *Watched) history() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.told[max(0, len(w.told)-40):], "\n")
}

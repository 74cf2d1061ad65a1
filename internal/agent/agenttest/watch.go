// Package agenttest lets tests see reasons stand and go: real monitors watch real faults, and a Store weighs what they tell.
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

// patience bounds every wait. It is only met when a test fails: a mean of a minute that was near 100 % takes four to fall below 2 %.
const patience = 6 * time.Minute

// Watched are monitors at work, and the Store of what they told.
//
// The Store is looked at whenever something is told, as of the moment of that evidence. So a reason that stood is seen however
// late the machine lets the monitor tell of it, or the test ask.
type Watched struct {
	t *testing.T

	mu    sync.Mutex
	store *evidence.Store
	told  []string
	// stood is what each reason and entity stood on since the last Stands or Goes of it, oldest first.
	stood map[stander][]evidence.Standing
	// gone is what Goes waits for; nil if nothing does. It is set to nil when it came true.
	gone  *stander
	again chan struct{} // closed and replaced with each evidence
}

// stander is a reason and the entity that it stands for.
type stander struct {
	reason reason.ID
	entity string
}

// Override changes reasons for a test, which cannot wait for an hour of quiet.
type Override func(*reason.Reason)

// Sooner has one reason stand and go on the first evidence, and its quiet last a second: what it needs and how long it
// stays is the Store's, and tested there.
func Sooner(ids ...reason.ID) Override {
	return func(r *reason.Reason) {
		if !slices.Contains(ids, r.ID) {
			return
		}
		if r.Polled() {
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
	w := &Watched{t: t, store: evidence.NewStore(reasons), stood: map[stander][]evidence.Standing{}, again: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	for _, m := range monitors {
		running.Go(func() {
			if err := m.Run(ctx, w.emit); err != nil && ctx.Err() == nil {
				t.Errorf("monitor %s ended: %v", m.Name(), err)
			}
		})
	}
	return w
}

func (w *Watched) emit(e evidence.Evidence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store.Add(e)
	if e.State != evidence.Well && e.State != evidence.Readable {
		w.told = append(w.told, strings.TrimSpace(fmt.Sprintln(e.At.Format(time.StampMilli), e.State, e.Reason, e.Entity, e.Source+":", e.Raw)))
	}
	snapshot := w.store.Snapshot(e.At)
	w.note(snapshot)
	if w.gone != nil && e.State != evidence.Fault && absent(snapshot, *w.gone) { // A look tells its Faults first: others may follow.
		w.gone = nil
	}
	close(w.again)
	w.again = make(chan struct{})
}

// note keeps what stands.
func (w *Watched) note(p evidence.Snapshot) {
	for _, s := range p.Standing {
		of := stander{s.Reason, s.Entity}
		if all := w.stood[of]; len(all) > 0 && all[len(all)-1].Raw == s.Raw {
			all[len(all)-1] = s
		} else {
			w.stood[of] = append(all, s)
		}
	}
}

// Stands waits until a reason stands for an entity, or did since the last Stands or Goes of both, on evidence that says some
// words, if any are given: on a busy machine the first look may find less than the next.
func (w *Watched) Stands(id reason.ID, entity string, words ...string) evidence.Standing {
	w.t.Helper()
	of := stander{id, entity}
	var found evidence.Standing
	w.await(of, fmt.Sprintf("stands on %q", words), func() bool {
		i := slices.IndexFunc(w.stood[of], func(s evidence.Standing) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(s.Raw, word) })
		})
		if i < 0 {
			return false
		}
		found = w.stood[of][i]
		return true
	})
	w.t.Logf("%s %s stands: %s: %s", id, entity, found.Source, found.Raw)
	return found
}

// Goes waits until a reason does not stand for an entity any more, and it is known that it does not.
func (w *Watched) Goes(id reason.ID, entity string) {
	w.t.Helper()
	of := stander{id, entity}
	w.mu.Lock()
	w.gone = &of
	w.mu.Unlock()
	w.await(of, "goes", func() bool { return w.gone == nil || absent(w.store.Snapshot(time.Now()), of) })
}

// absent says whether a reason does not stand for an entity, and this is known.
func absent(p evidence.Snapshot, of stander) bool {
	return !slices.ContainsFunc(p.Standing, func(s evidence.Standing) bool { return stander{s.Reason, s.Entity} == of }) &&
		!slices.ContainsFunc(p.Unknown, func(g evidence.Gap) bool { return g.Reason == of.reason })
}

// Snapshot is what holds now.
func (w *Watched) Snapshot() evidence.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store.Snapshot(time.Now())
}

// await waits until something holds: it looks when something is told, and when the Store says that time changes it. On what the
// reason stood before is then forgotten.
func (w *Watched) await(of stander, does string, is func() bool) {
	w.t.Helper()
	end := time.After(patience)
	for {
		w.mu.Lock()
		snapshot, again, holds := w.store.Snapshot(time.Now()), w.again, is()
		if holds {
			delete(w.stood, of)
		}
		w.mu.Unlock()
		if holds {
			return
		}
		var next <-chan time.Time
		if !snapshot.ChangesAt.IsZero() {
			next = time.After(time.Until(snapshot.ChangesAt))
		}
		select {
		case <-again:
		case <-next:
		case <-end:
			w.t.Fatalf("waited %v until %s of %q %s\nholds: %+v\ntold:\n%s", patience, of.reason, of.entity, does, snapshot, w.history())
		}
	}
}

func (w *Watched) history() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.told[max(0, len(w.told)-40):], "\n")
}

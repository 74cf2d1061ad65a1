package report

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

const (
	// maxPast bounds how many Events wait whose reason no longer stands. The oldest warning is dropped first. What stands is bounded by the
	// evidence.Store.
	maxPast = 256
	// refreshInterval is how often the Event of a reason that still stands is updated, with a jitter of a sixth: the API server deletes an Event
	// after an hour (kube-apiserver --event-ttl).
	refreshInterval = 45 * time.Minute
	// eventBurst Events may be written at once, and then one each eventPause; as many again about fatal reasons, so that a flood of warnings
	// does not delay them.
	eventBurst, eventPause = 10, 5 * time.Minute
)

// event is an Event to be written: one for each time that a reason stands for an entity, however often the fault is seen.
type event struct {
	reason, entity string
	since, last    time.Time
	count          int
	message        string
	fatal, warning bool

	standing bool
	written  time.Time // zero if it never was
	random   float64
}

// key identifies an Event; it is the same after a restart of the agent.
func (e *event) key() string { return fmt.Sprintf("%s %q %d", e.reason, e.entity, e.since.Unix()) }

// due is when the Event is to be written; zero is at once.
func (e *event) due() time.Time {
	if e.written.IsZero() {
		return time.Time{}
	}
	return e.written.Add(time.Duration((5 + 2*e.random) / 6 * float64(refreshInterval)))
}

// object is the Event about a node. Its name is derived from its key, so that writing it again updates it.
func (e *event) object(node kube.Metadata) kube.Event {
	hash := fnv.New64a()
	hash.Write([]byte(e.key()))
	message := e.message
	if e.entity != "" {
		message = e.entity + ": " + message
	}
	return kube.Event{
		Name: fmt.Sprintf("%s.%x", node.Name, hash.Sum64()), Node: node.Name, UID: node.UID, Warning: e.fatal || e.warning,
		Reason: e.reason, Message: message, Count: e.count, FirstTimestamp: e.since, LastOne: e.last,
	}
}

// eventQueue holds the Events to be written.
type eventQueue struct {
	random  func() float64
	waiting map[string]*event
	pace    map[bool]*rate.Limiter // of fatal events and others
	backoff kube.Backoff
	// lost counts the events that were never written: there were too many, or the API server rejected them.
	lost int
}

func newEventQueue(random func() float64) eventQueue {
	pace := map[bool]*rate.Limiter{}
	for _, fatal := range []bool{true, false} {
		pace[fatal] = rate.NewLimiter(rate.Every(eventPause), eventBurst)
	}
	return eventQueue{random: random, waiting: map[string]*event{}, pace: pace, backoff: newBackoff(random)}
}

// update updates the queue to what stands on the node. Events of what no longer stands wait until they are written.
func (q *eventQueue) update(p evidence.Snapshot, reasons map[reason.ID]reason.Reason) {
	var now []event
	for _, s := range p.Standing {
		severity := reasons[s.Reason].Severity
		now = append(now, event{
			reason: string(s.Reason), entity: s.Entity, since: s.Since, last: s.Last, count: s.Count, message: reason.OneLine(s.Raw),
			fatal: severity == reason.Fatal, warning: severity == reason.Warning,
		})
	}
	q.keep(now, func(old *event) bool { return old.fatal || old.warning })
}

// updateOtherWriters updates the Events that say which conditions other agents write.
func (q *eventQueue) updateOtherWriters(otherWriters map[string]otherWriter) {
	var now []event
	for kind, a := range otherWriters {
		now = append(now, event{reason: "StandsAside", entity: kind, since: a.since, last: a.since, count: 1, message: fmt.Sprintf(
			"%s writes it, %s leaves it alone until that has been silent for %.0f minutes", a.Manager, kube.Manager, silence.Minutes())})
	}
	q.keep(now, func(old *event) bool { return !old.fatal && !old.warning })
}

// keep replaces the standing events of one sort.
func (q *eventQueue) keep(now []event, sort func(*event) bool) {
	for _, old := range q.waiting {
		if sort(old) {
			old.standing = false
		}
	}
	for _, one := range now {
		q.add(one)
	}
	maps.DeleteFunc(q.waiting, func(_ string, old *event) bool { return !old.standing && !old.written.IsZero() })
	q.forget()
}

// add adds an Event, or updates the one that waits. It stores a copy: a pointer to an element would keep the whole slice in memory for as long as
// one of its Events waits.
func (q *eventQueue) add(now event) {
	key := now.key()
	old := q.waiting[key]
	if old == nil {
		now.random = q.random()
		old = &now
		q.waiting[key] = old
	}
	old.last, old.count, old.message, old.standing = now.last, now.count, now.message, true
}

// forget drops the events beyond maxPast whose reason no longer stands.
func (q *eventQueue) forget() {
	var gone []*event
	for _, old := range q.waiting {
		if !old.standing {
			gone = append(gone, old)
		}
	}
	if len(gone) <= maxPast {
		return
	}
	slices.SortFunc(gone, func(a, b *event) int {
		if a.fatal != b.fatal {
			return boolean(a.fatal) - boolean(b.fatal)
		}
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.key(), b.key()))
	})
	for _, old := range gone[:len(gone)-maxPast] {
		q.lost++
		delete(q.waiting, old.key())
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// next is the Event to be written now; if there is none, nil and when there is one, zero if not before an update.
func (q *eventQueue) next(now time.Time) (*event, time.Time) {
	var wake time.Time
	for _, fatal := range []bool{true, false} {
		first := q.first(fatal)
		if first == nil {
			continue
		}
		at := latest(latest(first.due(), q.backoff.Until), q.allowed(fatal, now))
		if !at.After(now) {
			return first, time.Time{}
		}
		wake = sooner(wake, at)
	}
	return nil, wake
}

// first is the Event of a sort that is due first: those never written, the oldest of them before the others.
func (q *eventQueue) first(fatal bool) *event {
	var first *event
	for _, other := range q.waiting {
		if other.fatal != fatal {
			continue
		}
		if first == nil || cmp.Or(other.due().Compare(first.due()), other.since.Compare(first.since), cmp.Compare(other.key(), first.key())) < 0 {
			first = other
		}
	}
	return first
}

// allowed is when the rate limit allows an Event of a sort to be written.
func (q *eventQueue) allowed(fatal bool, now time.Time) time.Time {
	missing := 1 - q.pace[fatal].TokensAt(now)
	if missing <= 0 {
		return now
	}
	return now.Add(time.Duration(missing*float64(eventPause)) + time.Millisecond)
}

// wrote records the result of writing an Event.
func (q *eventQueue) wrote(which *event, err error, now time.Time) {
	var refused *kube.Error
	switch {
	case err == nil:
		q.backoff.Succeeded()
		q.pace[which.fatal].AllowN(now, 1)
		which.written = now
	case errors.As(err, &refused) && (refused.Code == http.StatusBadRequest || refused.Code == http.StatusUnprocessableEntity):
		// It would be rejected again, and delay all that wait behind it.
		q.lost++
		which.written = now
	default:
		q.backoff.Failed(now, err)
		return
	}
	if !which.standing {
		delete(q.waiting, which.key())
	}
}

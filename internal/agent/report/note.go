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
	// maxGone bounds how many Events wait whose reason stands no more. The oldest warning gives way. What stands is bounded
	// by the evidence.Book.
	maxGone = 256
	// remind is how often the Event of a reason that goes on standing is brought up to date, a sixth more or less: the API
	// server forgets an Event after an hour (kube-apiserver --event-ttl).
	remind = 45 * time.Minute
	// eventBurst Events may be written at once, and one each eventPause; as many again about fatal reasons, so that no flood
	// of warnings stands before them.
	eventBurst, eventPause = 10, 5 * time.Minute
)

// note is an Event to be: one for each time that a reason stands for an entity, however often it is seen.
type note struct {
	reason, entity string
	since, last    time.Time
	count          int
	message        string
	fatal, warning bool

	standing bool
	written  time.Time // zero if it never was
	chance   float64
}

// key tells notes apart, and is the same after a restart.
func (n *note) key() string { return fmt.Sprintf("%s %q %d", n.reason, n.entity, n.since.Unix()) }

// due is when the note is to be written; zero is at once.
func (n *note) due() time.Time {
	if n.written.IsZero() {
		return time.Time{}
	}
	return n.written.Add(time.Duration((5 + 2*n.chance) / 6 * float64(remind)))
}

// event is the note as an Event of a node. Its name is the same whenever the same is told, so that it is one Event.
func (n *note) event(node kube.Metadata) kube.Event {
	hash := fnv.New64a()
	hash.Write([]byte(n.key()))
	message := n.message
	if n.entity != "" {
		message = n.entity + ": " + message
	}
	return kube.Event{
		Name: fmt.Sprintf("%s.%x", node.Name, hash.Sum64()), Node: node.Name, UID: node.UID, Warning: n.fatal || n.warning,
		Reason: n.reason, Message: message, Count: n.count, FirstTimestamp: n.since, LastOne: n.last,
	}
}

// notes are the Events to be written.
type notes struct {
	chance  func() float64
	waiting map[string]*note
	pace    map[bool]*rate.Limiter // of fatal notes and others
	backoff kube.Backoff
	// lost are the notes that were never written: too many, or refused as they are.
	lost int
}

func newNotes(chance func() float64) notes {
	pace := map[bool]*rate.Limiter{}
	for _, fatal := range []bool{true, false} {
		pace[fatal] = rate.NewLimiter(rate.Every(eventPause), eventBurst)
	}
	return notes{chance: chance, waiting: map[string]*note{}, pace: pace, backoff: newBackoff(chance)}
}

// hold takes in what stands on the node. What stood and was not written yet, waits on.
func (n *notes) hold(p evidence.Picture, reasons map[reason.ID]reason.Reason) {
	var now []note
	for _, s := range p.Standing {
		severity := reasons[s.Reason].Severity
		now = append(now, note{
			reason: string(s.Reason), entity: s.Entity, since: s.Since, last: s.Last, count: s.Count, message: reason.OneLine(s.Raw),
			fatal: severity == reason.Fatal, warning: severity == reason.Warning,
		})
	}
	n.keep(now, func(old *note) bool { return old.fatal || old.warning })
}

// standAside takes in which conditions are left to whom.
func (n *notes) standAside(asides map[string]aside) {
	var now []note
	for kind, a := range asides {
		now = append(now, note{reason: "StandsAside", entity: kind, since: a.since, last: a.since, count: 1, message: fmt.Sprintf(
			"%s writes it, %s leaves it alone until that has been silent for %.0f minutes", a.Manager, kube.Manager, silence.Minutes())})
	}
	n.keep(now, func(old *note) bool { return !old.fatal && !old.warning })
}

// keep replaces what stands of one sort.
func (n *notes) keep(now []note, sort func(*note) bool) {
	for _, old := range n.waiting {
		if sort(old) {
			old.standing = false
		}
	}
	for i := range now {
		n.add(&now[i])
	}
	maps.DeleteFunc(n.waiting, func(_ string, old *note) bool { return !old.standing && !old.written.IsZero() })
	n.forget()
}

func (n *notes) add(now *note) {
	old := n.waiting[now.key()]
	if old == nil {
		now.chance = n.chance()
		old = now
		n.waiting[now.key()] = old
	}
	old.last, old.count, old.message, old.standing = now.last, now.count, now.message, true
}

// forget drops the notes beyond maxGone whose reason stands no more.
func (n *notes) forget() {
	var gone []*note
	for _, old := range n.waiting {
		if !old.standing {
			gone = append(gone, old)
		}
	}
	if len(gone) <= maxGone {
		return
	}
	slices.SortFunc(gone, func(a, b *note) int {
		if a.fatal != b.fatal {
			return boolean(a.fatal) - boolean(b.fatal)
		}
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.key(), b.key()))
	})
	for _, old := range gone[:len(gone)-maxGone] {
		n.lost++
		delete(n.waiting, old.key())
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// next is the note to be written now, or nil, and then when to ask again; zero is when something else happens.
func (n *notes) next(now time.Time) (*note, time.Time) {
	var wake time.Time
	for _, fatal := range []bool{true, false} {
		first := n.first(fatal)
		if first == nil {
			continue
		}
		at := latest(latest(first.due(), n.backoff.Until), n.allowed(fatal, now))
		if !at.After(now) {
			return first, time.Time{}
		}
		wake = sooner(wake, at)
	}
	return nil, wake
}

// first is the note of a sort that is due first: those never written, the oldest of them before the others.
func (n *notes) first(fatal bool) *note {
	var first *note
	for _, other := range n.waiting {
		if other.fatal != fatal {
			continue
		}
		if first == nil || cmp.Or(other.due().Compare(first.due()), other.since.Compare(first.since), cmp.Compare(other.key(), first.key())) < 0 {
			first = other
		}
	}
	return first
}

// allowed is when the pace lets a note of a sort be written.
func (n *notes) allowed(fatal bool, now time.Time) time.Time {
	missing := 1 - n.pace[fatal].TokensAt(now)
	if missing <= 0 {
		return now
	}
	return now.Add(time.Duration(missing*float64(eventPause)) + time.Millisecond)
}

// wrote takes in how the writing of a note went.
func (n *notes) wrote(which *note, err error, now time.Time) {
	var refused *kube.Error
	switch {
	case err == nil:
		n.backoff.Succeeded()
		n.pace[which.fatal].AllowN(now, 1)
		which.written = now
	case errors.As(err, &refused) && (refused.Code == http.StatusBadRequest || refused.Code == http.StatusUnprocessableEntity):
		// It would be refused again, and hold up all that wait behind it.
		n.lost++
		which.written = now
	default:
		n.backoff.Failed(now, err)
		return
	}
	if !which.standing {
		delete(n.waiting, which.key())
	}
}

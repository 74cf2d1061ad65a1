package report

import (
	"maps"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

const (
	// settle is how long a change is held back at least, so that what is found together is written together, and spread
	// by as much over the nodes that found it at once.
	settle = time.Second
	// gap is the least time between two writes, if conditions flap.
	gap = 10 * time.Second
	// doubt is how long it must be unknown whether a reason stands before the condition is Unknown: a restarted agent has
	// not looked yet, and a condition that leaves False would give a repairer's clock a new start.
	doubt = time.Minute
)

// desk decides what is to be written and when. It does nothing itself, and knows the time only from its callers.
type desk struct {
	node    string
	reasons map[reason.ID]reason.Reason
	chance  func() float64

	picture evidence.Picture
	shown   *kube.Node       // what the API server shows, nil if it has not told
	asides  map[string]aside // conditions left to others

	verdicts []kube.Condition
	doubted  map[string]time.Time // since when a verdict is Unknown
	changed  time.Time            // when a verdict began to differ from what is shown; zero if none does
	wrote    time.Time            // the last try
	chances  struct{ settle, beat float64 }
	patching kube.Backoff
	notes    notes
}

func newDesk(node string, reasons []reason.Reason, chance func() float64) *desk {
	d := &desk{node: node, reasons: map[reason.ID]reason.Reason{}, chance: chance, asides: map[string]aside{}, doubted: map[string]time.Time{}}
	for _, r := range reasons {
		d.reasons[r.ID] = r
	}
	d.patching, d.notes = newBackoff(chance), newNotes(chance)
	d.chances.settle, d.chances.beat = chance(), chance()
	return d
}

// hold takes in what holds on the node.
func (d *desk) hold(p evidence.Picture, now time.Time) {
	d.picture = p
	d.verdicts = judge(p, d.reasons)
	for _, v := range d.verdicts {
		if v.Status != kube.Unknown {
			delete(d.doubted, v.Type)
		} else if d.doubted[v.Type].IsZero() {
			d.doubted[v.Type] = now
		}
	}
	d.notes.hold(p, d.reasons)
}

// see takes in what the API server shows.
func (d *desk) see(seen kube.Seen, now time.Time) {
	if seen.Node == nil {
		d.shown = nil
		return
	}
	d.shown = seen.Node
	found := managedfields.Others(seen.Node.Metadata.ManagedFields)
	maps.DeleteFunc(found, func(kind string, _ managedfields.Writer) bool {
		return !slices.Contains(reason.Conditions, reason.Condition(kind))
	})
	standAside(d.asides, found, seen.First, now)
	d.notes.standAside(d.asides)
}

// patch is what conditions are to be written now, and if none, when to ask again; zero is when something else happens.
func (d *desk) patch(now time.Time) (due []kube.Condition, next time.Time) {
	if d.shown == nil || d.verdicts == nil {
		return nil, time.Time{}
	}
	written := d.ours(now, &next)
	at := d.when(written, now)
	if at.IsZero() {
		return nil, next
	}
	if at.After(now) {
		return nil, sooner(next, at)
	}
	for _, verdict := range written {
		shown, _ := d.shown.Condition(verdict.Type)
		due = append(due, dated(verdict, shown, now))
	}
	return due, time.Time{}
}

// ours are the verdicts that may be written now; next becomes when there are more, if that is sooner.
func (d *desk) ours(now time.Time, next *time.Time) []kube.Condition {
	var ours []kube.Condition
	for _, verdict := range d.verdicts {
		free := time.Time{}
		if a, is := d.asides[verdict.Type]; is {
			free = a.seen.Add(silence)
		}
		if since, is := d.doubted[verdict.Type]; is {
			if shown, _ := d.shown.Condition(verdict.Type); shown.Status != kube.Unknown && since.Add(doubt).After(free) {
				free = since.Add(doubt)
			}
		}
		if free.After(now) {
			*next = sooner(*next, free)
			continue
		}
		ours = append(ours, verdict)
	}
	return ours
}

// when is when the conditions are to be written: soon if one says something new, else with the next heartbeat.
func (d *desk) when(ours []kube.Condition, now time.Time) time.Time {
	if len(ours) == 0 {
		return time.Time{}
	}
	var at time.Time
	differs := false
	for _, verdict := range ours {
		shown, _ := d.shown.Condition(verdict.Type)
		differs = differs || !says(verdict, shown)
		beat := shown.LastHeartbeatTime
		if beat.After(now.Add(reason.Heartbeat)) {
			beat = now.Add(-reason.Heartbeat) // the node's clock was put back
		}
		if !beat.IsZero() {
			at = sooner(at, beat.Add(time.Duration((0.9+0.2*d.chances.beat)*float64(reason.Heartbeat))))
		}
	}
	if !differs {
		d.changed = time.Time{}
	} else {
		if d.changed.IsZero() {
			d.changed = now
		}
		at = sooner(at, d.changed.Add(settle+time.Duration(d.chances.settle*float64(settle))))
	}
	return latest(latest(at, d.patching.Until), d.wrote.Add(gap))
}

// patched takes in how the writing of conditions went.
func (d *desk) patched(answer *kube.Node, err error, now time.Time) {
	d.wrote = now
	d.chances.settle, d.chances.beat = d.chance(), d.chance()
	if err != nil {
		d.patching.Failed(now, err)
		return
	}
	d.patching.Succeeded()
	d.changed = time.Time{}
	d.see(kube.Seen{Node: answer}, now)
}

// sooner is the earlier of two times that are not zero.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

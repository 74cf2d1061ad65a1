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
	// settle is for how long a change is delayed, so that what is found at the same time is written together; as much again, at random,
	// spreads the writes of nodes that found it at the same time.
	settle = time.Second
	// gap is the least time between two writes of flapping conditions.
	gap = 10 * time.Second
	// unknownDelay is how long it must be unknown whether a reason stands before the condition becomes Unknown: a restarted agent has not
	// looked yet, and repairers count the time of a condition that leaves False anew.
	unknownDelay = time.Minute
)

// planner decides what is to be written and when. It makes no requests, and is given the time.
type planner struct {
	node    string
	reasons map[reason.ID]reason.Reason
	random  func() float64

	snapshot     evidence.Snapshot
	shown        *kube.Node             // the Node as the API server has it, nil if that is unknown
	otherWriters map[string]otherWriter // by the conditions that are left to them

	verdicts     []kube.Condition
	unknownSince map[string]time.Time // since when a verdict is Unknown
	changed      time.Time            // when a verdict began to differ from what is shown; zero if none does
	wrote        time.Time            // the last try
	jitter       struct{ settle, beat float64 }
	patching     kube.Backoff
	events       eventQueue
}

func newPlanner(node string, reasons []reason.Reason, random func() float64) *planner {
	p := &planner{node: node, reasons: map[reason.ID]reason.Reason{}, random: random, otherWriters: map[string]otherWriter{}, unknownSince: map[string]time.Time{}}
	for _, r := range reasons {
		p.reasons[r.ID] = r
	}
	p.patching, p.events = newBackoff(random), newEventQueue(random)
	p.jitter.settle, p.jitter.beat = random(), random()
	return p
}

// update sets the state of the reasons.
func (p *planner) update(snapshot evidence.Snapshot, now time.Time) {
	p.snapshot = snapshot
	p.verdicts = judge(snapshot, p.reasons)
	for _, v := range p.verdicts {
		if v.Status != kube.Unknown {
			delete(p.unknownSince, v.Type)
		} else if p.unknownSince[v.Type].IsZero() {
			p.unknownSince[v.Type] = now
		}
	}
	p.events.update(snapshot, p.reasons)
}

// observe sets the Node as the API server has it.
func (p *planner) observe(seen kube.Seen, now time.Time) {
	if seen.Node == nil {
		p.shown = nil
		return
	}
	p.shown = seen.Node
	found := managedfields.Others(seen.Node.Metadata.ManagedFields)
	maps.DeleteFunc(found, func(kind string, _ managedfields.Writer) bool {
		return !slices.Contains(reason.Conditions, reason.Condition(kind))
	})
	updateOtherWriters(p.otherWriters, found, seen.First, now)
	p.events.updateOtherWriters(p.otherWriters)
}

// due is which conditions are to be written now; if there are none, next is when there are, zero if not before an update.
func (p *planner) due(now time.Time) (due []kube.Condition, next time.Time) {
	if p.shown == nil || p.verdicts == nil {
		return nil, time.Time{}
	}
	written := p.writable(now, &next)
	at := p.dueAt(written, now)
	if at.IsZero() {
		return nil, next
	}
	if at.After(now) {
		return nil, sooner(next, at)
	}
	for _, verdict := range written {
		shown, _ := p.shown.Condition(verdict.Type)
		due = append(due, dated(verdict, shown, now))
	}
	return due, time.Time{}
}

// writable are the verdicts that may be written now; next is lowered to when there are more.
func (p *planner) writable(now time.Time, next *time.Time) []kube.Condition {
	var writable []kube.Condition
	for _, verdict := range p.verdicts {
		free := time.Time{}
		if a, is := p.otherWriters[verdict.Type]; is {
			free = a.seen.Add(silence)
		}
		if since, is := p.unknownSince[verdict.Type]; is {
			if shown, _ := p.shown.Condition(verdict.Type); shown.Status != kube.Unknown && since.Add(unknownDelay).After(free) {
				free = since.Add(unknownDelay)
			}
		}
		if free.After(now) {
			*next = sooner(*next, free)
			continue
		}
		writable = append(writable, verdict)
	}
	return writable
}

// dueAt is when the conditions are to be written: soon if one has changed, else with the next heartbeat.
func (p *planner) dueAt(writable []kube.Condition, now time.Time) time.Time {
	if len(writable) == 0 {
		return time.Time{}
	}
	var at time.Time
	differs := false
	for _, verdict := range writable {
		shown, _ := p.shown.Condition(verdict.Type)
		differs = differs || !says(verdict, shown)
		beat := shown.LastHeartbeatTime
		if beat.After(now.Add(reason.Heartbeat)) {
			beat = now.Add(-reason.Heartbeat) // the node's clock was set back
		}
		if !beat.IsZero() {
			at = sooner(at, beat.Add(time.Duration((0.9+0.2*p.jitter.beat)*float64(reason.Heartbeat))))
		}
	}
	if !differs {
		p.changed = time.Time{}
	} else {
		if p.changed.IsZero() {
			p.changed = now
		}
		at = sooner(at, p.changed.Add(settle+time.Duration(p.jitter.settle*float64(settle))))
	}
	return latest(latest(at, p.patching.Until), p.wrote.Add(gap))
}

// written records the result of writing conditions.
func (p *planner) written(answer *kube.Node, err error, now time.Time) {
	p.wrote = now
	p.jitter.settle, p.jitter.beat = p.random(), p.random()
	if err != nil {
		p.patching.Failed(now, err)
		return
	}
	p.patching.Succeeded()
	p.changed = time.Time{}
	p.observe(kube.Seen{Node: answer}, now)
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

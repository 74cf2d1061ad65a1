package evidence

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// maxEntities bounds the entities of one reason: a flood of segfaults names any number of processes. The one with the oldest evidence is
// evicted.
const maxEntities = 64

// Store aggregates evidence. It is safe for concurrent use.
type Store struct {
	mu       sync.Mutex // guards what byReason points to
	reasons  map[reason.ID]reason.Reason
	byReason map[reason.ID]*reasonEvidence
	// drill is the nonce of the drill whose evidence is added; empty adds evidence of real faults alone.
	drill string
}

// reasonEvidence is the evidence of one reason.
type reasonEvidence struct {
	reason   reason.Reason
	entities map[string]*entityEvidence
	// unavailable is Inapplicable or Unreadable where the last evidence was that, else empty; cause is why.
	unavailable State
	cause       string
	// reported says that there was evidence other than Inapplicable, which only a host has that the reason applies to.
	reported bool
	// until is when the result of the last look expires; zero if there was none.
	until time.Time
}

// NewStore makes an empty Store for some reasons. Evidence of others is ignored.
func NewStore(reasons []reason.Reason) *Store {
	b := &Store{reasons: map[reason.ID]reason.Reason{}, byReason: map[reason.ID]*reasonEvidence{}}
	for _, r := range reasons {
		if r.Severity == reason.Off {
			continue
		}
		b.reasons[r.ID] = r
		b.byReason[r.ID] = &reasonEvidence{reason: r, entities: map[string]*entityEvidence{}}
	}
	return b
}

// NewDrillStore makes an empty Store for the evidence of one drill, by its nonce.
func NewDrillStore(reasons []reason.Reason, nonce string) *Store {
	b := NewStore(reasons)
	b.drill = nonce
	return b
}

// Add adds evidence. That of a drill is added only to the Store of that drill.
func (b *Store) Add(e Evidence) {
	p := b.byReason[e.Reason]
	if p == nil || e.Drill != b.drill {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p.reported = p.reported || e.State != Inapplicable
	switch e.State {
	case Inapplicable, Unreadable:
		p.unavailable, p.cause = e.State, e.Raw
		if e.State == Inapplicable {
			clear(p.entities)
		}
		return
	case Readable:
	case Fault:
		p.addFault(e)
	case Well:
		p.addWell(e)
	}
	p.unavailable, p.cause, p.until = "", "", later(p.until, e.Until)
}

func (p *reasonEvidence) addFault(e Evidence) {
	entry := p.entity(e.Entity)
	if p.reason.Polled() {
		entry.addLook(e, p.reason.Needs.For)
	} else {
		entry.addOccurrence(e, p.reason.Needs)
	}
	entry.last, entry.source, entry.raw = later(entry.last, e.At), e.Source, e.Raw
	entry.count++
}

// addWell clears the entity that was found well, or, without an entity, every one that the same look did not find faulty.
func (p *reasonEvidence) addWell(e Evidence) {
	maps.DeleteFunc(p.entities, func(name string, entry *entityEvidence) bool {
		if e.Entity != "" && e.Entity != name || e.Entity == "" && entry.last.Equal(e.At) {
			return false
		}
		return entry.addWellLook(e.At, p.reason.Clears.For)
	})
}

func (p *reasonEvidence) entity(name string) *entityEvidence {
	if found := p.entities[name]; found != nil {
		return found
	}
	if len(p.entities) >= maxEntities {
		delete(p.entities, p.leastRecent())
	}
	p.entities[name] = &entityEvidence{}
	return p.entities[name]
}

// leastRecent is the entity with the oldest evidence, by name where several have.
func (p *reasonEvidence) leastRecent() string {
	var oldest string
	var last time.Time
	for name, entry := range p.entities {
		if older := entry.last.Compare(last); last.IsZero() || older < 0 || older == 0 && name < oldest {
			oldest, last = name, entry.last
		}
	}
	return oldest
}

// Snapshot is the state of all reasons now. It drops evidence that has expired.
func (b *Store) Snapshot(now time.Time) Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	snapshot := Snapshot{At: now}
	for _, id := range slices.Sorted(maps.Keys(b.byReason)) {
		b.byReason[id].appendTo(&snapshot)
	}
	return snapshot
}

func (p *reasonEvidence) appendTo(snapshot *Snapshot) {
	id := p.reason.ID
	if p.unavailable == Inapplicable {
		snapshot.Inapplicable = append(snapshot.Inapplicable, id)
		return
	}
	if !p.reported && len(p.entities) == 0 {
		snapshot.Unreported = append(snapshot.Unreported, id)
	}
	expired := p.reason.Polled() && !snapshot.At.Before(p.until)
	if expired {
		clear(p.entities)
	} else if p.reason.Polled() {
		snapshot.changesBy(p.until)
	}
	if why := p.unknownCause(expired); why != "" {
		snapshot.Unknown = append(snapshot.Unknown, Gap{Reason: id, Why: why})
	}
	for _, name := range slices.Sorted(maps.Keys(p.entities)) {
		entry := p.entities[name]
		end := entry.expiry(p.reason)
		if !end.IsZero() && !snapshot.At.Before(end) {
			delete(p.entities, name)
			continue
		}
		if entry.since.IsZero() {
			continue
		}
		if !end.IsZero() {
			snapshot.changesBy(end)
		}
		snapshot.Standing = append(snapshot.Standing, Standing{
			Reason: id, Entity: name, Since: entry.since, Last: entry.last, Count: entry.count, Source: entry.source, Raw: entry.raw,
		})
	}
}

// unknownCause is why it is unknown whether the reason stands; empty if it is known. expired says that the result of the last look is.
func (p *reasonEvidence) unknownCause(expired bool) string {
	switch {
	case p.unavailable == Unreadable:
		return cmp.Or(p.cause, "it cannot be read")
	case expired && p.until.IsZero():
		return "not looked at yet"
	case expired:
		return "no look since " + p.until.UTC().Format(time.RFC3339)
	}
	return ""
}

// changesBy notes that the snapshot changes at a time, at the latest.
func (p *Snapshot) changesBy(at time.Time) {
	if p.ChangesAt.IsZero() || at.Before(p.ChangesAt) {
		p.ChangesAt = at
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

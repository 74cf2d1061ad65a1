package evidence

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// maxEntities bounds what is kept of one reason: a flood of segfaults names processes without end. The entity longest
// unseen gives way.
const maxEntities = 64

// Book keeps the evidence there is. It is not safe for concurrent use.
type Book struct {
	reasons map[reason.ID]reason.Reason
	pages   map[reason.ID]*page
	// drill is whose evidence it takes; empty is that of no drill.
	drill string
}

// page is the evidence of one reason.
type page struct {
	reason   reason.Reason
	entities map[string]*entry
	// silent is why the reason says nothing: Inapplicable, Unreadable, or empty.
	silent State
	why    string
	// heard says that something was told of it which a host tells that has what it is about.
	heard bool
	// until is when the last look has nothing more to say; zero if there was none.
	until time.Time
}

// NewBook makes an empty Book for some reasons. Evidence of others is not noted.
func NewBook(reasons []reason.Reason) *Book {
	b := &Book{reasons: map[reason.ID]reason.Reason{}, pages: map[reason.ID]*page{}}
	for _, r := range reasons {
		if r.Severity == reason.Off {
			continue
		}
		b.reasons[r.ID] = r
		b.pages[r.ID] = &page{reason: r, entities: map[string]*entry{}}
	}
	return b
}

// NewDrillBook makes an empty Book for the evidence of one drill, by its nonce.
func NewDrillBook(reasons []reason.Reason, nonce string) *Book {
	b := NewBook(reasons)
	b.drill = nonce
	return b
}

// Note takes evidence in. That of a drill makes no reason stand but in that drill's own Book, and is not noted elsewhere.
func (b *Book) Note(e Evidence) {
	p := b.pages[e.Reason]
	if p == nil || e.Drill != b.drill {
		return
	}
	p.heard = p.heard || e.State != Inapplicable
	switch e.State {
	case Inapplicable, Unreadable:
		p.silent, p.why = e.State, e.Raw
		if e.State == Inapplicable {
			clear(p.entities)
		}
		return
	case Readable:
	case Fault:
		p.fault(e)
	case Well:
		p.well(e)
	}
	p.silent, p.why, p.until = "", "", latest(p.until, e.Until)
}

func (p *page) fault(e Evidence) {
	entry := p.entry(e.Entity)
	if p.reason.Looked() {
		entry.found(e, p.reason.Needs.For)
	} else {
		entry.occurred(e, p.reason.Needs)
	}
	entry.last, entry.source, entry.raw = latest(entry.last, e.At), e.Source, e.Raw
	entry.count++
}

// well clears an entity that was found well, or every one that the same look did not find faulty.
func (p *page) well(e Evidence) {
	maps.DeleteFunc(p.entities, func(name string, entry *entry) bool {
		if e.Entity != "" && e.Entity != name || e.Entity == "" && entry.last.Equal(e.At) {
			return false
		}
		return entry.healed(e.At, p.reason.Clears.For)
	})
}

func (p *page) entry(name string) *entry {
	if found := p.entities[name]; found != nil {
		return found
	}
	if len(p.entities) >= maxEntities {
		delete(p.entities, p.stalest())
	}
	p.entities[name] = &entry{}
	return p.entities[name]
}

func (p *page) stalest() string {
	return slices.MinFunc(slices.Collect(maps.Keys(p.entities)), func(a, b string) int {
		return cmp.Or(p.entities[a].last.Compare(p.entities[b].last), cmp.Compare(a, b))
	})
}

// Picture is what holds now. What has been quiet for long enough is forgotten.
func (b *Book) Picture(now time.Time) Picture {
	view := Picture{At: now}
	for _, id := range slices.Sorted(maps.Keys(b.pages)) {
		b.pages[id].show(&view)
	}
	return view
}

func (p *page) show(view *Picture) {
	id := p.reason.ID
	if p.silent == Inapplicable {
		view.Inapplicable = append(view.Inapplicable, id)
		return
	}
	if !p.heard && len(p.entities) == 0 {
		view.Unheard = append(view.Unheard, id)
	}
	old := p.reason.Looked() && !view.At.Before(p.until)
	if old {
		clear(p.entities)
	} else if p.reason.Looked() {
		view.wake(p.until)
	}
	if why := p.unknown(old); why != "" {
		view.Unknown = append(view.Unknown, Gap{Reason: id, Why: why})
	}
	for _, name := range slices.Sorted(maps.Keys(p.entities)) {
		entry := p.entities[name]
		end := entry.end(p.reason)
		if !end.IsZero() && !view.At.Before(end) {
			delete(p.entities, name)
			continue
		}
		if entry.since.IsZero() {
			continue
		}
		if !end.IsZero() {
			view.wake(end)
		}
		view.Standing = append(view.Standing, Standing{
			Reason: id, Entity: name, Since: entry.since, Last: entry.last, Count: entry.count, Source: entry.source, Raw: entry.raw,
		})
	}
}

// unknown is why it is not known whether the reason stands; old says that the last look has nothing more to say.
func (p *page) unknown(old bool) string {
	switch {
	case p.silent == Unreadable:
		return cmp.Or(p.why, "it cannot be read")
	case old && p.until.IsZero():
		return "not looked at yet"
	case old:
		return "no look since " + p.until.UTC().Format(time.RFC3339)
	}
	return ""
}

// wake notes that the picture changes at a time, at the latest.
func (p *Picture) wake(at time.Time) {
	if p.Next.IsZero() || at.Before(p.Next) {
		p.Next = at
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

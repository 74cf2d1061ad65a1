package agent

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Seen is what one look of each monitor saw of a reason, at one entity if it found a fault there.
type Seen struct {
	Condition reason.Condition `json:"condition"`
	Reason    reason.ID        `json:"reason"`
	Severity  reason.Severity  `json:"severity"`
	// State is Fault, Well, Inapplicable or Unreadable. A Fault is one sign of it: not all that a running agent asks for.
	State  evidence.State `json:"state"`
	Entity string         `json:"entity,omitempty"`
	// Count is how often a Fault was seen, and Last when at last: logs tell of earlier ones, too.
	Count int       `json:"count,omitempty"`
	Last  time.Time `json:"last,omitzero"`
	// Source is what was read, Raw the last line or value of it, or why it could not be read. Reads is what is read in
	// general.
	Source string `json:"source,omitempty"`
	Raw    string `json:"raw,omitempty"`
	Reads  string `json:"reads"`
	// ReadsJA is Reads in Japanese, for people.
	ReadsJA string `json:"-"`
}

// Check has every monitor look once, and says what each reason's saw, sorted as the catalogue is. Reasons that are off are
// left out, and those of which a monitor tells nothing before ctx ends are Unreadable.
func Check(ctx context.Context, monitors []monitor.Monitor, reasons []reason.Reason) []Seen {
	s := results{}
	var looking sync.WaitGroup
	for _, m := range monitors {
		looking.Go(func() { s.look(ctx, m) })
	}
	looking.Wait()
	var list []Seen
	for _, r := range reasons {
		if r.Severity != reason.Off {
			list = append(list, s.of(r)...)
		}
	}
	return list
}

// results are what looks told, by reason.
type results struct {
	mu   sync.Mutex
	told map[reason.ID][]result
}

// result is what a monitor told.
type result struct {
	evidence.Evidence
	monitor string
}

func (s *results) look(ctx context.Context, m monitor.Monitor) {
	done := make(chan error, 1)
	go func() { done <- m.Look(ctx, func(e evidence.Evidence) { s.emit(result{e, m.Name()}) }) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err == nil {
		return
	}
	for _, id := range m.Reasons() {
		s.fill(result{evidence.Evidence{Reason: id, State: evidence.Unreadable, Source: m.Name(), Raw: err.Error()}, m.Name()})
	}
}

func (s *results) emit(e result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told = map[reason.ID][]result{}
	}
	s.told[e.Reason] = append(s.told[e.Reason], e)
}

// fill tells of a reason of which nothing was told.
func (s *results) fill(e result) {
	s.mu.Lock()
	nothing := len(s.told[e.Reason]) == 0
	s.mu.Unlock()
	if nothing {
		s.emit(e)
	}
}

func (s *results) of(r reason.Reason) []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	base := Seen{Condition: r.Condition, Reason: r.ID, Severity: r.Severity, Reads: r.Reads, ReadsJA: r.ReadsJA, State: evidence.Unreadable, Raw: "no monitor looks at it"}
	faults := map[string]*Seen{}
	unreadable := "" // the monitor that says so
	for _, e := range s.told[r.ID] {
		if e.State != evidence.Fault {
			if unreadable != "" && unreadable != e.monitor {
				continue // What one monitor cannot read, another has not read for it.
			}
			if unreadable = ""; e.State == evidence.Unreadable {
				unreadable = e.monitor
			}
			base.State, base.Source, base.Raw = e.State, e.Source, e.Raw
			continue
		}
		if faults[e.Entity] == nil {
			faults[e.Entity] = &Seen{Condition: r.Condition, Reason: r.ID, Severity: r.Severity, Reads: r.Reads, ReadsJA: r.ReadsJA, State: evidence.Fault, Entity: e.Entity}
		}
		seen := faults[e.Entity]
		seen.Count, seen.Last, seen.Source, seen.Raw = seen.Count+1, e.At, e.Source, e.Raw
	}
	if base.State == evidence.Readable {
		base.State = evidence.Well
	}
	if len(faults) == 0 {
		return []Seen{base}
	}
	var list []Seen
	for _, seen := range faults {
		list = append(list, *seen)
	}
	slices.SortFunc(list, func(a, b Seen) int { return cmp.Compare(a.Entity, b.Entity) })
	return list
}

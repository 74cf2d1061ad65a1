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

// Seen is the result of one look of each monitor for one reason and, if there was a fault, one entity.
type Seen struct {
	Condition reason.Condition `json:"condition"`
	Reason    reason.ID        `json:"reason"`
	Severity  reason.Severity  `json:"severity"`
	// State is Fault, Well, Inapplicable or Unreadable. One Fault is less evidence than a running agent may need for the reason to stand.
	State  evidence.State `json:"state"`
	Entity string         `json:"entity,omitempty"`
	// Count is the number of Faults, and Last the time of the last one: logs have earlier ones, too.
	Count int       `json:"count,omitempty"`
	Last  time.Time `json:"last,omitzero"`
	// Source is what was read, Raw the last line or value of it, or why it could not be read. Reads is the catalogue's description of
	// what is read.
	Source string `json:"source,omitempty"`
	Raw    string `json:"raw,omitempty"`
	Reads  string `json:"reads"`
	// ReadsJA is Reads in Japanese, for people.
	ReadsJA string `json:"-"`
}

// Check has every monitor look once, and returns the results for each reason, in the order of the catalogue. Reasons that are off are left
// out, and those of which a monitor emits nothing before ctx ends are Unreadable.
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
			list = append(list, s.seenOf(r)...)
		}
	}
	return list
}

// results are the evidence of looks, by reason.
type results struct {
	mu      sync.Mutex
	emitted map[reason.ID][]result
}

// result is evidence of one monitor.
type result struct {
	evidence.Evidence
	monitor string
}

func (s *results) look(ctx context.Context, m monitor.Monitor) {
	done := make(chan error, 1)
	go func() { done <- m.Look(ctx, func(e evidence.Evidence) { s.add(result{e, m.Name()}) }) }()
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

func (s *results) add(e result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emitted == nil {
		s.emitted = map[reason.ID][]result{}
	}
	s.emitted[e.Reason] = append(s.emitted[e.Reason], e)
}

// fill adds evidence of a reason that has none.
func (s *results) fill(e result) {
	s.mu.Lock()
	nothing := len(s.emitted[e.Reason]) == 0
	s.mu.Unlock()
	if nothing {
		s.add(e)
	}
}

func (s *results) seenOf(r reason.Reason) []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	base := Seen{Condition: r.Condition, Reason: r.ID, Severity: r.Severity, Reads: r.Reads, ReadsJA: r.ReadsJA, State: evidence.Unreadable, Raw: "no monitor looks at it"}
	faults := map[string]*Seen{}
	unreadable := "" // the monitor that could not read it
	for _, e := range s.emitted[r.ID] {
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

package evidence

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// entry is the evidence about one entity.
type entityEvidence struct {
	// times are the last occurrences, as many as the reason needs, oldest first; of looks the first of an unbroken row.
	times []time.Time
	// since is when the evidence began on which the reason stands, zero if it does not stand.
	since time.Time
	// well is since when looks find a standing fault gone.
	well        time.Time
	last        time.Time
	count       int
	source, raw string
}

// found is one more look that found the fault.
func (e *entityEvidence) addLook(now Evidence, lasting time.Duration) {
	e.well = time.Time{}
	if len(e.times) == 0 {
		e.times = []time.Time{now.At}
	}
	if e.since.IsZero() && now.At.Sub(e.times[0]) >= lasting {
		e.since = e.times[0]
	}
}

// occurred is one more occurrence.
func (e *entityEvidence) addOccurrence(now Evidence, needs reason.Needs) {
	e.times = append(e.times, now.At)
	if extra := len(e.times) - needs.Count; extra > 0 {
		e.times = append(e.times[:0], e.times[extra:]...)
	}
	if e.since.IsZero() && len(e.times) == needs.Count && now.At.Sub(e.times[0]) <= needs.Within {
		e.since = e.times[0]
	}
}

// healed is a look that found no fault; it says whether nothing is left of the entry.
func (e *entityEvidence) lookedWell(at time.Time, lasting time.Duration) bool {
	if e.since.IsZero() {
		return true
	}
	if e.well.IsZero() {
		e.well = at
	}
	return at.Sub(e.well) >= lasting
}

// end is when nothing is left of occurrences. Looks take theirs back themselves, or grow old as a whole.
func (e *entityEvidence) expiry(r reason.Reason) time.Time {
	switch {
	case r.Looked():
		return time.Time{}
	case e.since.IsZero():
		return e.last.Add(r.Needs.Within)
	}
	return e.last.Add(r.Clears.Quiet)
}

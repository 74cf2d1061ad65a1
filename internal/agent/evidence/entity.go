package evidence

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// entityEvidence is the evidence of one reason about one entity.
type entityEvidence struct {
	// times are, of a reason that occurrences tell, the last ones, oldest first, at most as many as it needs; of one that looks tell, the
	// time of the first of those that found the fault without a break.
	times []time.Time
	// since is when the evidence began that makes the reason stand; zero if it does not stand.
	since time.Time
	// well is when the first look no longer found the fault of a reason that stands; zero if the last look found it.
	well        time.Time
	last        time.Time
	count       int
	source, raw string
}

// addLook adds a look that found the fault; lasting is for how long looks must find it until the reason stands.
func (e *entityEvidence) addLook(now Evidence, lasting time.Duration) {
	e.well = time.Time{}
	if len(e.times) == 0 {
		e.times = []time.Time{now.At}
	}
	if e.since.IsZero() && now.At.Sub(e.times[0]) >= lasting {
		e.since = e.times[0]
	}
}

// addOccurrence adds an occurrence of the fault.
func (e *entityEvidence) addOccurrence(now Evidence, needs reason.Needs) {
	e.times = append(e.times, now.At)
	if extra := len(e.times) - needs.Count; extra > 0 {
		e.times = append(e.times[:0], e.times[extra:]...)
	}
	if e.since.IsZero() && len(e.times) == needs.Count && now.At.Sub(e.times[0]) <= needs.Within {
		e.since = e.times[0]
	}
}

// addWellLook adds a look that found no fault; lasting is for how long looks must find none until the reason is cleared. It returns whether
// it is.
func (e *entityEvidence) addWellLook(at time.Time, lasting time.Duration) bool {
	if e.since.IsZero() {
		return true
	}
	if e.well.IsZero() {
		e.well = at
	}
	return at.Sub(e.well) >= lasting
}

// expiry is when the evidence of occurrences is dropped; zero of looks, whose evidence is cleared by a later look, or expires for all
// entities at once (reasonEvidence.until).
func (e *entityEvidence) expiry(r reason.Reason) time.Time {
	switch {
	case r.Polled():
		return time.Time{}
	case e.since.IsZero():
		return e.last.Add(r.Needs.Within)
	}
	return e.last.Add(r.Clears.Quiet)
}

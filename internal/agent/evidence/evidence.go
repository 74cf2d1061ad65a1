// Package evidence weighs what monitors tell: it counts and times evidence by reason and entity, and says what stands.
package evidence

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// State is what a piece of evidence says of its reason.
type State string

const (
	// Fault is a sign of the fault, or a look that found it.
	Fault State = "Fault"
	// Well is a look that found no fault: at the entity, or, without one, anywhere but where a Fault of the same time is. Of an
	// occurrence it is another that ended it.
	Well State = "Well"
	// Inapplicable says that this host has nothing that the reason is about.
	Inapplicable State = "Inapplicable"
	// Unreadable says that what the reason is about could not be read; Raw says why.
	Unreadable State = "Unreadable"
	// Readable takes Unreadable and Inapplicable back, and says nothing of the fault: a log is there again.
	Readable State = "Readable"
)

// Evidence is what a monitor tells.
type Evidence struct {
	Reason reason.ID
	Entity string
	State  State
	At     time.Time
	// Until is when a look has nothing more to say: the monitor should long have looked again. Zero for occurrences.
	Until time.Time
	// Source is what was read ("kernel log", "/proc/loadavg"), Raw the line or value itself.
	Source, Raw string
	// Drill is the nonce of the drill that it is of. Such evidence never makes a reason stand on the node.
	Drill string
}

// Standing is a reason with evidence enough.
type Standing struct {
	Reason reason.ID
	Entity string
	// Since is when the evidence began, Last when it was last seen, Count how often.
	Since, Last time.Time
	Count       int
	// Source and Raw are the last evidence's.
	Source, Raw string
}

// Gap is a reason of which it is not known whether it stands.
type Gap struct {
	Reason reason.ID
	Why    string
}

// Snapshot is what holds at a moment.
type Snapshot struct {
	At time.Time
	// Standing is sorted by reason and entity, Unknown, Inapplicable and Unheard by reason.
	Standing     []Standing
	Unknown      []Gap
	Inapplicable []reason.ID
	// Unheard are reasons of which nobody has told anything yet, and it is not known whether they are any matter here.
	Unreported []reason.ID
	// Next is when the snapshot changes though nothing more is told. Zero if it does not.
	ChangesAt time.Time
}

// Package evidence aggregates what monitors emit: it counts and times evidence by reason and entity, and decides which reasons stand. A reason
// stands for an entity from when there is as much evidence as the catalogue wants until it is cleared or expires.
package evidence

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// State is what a piece of evidence says of its reason.
type State string

const (
	// Fault is an occurrence of the fault, such as a log line, or a look that found it.
	Fault State = "Fault"
	// Well is a look that found no fault at the entity, or, without an entity, at none but those with a Fault of the same time. For a reason
	// that log lines tell, it is a line that says that the fault has ended.
	Well State = "Well"
	// Inapplicable says that this host has nothing that the reason is about: no kubelet, say.
	Inapplicable State = "Inapplicable"
	// Unreadable says that what the reason is about could not be read; Raw says why.
	Unreadable State = "Unreadable"
	// Readable revokes Unreadable and Inapplicable without saying whether there is a fault: a log can be read again.
	Readable State = "Readable"
)

// Evidence is one observation of a monitor.
type Evidence struct {
	Reason reason.ID
	Entity string
	State  State
	At     time.Time
	// Until is when the result of a look expires, by when the monitor should have looked again. Zero for occurrences.
	Until time.Time
	// Source is what was read ("kernel log", "/proc/loadavg"), Raw the line or value itself.
	Source, Raw string
	// Drill is the nonce of the drill that made the fault; empty of a real one. Evidence of a drill never makes a reason stand on the node.
	Drill string
}

// Standing is a reason that stands for an entity: there is as much evidence as it needs.
type Standing struct {
	Reason reason.ID
	Entity string
	// Since is when the evidence began, Last when it was last seen, Count how often.
	Since, Last time.Time
	Count       int
	// Source and Raw are the last evidence's.
	Source, Raw string
}

// Gap is a reason of which it is unknown whether it stands.
type Gap struct {
	Reason reason.ID
	Why    string
}

// Snapshot is the state of all reasons at one time.
type Snapshot struct {
	At time.Time
	// Standing is sorted by reason and entity; Unknown, Inapplicable and Unreported by reason.
	Standing     []Standing
	Unknown      []Gap
	Inapplicable []reason.ID
	// Unreported are reasons of which no monitor has emitted evidence yet, so that it is not known either whether they apply to this host.
	Unreported []reason.ID
	// ChangesAt is when the snapshot changes without further evidence, because some expires; zero if it does not.
	ChangesAt time.Time
}

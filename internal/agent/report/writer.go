package report

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// silence is for how long another writer of a condition must have written nothing before this agent writes it:
// three heartbeats, which the EKS agent and node-problem-detector write as often as this one.
const silence = 3 * reason.Heartbeat

// otherWriter is another agent that writes a condition, for which this agent leaves it alone.
type otherWriter struct {
	managedfields.Writer
	// since is when this agent began to leave it alone, seen when the other was last seen to have written, by the node's clock.
	since, seen time.Time
}

// updateOtherWriters updates which conditions others write. first says that the watch was just opened: while there was no watch the others may not
// have been able to write either, so that their silence counts from now.
func updateOtherWriters(otherWriters map[string]otherWriter, found map[string]managedfields.Writer, first bool, now time.Time) {
	for kind := range otherWriters {
		if _, is := found[kind]; !is {
			delete(otherWriters, kind)
		}
	}
	for kind, who := range found {
		a, known := otherWriters[kind]
		if !known {
			a.since = now
		}
		switch {
		case !known && now.After(who.At):
			a.seen = who.At
		case !known, a.Writer != who, first:
			a.seen = now
		}
		a.Writer = who
		otherWriters[kind] = a
	}
}

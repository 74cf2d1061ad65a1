package report

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// silence is how long another writer of a condition must have written nothing before the agent takes the condition up:
// three heartbeats, which the EKS agent and node-problem-detector write as often as this one.
const silence = 3 * reason.Heartbeat

// otherWriter is why the agent leaves a condition alone.
type otherWriter struct {
	managedfields.Writer
	// since is when the agent began to, and seen when the writer was last seen to have written, by the node's clock.
	since, seen time.Time
}

// updateOtherWriters brings up to date which conditions others write. First says that the watch was just opened: what the others
// did not write meanwhile they may not have been able to.
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

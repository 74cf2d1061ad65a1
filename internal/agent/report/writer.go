package report

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// writer is who else writes a condition.
type writer struct {
	manager string
	// at is when it last wrote anything to the node's status, by the API server's clock.
	at time.Time
}

// others are the conditions that managers other than the agent wrote last, by type. Whoever owns a condition's heartbeat,
// reason or message wrote them last: the agent's own writes change the first each time, and the others if they are not
// alike, and the API server takes what is changed from whom it belonged to
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management). A status that both agree on may
// stay the other's for ever.
func others(fields []kube.ManagedField) map[string]writer {
	found := map[string]writer{}
	for _, field := range fields {
		if field.Manager == kube.Manager || field.Subresource != "status" {
			continue
		}
		for _, kind := range written(field.FieldsV1) {
			if field.Time.After(found[kind].at) || found[kind].manager == "" {
				found[kind] = writer{manager: field.Manager, at: field.Time}
			}
		}
	}
	return found
}

// Own are the types of the conditions that the agent wrote last, by a Node's managed fields, in the order of reason.Conditions:
// it has their heartbeat, reason or message, and no other manager has any of these.
func Own(fields []kube.ManagedField) []reason.Condition {
	mine := map[string]bool{}
	for _, field := range fields {
		if field.Manager == kube.Manager && field.Subresource == "status" {
			for _, kind := range written(field.FieldsV1) {
				mine[kind] = true
			}
		}
	}
	var own []reason.Condition
	for _, kind := range reason.Conditions {
		if _, left := others(fields)[string(kind)]; mine[string(kind)] && !left {
			own = append(own, kind)
		}
	}
	return own
}

// written are the types of the conditions whose heartbeat, reason or message is in a set of fields.
func written(fields json.RawMessage) []string {
	var set struct {
		Status struct {
			Conditions map[string]json.RawMessage `json:"f:conditions"`
		} `json:"f:status"`
	}
	if json.Unmarshal(fields, &set) != nil {
		return nil
	}
	var kinds []string
	for key, raw := range set.Status.Conditions {
		var condition struct{ Type string }
		var leaves map[string]json.RawMessage
		of, is := strings.CutPrefix(key, "k:")
		if !is || json.Unmarshal([]byte(of), &condition) != nil || json.Unmarshal(raw, &leaves) != nil {
			continue
		}
		for _, leaf := range []string{"f:lastHeartbeatTime", "f:reason", "f:message"} {
			if leaves[leaf] != nil {
				kinds = append(kinds, condition.Type)
				break
			}
		}
	}
	return kinds
}

// silence is how long another writer of a condition must have written nothing before the agent takes the condition up:
// three heartbeats, which the EKS agent and node-problem-detector write as often as this one.
const silence = 3 * reason.Heartbeat

// aside is why the agent leaves a condition alone.
type aside struct {
	writer
	// since is when the agent began to, and seen when the writer was last seen to have written, by the node's clock.
	since, seen time.Time
}

// standAside brings up to date which conditions others write. First says that the watch was just opened: what the others
// did not write meanwhile they may not have been able to.
func standAside(asides map[string]aside, found map[string]writer, first bool, now time.Time) {
	for kind := range asides {
		if _, is := found[kind]; !is {
			delete(asides, kind)
		}
	}
	for kind, who := range found {
		a, known := asides[kind]
		if !known {
			a.since = now
		}
		switch {
		case !known && now.After(who.at):
			a.seen = who.at
		case !known, a.writer != who, first:
			a.seen = now
		}
		a.writer = who
		asides[kind] = a
	}
}

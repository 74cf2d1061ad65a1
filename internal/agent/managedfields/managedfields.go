// Package managedfields tells by a Node's managed fields who wrote its conditions last: the agent, or another that writes the same.
package managedfields

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Agent is the agent's name as the API server keeps it beside each field that the agent wrote.
const Agent = "naosu-agent"

// Field says what a manager wrote, and when it did last
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
type Field struct {
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource"`
	Time        time.Time       `json:"time"`
	FieldsV1    json.RawMessage `json:"fieldsV1"`
}

// Writer is who else writes a condition.
type Writer struct {
	Manager string
	// At is when it last wrote anything to the node's status, by the API server's clock.
	At time.Time
}

// Others are the conditions that managers other than the agent wrote last, by type. Whoever owns a condition's heartbeat,
// reason or message wrote them last: the agent's own writes change the first each time, and the others if they are not
// alike, and the API server takes what is changed from whom it belonged to
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management). A status that both agree on may
// stay the other's for ever.
func Others(fields []Field) map[string]Writer {
	found := map[string]Writer{}
	for _, field := range fields {
		if field.Manager == Agent || field.Subresource != "status" {
			continue
		}
		for _, kind := range written(field.FieldsV1) {
			if field.Time.After(found[kind].At) || found[kind].Manager == "" {
				found[kind] = Writer{Manager: field.Manager, At: field.Time}
			}
		}
	}
	return found
}

// Own are the types of the conditions that the agent wrote last, by a Node's managed fields, in the order of reason.Conditions:
// it has their heartbeat, reason or message, and no other manager has any of these.
func Own(fields []Field) []reason.Condition {
	mine := map[string]bool{}
	for _, field := range fields {
		if field.Manager == Agent && field.Subresource == "status" {
			for _, kind := range written(field.FieldsV1) {
				mine[kind] = true
			}
		}
	}
	var own []reason.Condition
	for _, kind := range reason.Conditions {
		if _, left := Others(fields)[string(kind)]; mine[string(kind)] && !left {
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

package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

var start = time.Date(2026, 11, 21, 17, 40, 0, 0, time.UTC)

// reasons have two fatal ones of one condition, a warning of the same, and one fatal one of another.
var reasons = []reason.Reason{
	{ID: "Down", Condition: reason.NetworkingReady, Severity: reason.Fatal},
	{ID: "Gone", Condition: reason.NetworkingReady, Severity: reason.Fatal},
	{ID: "Slow", Condition: reason.NetworkingReady, Severity: reason.Warning},
	{ID: "ReadOnly", Condition: reason.StorageReady, Severity: reason.Fatal},
	{ID: "Panicky", Condition: reason.KernelReady, Severity: reason.Fatal},
	{ID: "Dead", Condition: reason.ContainerRuntimeReady, Severity: reason.Fatal},
}

func byID(reasons []reason.Reason) map[reason.ID]reason.Reason {
	m := map[reason.ID]reason.Reason{}
	for _, r := range reasons {
		m[r.ID] = r
	}
	return m
}

// stands is a reason that began to stand some seconds after the start.
func stands(id reason.ID, entity string, seconds int, raw string) evidence.Standing {
	since := start.Add(time.Duration(seconds) * time.Second)
	return evidence.Standing{Reason: id, Entity: entity, Since: since, Last: since, Count: 1, Raw: raw}
}

func TestJudge(t *testing.T) {
	for name, tc := range map[string]struct {
		snapshot evidence.Snapshot
		reasons  []reason.Reason
		want     string // of NetworkingReady: status, reason, message
	}{
		"nothing stands": {want: "True NoFault: none of 2 fatal reasons stands"},
		"a fatal reason": {
			snapshot: evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 1, "eth1 is down")}},
			want:     "False Down: Down eth1 since 2026-11-21T17:40:01Z: eth1 is down",
		},
		"the longest standing first": {
			snapshot: evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 2, "a"), stands("Down", "eth2", 3, "b"), stands("Gone", "", 1, "c")}},
			want:     "False Gone: Gone since 2026-11-21T17:40:01Z: c\nDown eth1 since 2026-11-21T17:40:02Z: a\nDown eth2 since 2026-11-21T17:40:03Z: b",
		},
		"a warning": {
			snapshot: evidence.Snapshot{Standing: []evidence.Standing{stands("Slow", "", 1, "a")}},
			want:     "True NoFault: none of 2 fatal reasons stands",
		},
		"another condition's reason": {
			snapshot: evidence.Snapshot{Standing: []evidence.Standing{stands("ReadOnly", "/", 1, "a")}, Unknown: []evidence.Gap{{Reason: "Panicky", Why: "x"}}},
			want:     "True NoFault: none of 2 fatal reasons stands",
		},
		"silence is not health": {
			snapshot: evidence.Snapshot{Unknown: []evidence.Gap{{Reason: "Down", Why: "netlink: permission\ndenied"}, {Reason: "Slow", Why: "x"}}},
			want:     "Unknown NotKnown: Down unknown: netlink: permission denied",
		},
		"what stands outweighs what is not known": {
			snapshot: evidence.Snapshot{Standing: []evidence.Standing{stands("Gone", "", 1, "c")}, Unknown: []evidence.Gap{{Reason: "Down", Why: "no look"}}},
			want:     "False Gone: Gone since 2026-11-21T17:40:01Z: c\nDown unknown: no look",
		},
		"what is not here is well": {
			snapshot: evidence.Snapshot{Inapplicable: []reason.ID{"Down", "Gone"}},
			want:     "True NoFault: none of 2 fatal reasons stands",
		},
		"nothing could turn it False": {
			reasons: reasons[2:],
			want:    "Unknown NotWatched: no fatal reason of this condition is on",
		},
		"configured to be a warning": {
			snapshot: evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 1, "a")}},
			reasons:  []reason.Reason{{ID: "Down", Condition: reason.NetworkingReady, Severity: reason.Warning}, reasons[1]},
			want:     "True NoFault: none of 1 fatal reasons stands",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.reasons == nil {
				tc.reasons = reasons
			}
			for _, c := range judge(tc.snapshot, byID(tc.reasons)) {
				if c.Type != string(reason.NetworkingReady) {
					continue
				}
				if got := c.Status + " " + c.Reason + ": " + c.Message; got != tc.want {
					t.Errorf("got  %s\nwant %s", got, tc.want)
				}
			}
		})
	}
}

func TestMessageOfManyUnknown(t *testing.T) {
	var many []reason.Reason
	var snapshot evidence.Snapshot
	for i := range 20 {
		id := reason.ID(fmt.Sprintf("R%d", i))
		many = append(many, reason.Reason{ID: id, Condition: reason.KernelReady, Severity: reason.Fatal})
		snapshot.Unknown = append(snapshot.Unknown, evidence.Gap{Reason: id, Why: strings.Repeat("x", 9999)})
	}
	message := judge(snapshot, byID(many))[0].Message
	if len(message) > 8*600 || !strings.HasSuffix(message, "\nand 12 more unknown") {
		t.Errorf("%d bytes: …%s", len(message), message[len(message)-30:])
	}
}

func TestDated(t *testing.T) {
	now := start.Add(time.Hour + 300*time.Millisecond)
	second := start.Add(time.Hour)
	shown := kube.Condition{Type: "KernelReady", Status: kube.True, LastHeartbeatTime: start, LastTransitionTime: start}
	for name, tc := range map[string]struct {
		verdict, shown kube.Condition
		transition     time.Time
	}{
		"first":        {kube.Condition{Status: kube.True}, kube.Condition{}, second},
		"as before":    {kube.Condition{Status: kube.True, Reason: "new"}, shown, start},
		"changed":      {kube.Condition{Status: kube.False}, shown, second},
		"without time": {kube.Condition{Status: kube.True}, kube.Condition{Status: kube.True}, second},
	} {
		t.Run(name, func(t *testing.T) {
			want := tc.verdict
			want.LastHeartbeatTime, want.LastTransitionTime = second, tc.transition
			if diff := cmp.Diff(want, dated(tc.verdict, tc.shown, now)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSays(t *testing.T) {
	base := judge(evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 1, "load 1.0")}, Unknown: []evidence.Gap{{Reason: "Gone", Why: "a"}}}, byID(reasons))[1]
	for name, tc := range map[string]struct {
		snapshot evidence.Snapshot
		want     bool
	}{
		"other numbers":  {evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 1, "load 2.0")}, Unknown: []evidence.Gap{{Reason: "Gone", Why: "b"}}}, true},
		"another entity": {evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth2", 1, "load 1.0")}, Unknown: []evidence.Gap{{Reason: "Gone", Why: "a"}}}, false},
		"another time":   {evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 2, "load 1.0")}, Unknown: []evidence.Gap{{Reason: "Gone", Why: "a"}}}, false},
		"one more":       {evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 1, "load 1.0"), stands("Down", "eth2", 2, "")}, Unknown: []evidence.Gap{{Reason: "Gone", Why: "a"}}}, false},
		"all known":      {evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 1, "load 1.0")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := says(judge(tc.snapshot, byID(reasons))[1], base); got != tc.want {
				t.Errorf("says the same: %v, want %v", got, tc.want)
			}
		})
	}
}

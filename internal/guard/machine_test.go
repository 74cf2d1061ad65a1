package guard

import (
	"encoding/json"
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestSameMachine(t *testing.T) {
	one := Machine{"n1", "uid-1", "aws:///1a/i-1"}
	for name, tc := range map[string]struct {
		other Machine
		want  bool
	}{
		"itself":                                {one, true},
		"registered anew":                       {Machine{"n1", "uid-2", "aws:///1a/i-1"}, true},
		"under another name":                    {Machine{"n2", "uid-2", "aws:///1a/i-1"}, true},
		"a new machine of the name":             {Machine{"n1", "uid-2", "aws:///1a/i-2"}, false},
		"before the cloud had told its name":    {Machine{"n1", "uid-1", ""}, true},
		"of an older version, by its name":      {Machine{Node: "n1"}, true},
		"of an older version, of another name":  {Machine{Node: "n2"}, false},
		"another Node of the name, who knows":   {Machine{"n1", "uid-2", ""}, true},
		"another Node of another name":          {Machine{"n2", "uid-2", ""}, false},
		"the Node, whatever the cloud calls it": {Machine{"n1", "uid-1", "aws:///1a/i-2"}, true},
	} {
		if one.Same(tc.other) != tc.want || tc.other.Same(one) != tc.want {
			t.Errorf("%s: not %t", name, tc.want)
		}
	}
}

// TestOldEntries reads a ledger as versions wrote it that knew nodes by their names only.
func TestOldEntries(t *testing.T) {
	var l Ledger
	err := json.Unmarshal([]byte(`{"entries":[
		{"remediation":"n1-0a","node":"n1","zone":"1a","group":"workers","action":"Reboot","began":"2026-03-04T10:00:00Z","ended":"2026-03-04T10:20:00Z","result":"NotHelped"},
		{"remediation":"n2-0b","node":"n2","zone":"1a","group":"workers","action":"Replace","began":"2026-03-04T11:00:00Z"}]}`), &l)
	if err != nil {
		t.Fatal(err)
	}
	w := good()
	w.Ledger.Value, w.Node.ProviderID, w.Node.UID = l, "aws:///1a/i-1", "uid-1"
	if n := l.Failures(w.Node.Machine(), v1alpha1.ActionReboot, now.Add(-Memory(&w.Policy))); n != 1 {
		t.Errorf("%d failures of n1, want 1", n)
	}
	if got := didNotHelp(w.Proposal, w.Facts); got.Reason != DidNotHelp {
		t.Errorf("did-not-help: %s", got.Reason)
	}
	w.Node.Created = now
	if n := l.InARow(w.Node, now, Memory(&w.Policy)); n != 1 {
		t.Errorf("%d in a row, want the one that goes on", n)
	}
	again, err := json.Marshal(l.with(l.Entries[1:]))
	if want := `{"entries":[{"remediation":"n2-0b","node":"n2","zone":"1a","group":"workers","action":"Replace","began":"2026-03-04T11:00:00Z"}]}`; err != nil || string(again) != want {
		t.Errorf("written again it is %s: %v", again, err)
	}
}

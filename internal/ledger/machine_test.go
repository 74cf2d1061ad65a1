package ledger

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestMachineEqual(t *testing.T) {
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
		if one.Equal(tc.other) != tc.want || tc.other.Equal(one) != tc.want {
			t.Errorf("%s: not %t", name, tc.want)
		}
	}
}

// TestOldEntries reads a ledger of a version that identified nodes by their names alone.
func TestOldEntries(t *testing.T) {
	var l Ledger
	err := json.Unmarshal([]byte(`{"entries":[
		{"remediation":"n1-0a","node":"n1","zone":"1a","group":"workers","action":"Reboot","began":"2026-03-04T10:00:00Z","ended":"2026-03-04T10:20:00Z","result":"NotHelped"},
		{"remediation":"n2-0b","node":"n2","zone":"1a","group":"workers","action":"Replace","began":"2026-03-04T11:00:00Z"}]}`), &l)
	if err != nil {
		t.Fatal(err)
	}
	n1 := Node{Machine: Machine{"n1", "uid-1", "aws:///1a/i-1"}, Group: "workers", Image: "ami-1", Created: now, UnhealthySince: now}
	if n := l.Failures(n1.Machine, v1alpha1.ActionReboot, now.Add(-24*time.Hour)); n != 1 {
		t.Errorf("%d failures of n1, want 1", n)
	}
	if n := l.ConsecutiveReplacements(n1, 24*time.Hour); n != 1 {
		t.Errorf("%d consecutive replacements, want the ongoing one", n)
	}
	again, err := json.Marshal(l.with(l.Entries[1:]))
	if want := `{"entries":[{"remediation":"n2-0b","node":"n2","zone":"1a","group":"workers","action":"Replace","began":"2026-03-04T11:00:00Z"}]}`; err != nil || string(again) != want {
		t.Errorf("written again it is %s: %v", again, err)
	}
}

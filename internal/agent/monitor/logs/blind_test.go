package logs

import (
	"os"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// What cannot be read is never well: it is unknown, with the reason why, or, where there is no such thing, no matter here.
func TestBlindness(t *testing.T) {
	const journal = "/var/log/journal/0123456789abcdef0123456789abcdef/system.journal"
	both := []reason.Reason{
		{ID: "Kernel", Severity: reason.Fatal, Matches: []reason.Match{{Log: "kernel", Pattern: `^sick`}}},
		{ID: "Kubelet", Matches: []reason.Match{{Log: "kubelet", Pattern: `^prober\.go:`}}},
	}
	for name, tc := range map[string]struct {
		journal, kubelet string
		want             map[reason.ID]evidence.State
		says             string
	}{
		"garbage":                       {"not a journal", "/var/lib/kubelet", map[reason.ID]evidence.State{"Kernel": evidence.Unreadable, "Kubelet": evidence.Unreadable}, "system.journal"},
		"no journal, as Talos":          {"", "/var/lib/kubelet", map[reason.ID]evidence.State{"Kernel": evidence.Unreadable, "Kubelet": evidence.Inapplicable}, "no journal in"},
		"a journal with a kubelet":      {"compact", "/var/lib/kubelet", map[reason.ID]evidence.State{"Kernel": evidence.Readable, "Kubelet": evidence.Readable}, ""},
		"a journal without the kubelet": {"without", "/var/lib/kubelet", map[reason.ID]evidence.State{"Kernel": evidence.Readable, "Kubelet": evidence.Unreadable}, "no line of a kubelet since boot"},
		"a host that is no node at all": {"without", "", map[reason.ID]evidence.State{"Kernel": evidence.Readable, "Kubelet": evidence.Inapplicable}, "no kubelet is on this host"},
	} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			if tc.kubelet != "" {
				if err := os.MkdirAll(h.Path(tc.kubelet), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			switch tc.journal {
			case "":
			case "compact", "without":
				ofJournal(t, h)
				if tc.journal == "without" { // The same journal, of a unit by another name.
					text, err := os.ReadFile(h.Path(journal))
					if err != nil {
						t.Fatal(err)
					}
					put(t, h, journal, strings.ReplaceAll(string(text), "kubelet.service", "kubolet.service"))
				}
			default:
				put(t, h, journal, tc.journal)
			}
			heard := newListener()
			o := DefaultOptions()
			o.Kernel = Journal
			if err := New(h, o, both, "").Look(t.Context(), heard.emit); err != nil {
				t.Fatal(err)
			}
			last, raw := map[reason.ID]evidence.State{}, ""
			for _, e := range heard.emitted {
				if e.Reason != reason.LogLinesLost && e.State != evidence.Fault {
					last[e.Reason] = e.State
					raw += e.Raw
				}
			}
			for id, want := range tc.want {
				if last[id] != want {
					t.Errorf("%s is %s, want %s", id, last[id], want)
				}
			}
			if !strings.Contains(raw, tc.says) {
				t.Errorf("says %q, want %q", raw, tc.says)
			}
		})
	}
}

// Why a reason of several patterns is not known stands in one line of a table, once.
func TestBlindnessInOneLine(t *testing.T) {
	heard := newListener()
	recentLines := []reason.Reason{{ID: "Kubelet", Matches: []reason.Match{{Log: "kubelet", Pattern: `^a\.go:`}, {Log: "kubelet", Pattern: `^b\.go:`}, {Log: "unit:c.service", Pattern: `c`}}}}
	if err := New(machine(t), DefaultOptions(), recentLines, "").Look(t.Context(), heard.emit); err != nil {
		t.Fatal(err)
	}
	for _, e := range heard.emitted {
		if strings.Contains(e.Raw, "\n") || strings.Count(e.Raw, "no journal in") != 1 {
			t.Errorf("%s is %s: %q", e.Reason, e.State, e.Raw)
		}
	}
}

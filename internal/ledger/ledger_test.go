package ledger

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestLedger(t *testing.T) {
	r1, r2, r3 := Holder{Name: "r1"}, Holder{Name: "r2"}, Holder{Name: "r3"}
	first, second := Entry{Remediation: "r1", Node: "n1", Began: now}, Entry{Remediation: "r2", Node: "n2", Began: now}
	begun := Ledger{}.Reserve(first).Reserve(second)
	over := begun.End(r1, now.Add(time.Hour), NotHelped)
	ended := first
	ended.Ended, ended.Result = now.Add(time.Hour), NotHelped
	refusal, leaving := first, second
	refusal.Refusal, leaving.Replacing = "aws: no", "uid"
	for name, tc := range map[string]struct {
		got  Ledger
		want []Entry
	}{
		"a Remediation is entered once":   {begun.Reserve(Entry{Remediation: "r1", Node: "n9"}), []Entry{first, second}},
		"one is settled":                  {over, []Entry{ended, second}},
		"what has ended stays as it was":  {over.End(r1, now.Add(2*time.Hour), Helped), []Entry{ended, second}},
		"nobody's end":                    {begun.End(r3, now, Helped), []Entry{first, second}},
		"what ended of late is kept":      {over.Prune(now.Add(time.Hour)), []Entry{ended, second}},
		"what ended long ago is not":      {over.Prune(now.Add(2 * time.Hour)), []Entry{second}},
		"what never began is released":    {begun.Release(r1), []Entry{second}},
		"what was done is not":            {over.Release(r1), []Entry{ended, second}},
		"what is over is forgotten":       {over.DropOldest(2), []Entry{second}},
		"the older first":                 {over.End(r2, now, Helped).DropOldest(1), []Entry{ended}},
		"why it is refused is kept":       {begun.SetRefusal(r1, "aws: no"), []Entry{refusal, second}},
		"that its node leaves is":         {begun.SetReplacing(r2, "uid"), []Entry{first, leaving}},
		"what is over does not leave":     {over.SetReplacing(r1, "uid"), []Entry{ended, second}},
		"what leaves is not pruned":       {begun.SetReplacing(r2, "uid").Prune(now.Add(999 * time.Hour)), []Entry{first, leaving}},
		"a value is not changed by using": {begun, []Entry{first, second}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got.Entries); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplaces(t *testing.T) {
	r1 := Holder{Name: "r1"}
	l := Ledger{}.Reserve(Entry{Remediation: "r1", Node: "n1", Began: now}).SetReplacing(r1, "uid")
	if !l.IsReplacing("uid") || l.IsReplacing("other") || l.IsReplacing("") {
		t.Errorf("of %v", l.Entries)
	}
	if l.End(r1, now, NotHelped).IsReplacing("uid") {
		t.Error("what is over leaves")
	}
	if (Ledger{}).Reserve(Entry{Remediation: "r1", Node: "n1", Began: now}).IsReplacing("") {
		t.Error("a node without a UID leaves by an entry of none")
	}
}

func TestOngoing(t *testing.T) {
	r1, r2 := Holder{Name: "r1"}, Holder{Name: "r2"}
	begun := Ledger{}.Reserve(Entry{Remediation: "r1", Node: "n1", Began: now})
	if e, ok := begun.Ongoing(r1); !ok || e.Node != "n1" {
		t.Errorf("Ongoing: %v, %t", e, ok)
	}
	if _, ok := begun.Ongoing(r2); ok {
		t.Error("one that never began goes on")
	}
	if _, ok := begun.End(r1, now, Helped).Ongoing(r1); ok {
		t.Error("one that has ended goes on")
	}
}

// TestNamesAreReused makes Remediations again under the names of others that were deleted: each has its own entry, and what the
// others did stays remembered.
func TestNamesAreReused(t *testing.T) {
	entry := func(uid types.UID) Entry {
		return Entry{Remediation: "r", UID: uid, Node: "n1", Action: v1alpha1.ActionReboot, Began: now}
	}
	first, second := Holder{"r", "1"}, Holder{"r", "2"}
	over := Ledger{}.Reserve(entry("1")).End(first, now.Add(time.Minute), NotHelped)
	again := over.Reserve(entry("2"))
	if e, ok := again.Ongoing(second); !ok || e.UID != "2" {
		t.Errorf("the second has no entry of its own: %v", again.Entries)
	}
	if _, ok := again.Ongoing(first); ok {
		t.Error("the first goes on")
	}
	if n := again.Failures(Machine{Node: "n1"}, v1alpha1.ActionReboot, now); n != 1 {
		t.Errorf("%d failures are remembered, want 1", n)
	}
	if others := again.OngoingExcept(first); len(others) != 1 || others[0].UID != "2" {
		t.Errorf("besides the first goes on %v", others)
	}
	if left := again.Release(first).Entries; len(left) != 2 {
		t.Errorf("the first's release left %v", left)
	}
	if left := again.Release(second).Entries; len(left) != 1 || left[0].UID != "1" {
		t.Errorf("the second's release left %v", left)
	}
	if left := again.DropOldest(2).Entries; len(left) != 1 || left[0].UID != "2" {
		t.Errorf("forgetting what is over left %v", left)
	}
	if l := over.Reserve(entry("1")); len(l.Entries) != 1 {
		t.Errorf("what has ended is entered again: %v", l.Entries)
	}
}

// TestEntriesWithoutUID are of versions that wrote none: they are known by their names as long as they go on.
func TestEntriesWithoutUID(t *testing.T) {
	old := Ledger{}.Reserve(Entry{Remediation: "r", Node: "n1", Began: now})
	holder := Holder{"r", "1"}
	if _, ok := old.Ongoing(holder); !ok {
		t.Error("what goes on is not found by its name")
	}
	if l := old.Reserve(Entry{Remediation: "r", UID: "1", Node: "n1"}); len(l.Entries) != 1 {
		t.Errorf("it is entered twice: %v", l.Entries)
	}
	over := old.End(holder, now.Add(time.Minute), Helped)
	if _, ok := over.Entry(holder); ok || over.Entries[0].Result != Helped {
		t.Errorf("what has ended is found by its name: %v", over.Entries)
	}
}

// TestRejections stand once each, through everything that becomes of entries.
func TestRejections(t *testing.T) {
	no := Rejection{Node: "n1", Condition: "Ready", Status: "False", Since: metav1.NewTime(now)}
	other := no
	other.Since = metav1.NewTime(now.Add(time.Second))
	elsewhere := no
	elsewhere.Since = metav1.NewTime(now.In(time.FixedZone("elsewhere", 3600)))
	l := Ledger{}.Reject(no).Reject(elsewhere).Reserve(Entry{Remediation: "r", Node: "n1"}).End(Holder{Name: "r"}, now, Helped).DropOldest(1).Prune(now.Add(time.Hour))
	if len(l.Rejections) != 1 || !l.Rejected(elsewhere) || l.Rejected(other) {
		t.Errorf("rejections %v", l.Rejections)
	}
	if l := l.PruneRejections(func(Rejection) bool { return false }); l.Rejected(no) {
		t.Error("one stands whose evidence is gone")
	}
}

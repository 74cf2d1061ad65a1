package finding_test

import (
	"testing"

	"github.com/naosu-dev/naosu/internal/finding"
)

func TestTogether(t *testing.T) {
	resize := []finding.Remedy{{Message: "size it", Command: "size 4"}}
	groups := finding.GroupByCause([]finding.Finding{
		{Code: finding.N101, Severity: finding.Critical, Message: "a waits", Remedies: resize},
		{Code: finding.N101, Severity: finding.Critical, Message: "b waits", Remedies: resize},
		{Code: finding.N101, Severity: finding.Warning, Message: "c waits", Remedies: resize},
		{Code: finding.N504, Severity: finding.Critical, Message: "d waits", Remedies: resize},
		{Code: finding.N101, Severity: finding.Critical, Message: "e waits"},
		{Code: finding.N101, Severity: finding.Critical, Message: "f waits"},
		{Code: finding.N504, Severity: finding.Critical, Message: "pod/web-x2 is Pending: 3 without cpu"},
		{Code: finding.N504, Severity: finding.Critical, Message: "pod/api-0 is Pending: 3 without cpu"},
		{Code: finding.N504, Severity: finding.Critical, Message: "pod/api-1 is Pending: 3 without memory"},
	})
	want := []finding.CauseGroup{
		{First: finding.Finding{Message: "a waits"}, More: 1},
		{First: finding.Finding{Message: "c waits"}},
		{First: finding.Finding{Message: "d waits"}},
		{First: finding.Finding{Message: "e waits"}},
		{First: finding.Finding{Message: "f waits"}},
		{First: finding.Finding{Message: "pod/web-x2 is Pending: 3 without cpu"}, More: 1},
		{First: finding.Finding{Message: "pod/api-1 is Pending: 3 without memory"}},
	}
	if len(groups) != len(want) {
		t.Fatalf("%d groups, want %d", len(groups), len(want))
	}
	for i, g := range groups {
		if g.First.Message != want[i].First.Message || g.More != want[i].More {
			t.Errorf("group %d: %q and %d more, want %q and %d", i, g.First.Message, g.More, want[i].First.Message, want[i].More)
		}
	}
}

package finding_test

import (
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

func TestGroupByCause(t *testing.T) {
	said := message.Verbatim
	pending := func(pod, why string) message.Sentence {
		return sentence.PodPending(change.Ref{Kind: "Pod", Namespace: "shop", Name: pod}, why)
	}
	resize := []finding.Remedy{{Message: said("size it"), Command: "size 4"}}
	groups := finding.GroupByCause([]finding.Finding{
		{Code: finding.N101, Severity: finding.Critical, Message: said("a waits"), Remedies: resize},
		{Code: finding.N101, Severity: finding.Critical, Message: said("b waits"), Remedies: resize},
		{Code: finding.N101, Severity: finding.Warning, Message: said("c waits"), Remedies: resize},
		{Code: finding.N504, Severity: finding.Critical, Message: said("d waits"), Remedies: resize},
		{Code: finding.N101, Severity: finding.Critical, Message: said("e waits")},
		{Code: finding.N101, Severity: finding.Critical, Message: said("f waits")},
		{Code: finding.N504, Severity: finding.Critical, Message: pending("web-x2", "3 without cpu")},
		{Code: finding.N504, Severity: finding.Critical, Message: pending("api-0", "3 without cpu")},
		{Code: finding.N504, Severity: finding.Critical, Message: pending("api-1", "3 without memory")},
	})
	want := []struct {
		first message.Sentence
		more  int
	}{
		{said("a waits"), 1},
		{said("c waits"), 0},
		{said("d waits"), 0},
		{said("e waits"), 0},
		{said("f waits"), 0},
		{pending("web-x2", "3 without cpu"), 1},
		{pending("api-1", "3 without memory"), 0},
	}
	if len(groups) != len(want) {
		t.Fatalf("%d groups, want %d", len(groups), len(want))
	}
	for i, g := range groups {
		if !g.First.Message.Equal(want[i].first) || g.More != want[i].more {
			t.Errorf("group %d: %q and %d more, want %q and %d", i, g.First.Message.Key(), g.More, want[i].first.Key(), want[i].more)
		}
	}
}

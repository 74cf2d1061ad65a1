package guard

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// What only waiting ends is told from what somebody must change, by what the checks themselves say.
func TestPermanent(t *testing.T) {
	for name, tc := range map[string]struct {
		check  Check
		change func(*world)
		want   bool
	}{
		"a budget of none":      {Check{"budgets", budgets}, func(w *world) { w.Policy.Budgets.Cluster = new(intstr.FromString("0%")) }, true},
		"a budget that is full": {Check{"budgets", budgets}, func(w *world) { w.enter(ledger.Entry{Remediation: "r9", Node: "n2", Zone: "1a", Began: now}) }, false},
		"a paused policy":       {Check{"paused", paused}, func(w *world) { w.Policy.Paused = true }, true},
		"a policy that reports": {Check{"mode", mode}, func(w *world) { w.Policy.Mode = v1alpha1.ModeReport }, true},
		"a policy that asks":    {Check{"mode", mode}, func(w *world) { w.Policy.Mode, w.Approval = v1alpha1.ModeApprove, "" }, false},
		"another who leads":     {Check{"lease", leading}, func(w *world) { w.Leading = Known(false, now) }, true},
		"nobody knows":          {Check{"lease", leading}, func(w *world) { w.Leading = Fact[bool]{} }, false},
		"a cool-down": {Check{"cool-down", coolDown}, func(w *world) {
			w.enter(ledger.Entry{Remediation: "r9", Node: "n1", Began: now.Add(-time.Hour), Ended: now})
		}, false},
		"a pod that would be lost": {Check{"capacity", capacity}, func(w *world) { w.harm(outcome.Lost) }, true},
		"a pod that would wait":    {Check{"capacity", capacity}, func(w *world) { w.harm(outcome.Waiting) }, false},
		"nothing":                  {Check{"paused", paused}, func(*world) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := allowedWorld()
			tc.change(w)
			verdict := tc.check.Decide(w.Proposal, w.Facts)
			if verdict.Permanent() != tc.want {
				t.Errorf("%s %s: permanent %v, want %v", verdict.Decision, verdict.Reason, !tc.want, tc.want)
			}
			if verdict.Decision == Allow && name != "nothing" {
				t.Errorf("the case allows: it shows nothing")
			}
		})
	}
	if !(Verdict{}).Permanent() {
		t.Error("a verdict that nobody filled in passes by itself")
	}
}

package guard

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestZeroIsDeny(t *testing.T) {
	if got := (Verdict{}).Decision; got != Deny || got.String() != "Deny" {
		t.Errorf("the zero verdict is %s", got)
	}
	if got := Decide(nil, Proposal{}, Facts{}); got.Decision != Deny {
		t.Errorf("without checks: %s", got.Decision)
	}
	empty := Decide(Checks(), Proposal{}, Facts{})
	if empty.Decision != Deny || len(empty.All) != len(Checks()) {
		t.Errorf("without facts: %s of %d checks", empty.Decision, len(empty.All))
	}
}

func TestTheWorstWins(t *testing.T) {
	says := func(name string, decision Decision, retry time.Duration) Check {
		return Check{name, func(Proposal, Facts) Verdict { return Verdict{Decision: decision, RetryAfter: retry} }}
	}
	yes, short, long, no := says("yes", Allow, 0), says("short", Delay, 1), says("long", Delay, 2), says("no", Deny, 0)
	for want, checks := range map[string][]Check{
		"yes":   {yes, yes},
		"short": {yes, short, yes},
		"long":  {short, long, short},
		"no":    {long, no, yes},
	} {
		ruling := Decide(checks, Proposal{}, Facts{})
		if ruling.Check != want {
			t.Errorf("%s wins over %s", ruling.Check, want)
		}
		var ran []string
		for _, verdict := range ruling.All {
			ran = append(ran, verdict.Check)
		}
		var all []string
		for _, check := range checks {
			all = append(all, check.Name)
		}
		if diff := cmp.Diff(all, ran); diff != "" {
			t.Errorf("%s: what ran (-want +got):\n%s", want, diff)
		}
	}
}

// TestThroughout demands that what is looked at until the machine is acted on are checks that there are, and that nobody's
// word is a no.
func TestThroughout(t *testing.T) {
	var all []string
	for _, c := range Checks() {
		all = append(all, c.Name)
	}
	for _, name := range untilActed {
		if !slices.Contains(all, name) {
			t.Errorf("there is no check %s", name)
		}
	}
	for name, tc := range map[string]struct {
		change func(*world)
		want   Decision
		check  string
	}{
		"all is well":                     {func(*world) {}, Allow, "lease"},
		"a policy that is paused":         {func(w *world) { w.Policy.Paused = true }, Allow, "lease"},
		"an API server that is unhealthy": {func(w *world) { w.APIServer.Value.Ready = false }, Delay, "api-server"},
		"a zonal shift":                   {func(w *world) { w.ShiftedZones.Value = []string{"a"} }, Delay, "zonal-shift"},
	} {
		t.Run(name, func(t *testing.T) {
			w := allowedWorld()
			tc.change(w)
			if got := w.decide().UntilActed(); got.Decision != tc.want || got.Check != tc.check {
				t.Errorf("%s by %s, want %s by %s", got.Decision, got.Check, tc.want, tc.check)
			}
		})
	}
	if got := (Ruling{All: []Named{{"paused", allow}}}).UntilActed(); got.Decision != Deny {
		t.Errorf("without any of them: %s", got.Decision)
	}
}

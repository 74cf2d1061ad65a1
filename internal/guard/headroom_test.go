package guard

import (
	"testing"
	"time"
)

func TestHeadroomChecks(t *testing.T) {
	for name, tc := range map[string]struct {
		row
		check string
	}{
		"nothing against it":           {allowed(func(*world) {}), ""},
		"another leads":                {is(Deny, NotLeading, func(w *world) { w.Leading.Value = false }), "lease"},
		"an old Snapshot":              {is(Delay, Stale, func(w *world) { w.Confirmed = now.Add(-time.Hour) }), "fresh"},
		"an API server that is not up": {is(Delay, APIServerUnhealthy, func(w *world) { w.APIServer.Value.Ready = false }), "api-server"},
	} {
		t.Run(name, func(t *testing.T) {
			w := evicting()
			tc.change(w)
			got := Decide(HeadroomChecks(), w.Proposal, w.Facts)
			if got.Decision != tc.want || got.Reason != tc.reason || tc.check != "" && got.Check != tc.check {
				t.Errorf("it is %s, %s by %s", got.Decision, got.Reason, got.Check)
			}
		})
	}
}

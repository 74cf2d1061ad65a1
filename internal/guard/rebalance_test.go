package guard

import (
	"testing"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// evicting is a world in which all RebalanceChecks allow until something is changed.
func evicting() *world {
	w := allowedWorld()
	w.Node, w.Action, w.Policy.EarnAuto, w.Dwell = Node{}, v1alpha1.ActionEvict, nil, 5*time.Minute
	w.LastNodeChange = Known(NodeChange{Node: "n3", At: now.Add(-5 * time.Minute)}, now)
	return w
}

func TestRebalanceChecks(t *testing.T) {
	for name, tc := range map[string]struct {
		row
		check string
	}{
		"nothing against it":            {allowed(func(*world) {}), ""},
		"a repair that has ended":       {allowed(ended(v1alpha1.ActionReboot, time.Minute, ledger.Helped)), ""},
		"an approval, in mode Approve":  {allowed(func(w *world) { w.Policy.Mode, w.Approval = v1alpha1.ModeApprove, v1alpha1.Approved }), ""},
		"paused":                        {is(Delay, Paused, func(w *world) { w.Policy.Paused = true }), "paused"},
		"another leads":                 {is(Deny, NotLeading, func(w *world) { w.Leading.Value = false }), "lease"},
		"an old Snapshot":               {is(Delay, Stale, func(w *world) { w.Confirmed = now.Add(-time.Hour) }), "fresh"},
		"nodes of an old Snapshot":      {is(Delay, Stale, func(w *world) { w.LastNodeChange.At = now.Add(-2 * time.Minute) }), "fresh"},
		"mode Report":                   {is(Deny, ReportOnly, func(w *world) { w.Policy.Mode = v1alpha1.ModeReport }), "mode"},
		"no approval, in mode Approve":  {is(Delay, AwaitingApproval, func(w *world) { w.Policy.Mode = v1alpha1.ModeApprove }), "mode"},
		"rejected":                      {is(Deny, Rejected, func(w *world) { w.Approval = v1alpha1.Rejected }), "mode"},
		"a repair of any node":          {is(Delay, InHand, going("r2", "n9", "1b", "other")), "in-hand"},
		"no ledger":                     {forget(ledgerOf), "in-hand"},
		"a node that has just changed":  {row{change: func(w *world) { w.LastNodeChange.Value.At = now.Add(-4 * time.Minute) }, want: Delay, reason: NodesChanging, retry: time.Minute}, "dwell"},
		"a node that changes next week": {row{change: func(w *world) { w.LastNodeChange.Value.At = now.Add(7 * 24 * time.Hour) }, want: Delay, reason: NodesChanging}, "dwell"},
		"no nodes":                      {forget(func(w *world) *Fact[NodeChange] { return &w.LastNodeChange }), "dwell"},
		"an API server that is not up":  {is(Delay, APIServerUnhealthy, func(w *world) { w.APIServer.Value.Ready = false }), "api-server"},
		"a zonal shift":                 {is(Delay, ZonalShift, func(w *world) { w.ShiftedZones.Value = []string{"1b"} }), "zonal-shift"},
		"a closed window":               {is(Delay, WindowClosed, func(w *world) { w.Policy.MaintenanceWindow.Start = "13:00" }), "window"},
	} {
		t.Run(name, func(t *testing.T) {
			w := evicting()
			tc.change(w)
			got := Decide(RebalanceChecks(), w.Proposal, w.Facts)
			if got.Decision != tc.want || got.Reason != tc.reason || tc.retry != 0 && got.RetryAfter != tc.retry {
				t.Errorf("%s %s after %v, want %s %s", got.Decision, got.Reason, got.RetryAfter, tc.want, tc.reason)
			}
			if tc.want != Allow && got.Check != tc.check {
				t.Errorf("it is the check %s, want %s", got.Check, tc.check)
			}
		})
	}
}

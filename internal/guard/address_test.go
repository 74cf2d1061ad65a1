package guard

import (
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestAddressChecks(t *testing.T) {
	for name, tc := range map[string]struct {
		row
		check string
	}{
		"nothing against it":           {allowed(func(*world) {}), ""},
		"a repair of a node":           {allowed(going("r2", "n9", "1b", "other")), ""},
		"a zonal shift":                {allowed(func(w *world) { w.ShiftedZones.Value = []string{"1b"} }), ""},
		"an approval, in mode Approve": {allowed(func(w *world) { w.Policy.Mode, w.Approval = v1alpha1.ModeApprove, v1alpha1.Approved }), ""},
		"paused":                       {is(Delay, Paused, func(w *world) { w.Policy.Paused = true }), "paused"},
		"another leads":                {is(Deny, NotLeading, func(w *world) { w.Leading.Value = false }), "lease"},
		"an old Snapshot":              {is(Delay, Stale, func(w *world) { w.Confirmed = w.Confirmed.Add(-2 * maxEvidenceAge) }), "fresh"},
		"mode Report":                  {is(Deny, ReportOnly, func(w *world) { w.Policy.Mode = v1alpha1.ModeReport }), "mode"},
		"no approval, in mode Approve": {is(Delay, AwaitingApproval, func(w *world) { w.Policy.Mode = v1alpha1.ModeApprove }), "mode"},
		"rejected":                     {is(Deny, Rejected, func(w *world) { w.Approval = v1alpha1.Rejected }), "mode"},
		"an API server that is not up": {is(Delay, APIServerUnhealthy, func(w *world) { w.APIServer.Value.Ready = false }), "api-server"},
		"a closed window":              {is(Delay, WindowClosed, func(w *world) { w.Policy.MaintenanceWindow.Start = "13:00" }), "window"},
	} {
		t.Run(name, func(t *testing.T) {
			w := evicting()
			w.Action = v1alpha1.ActionDeleteInterface
			tc.change(w)
			got := Decide(AddressChecks(), w.Proposal, w.Facts)
			if got.Decision != tc.want || got.Reason != tc.reason || tc.want != Allow && got.Check != tc.check {
				t.Errorf("%s %s by %s, want %s %s by %s", got.Decision, got.Reason, got.Check, tc.want, tc.reason, tc.check)
			}
		})
	}
}

package approve

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

func TestRefusal(t *testing.T) {
	for name, tc := range map[string]struct {
		r    v1alpha1.Remediation
		word v1alpha1.Approval
		want message.ID
	}{
		"proposed":            {v1alpha1.Remediation{}, v1alpha1.Approved, ""},
		"rejected while runs": {v1alpha1.Remediation{Status: v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseRunning}}, v1alpha1.Rejected, ""},
		"approved twice":      {v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Approval: v1alpha1.Approved}}, v1alpha1.Approved, ""},
		"after a rejection":   {v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Approval: v1alpha1.Rejected}}, v1alpha1.Approved, message.ApproveRejected},
		"too late":            {v1alpha1.Remediation{Status: v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseEnded}}, v1alpha1.Approved, message.ApproveEnded},
		"a drill":             {v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Drill: &v1alpha1.Drill{}}}, v1alpha1.Approved, message.ApproveDrill},
	} {
		if got := refusal(&tc.r, tc.word).ID; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// An approval that another check holds up says so, and one that only the mode asked for does not.
func TestWaits(t *testing.T) {
	mode := v1alpha1.Verdict{Check: "mode", Decision: v1alpha1.DecisionDelay, Reason: "AwaitingApproval", Message: "nobody has approved"}
	for name, tc := range map[string]struct {
		verdicts []v1alpha1.Verdict
		want     string
	}{
		"nothing else": {[]v1alpha1.Verdict{{Check: "paused", Decision: v1alpha1.DecisionAllow}, mode}, ""},
		"unasked":      {[]v1alpha1.Verdict{mode, {Check: "permission", Decision: v1alpha1.DecisionDelay, Reason: "AwaitingApproval", Message: "not unasked"}}, ""},
		"a window":     {[]v1alpha1.Verdict{mode, {Check: "window", Decision: v1alpha1.DecisionDelay, Message: "opens at 22:00"}}, "22:00"},
		"only reports": {[]v1alpha1.Verdict{{Check: "mode", Decision: v1alpha1.DecisionDeny, Reason: "ReportOnly", Message: "mode is Report"}}, "Report"},
	} {
		got := waits(&v1alpha1.Remediation{Status: v1alpha1.RemediationStatus{Verdicts: tc.verdicts}})
		if !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for given, want := range map[string]string{"a": "a", "remediation/a": "a", "remediation.naosu.dev/a": "a", "pod/a": "", "": "", "remediation/": ""} {
		var o Options
		var args []string
		if given != "" {
			args = []string{given}
		}
		if err := o.Complete(args); (err != nil) != (want == "") || err == nil && o.Name != want {
			t.Errorf("%q: %q, %v", given, o.Name, err)
		}
	}
}

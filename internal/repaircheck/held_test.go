package repaircheck

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

func TestHeld(t *testing.T) {
	held := func(why string, phase v1alpha1.Phase) v1alpha1.Remediation {
		r := v1alpha1.Remediation{}
		r.Name, r.Spec.Node.Name, r.Spec.Plan, r.Status.Phase = "n1-0a", "n1", v1alpha1.NodePlan(v1alpha1.ActionReboot, ""), phase
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.RemediationAllowed, Status: metav1.ConditionFalse, Reason: why, Message: "because of " + why}}
		return r
	}
	for name, tc := range map[string]struct {
		r        v1alpha1.Remediation
		severity finding.Severity
		command  string
	}{
		"by a budget":     {held("BudgetFull", v1alpha1.PhaseWaiting), finding.Warning, ""},
		"for a word":      {held("AwaitingApproval", v1alpha1.PhaseProposed), finding.Info, "naosu approve n1-0a"},
		"only reported":   {held("ReportOnly", v1alpha1.PhaseProposed), "", ""},
		"over":            {held("BudgetFull", v1alpha1.PhaseEnded), "", ""},
		"nothing against": {v1alpha1.Remediation{}, "", ""},
	} {
		found := Held(Facts{Remediations: []v1alpha1.Remediation{tc.r}})
		switch {
		case tc.severity == "" && len(found) > 0:
			t.Errorf("%s: %v", name, found)
		case tc.severity == "":
		case len(found) != 1 || found[0].Code != finding.N304 || found[0].Severity != tc.severity || !strings.Contains(message.English().Say(found[0].Message), "because of"):
			t.Errorf("%s: %v", name, found)
		case tc.command != "" && (len(found[0].Remedies) != 1 || found[0].Remedies[0].Command != tc.command):
			t.Errorf("%s: %v", name, found[0].Remedies)
		}
	}
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	since := func(why string, d time.Duration) v1alpha1.Remediation {
		r := held(why, v1alpha1.PhaseWaiting)
		r.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-24 * time.Hour)) // Another check held it back before.
		r.Status.Verdicts = []v1alpha1.Verdict{
			{Check: "lease", Decision: v1alpha1.DecisionAllow, Since: metav1.NewTime(now.Add(-24 * time.Hour))},
			{Check: "capacity", Decision: v1alpha1.DecisionDelay, Reason: why, Since: metav1.NewTime(now.Add(-d))},
		}
		return r
	}
	for name, tc := range map[string]struct {
		r        v1alpha1.Remediation
		severity finding.Severity
	}{
		"pods would wait":               {since("PodsWouldWait", time.Hour-time.Second), finding.Info},
		"pods would wait for an hour":   {since("PodsWouldWait", time.Hour), finding.Warning},
		"the last replica":              {since("LastReplica", time.Minute), finding.Info},
		"the last replica for an hour":  {since("LastReplica", time.Hour), finding.Warning},
		"a full budget is no such wait": {since("BudgetFull", time.Minute), finding.Warning},
		"nobody knows for how long":     {held("PodsWouldWait", v1alpha1.PhaseWaiting), finding.Warning},
	} {
		found := Held(Facts{Now: now, Remediations: []v1alpha1.Remediation{tc.r}})
		if len(found) != 1 || found[0].Code != finding.N304 || found[0].Severity != tc.severity {
			t.Errorf("%s: %v, want %s", name, found, tc.severity)
		}
	}
	policy := v1alpha1.NodeRepairPolicy{}
	policy.Name = "workers"
	policy.Status.Conditions = []metav1.Condition{{Type: v1alpha1.PolicyReady, Status: metav1.ConditionFalse, Reason: v1alpha1.PolicyBrakedReason, Message: "4 of 5 nodes in zone/a"}}
	found := Held(Facts{Policies: []v1alpha1.NodeRepairPolicy{policy}})
	if len(found) != 1 || !strings.Contains(message.English().Say(found[0].Message), "noderepairpolicy/workers") || !strings.Contains(message.English().Say(found[0].Message), "zone/a") {
		t.Errorf("a braked policy: %v", found)
	}
}

package proof

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

func TestHeld(t *testing.T) {
	held := func(why string, phase v1alpha1.Phase) v1alpha1.Remediation {
		r := v1alpha1.Remediation{}
		r.Name, r.Spec.Node.Name, r.Spec.Action, r.Status.Phase = "n1-0a", "n1", v1alpha1.ActionReboot, phase
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
		found := Held(Facts{Remediations: []v1alpha1.Remediation{tc.r}}, message.English())
		switch {
		case tc.severity == "" && len(found) > 0:
			t.Errorf("%s: %v", name, found)
		case tc.severity == "":
		case len(found) != 1 || found[0].Code != finding.N304 || found[0].Severity != tc.severity || !strings.Contains(found[0].Message, "because of"):
			t.Errorf("%s: %v", name, found)
		case tc.command != "" && (len(found[0].Remedies) != 1 || found[0].Remedies[0].Command != tc.command):
			t.Errorf("%s: %v", name, found[0].Remedies)
		}
	}
	policy := v1alpha1.NodeRepairPolicy{}
	policy.Name = "workers"
	policy.Status.Conditions = []metav1.Condition{{Type: v1alpha1.PolicyReady, Status: metav1.ConditionFalse, Reason: v1alpha1.PolicyBrakedReason, Message: "4 of 5 nodes in zone/a"}}
	found := Held(Facts{Policies: []v1alpha1.NodeRepairPolicy{policy}}, message.English())
	if len(found) != 1 || !strings.Contains(found[0].Message, "noderepairpolicy/workers") || !strings.Contains(found[0].Message, "zone/a") {
		t.Errorf("a braked policy: %v", found)
	}
}

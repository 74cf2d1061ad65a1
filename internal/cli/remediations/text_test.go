package remediations

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
)

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

func repaired(name string, age time.Duration) v1alpha1.Remediation {
	r := v1alpha1.Remediation{}
	r.Name, r.CreationTimestamp = name, metav1.NewTime(now.Add(-age))
	r.Spec.Node.Name, r.Spec.Plan, r.Spec.Approval = "worker-1", v1alpha1.NodePlan(v1alpha1.ActionReboot, ""), v1alpha1.Approved
	r.Spec.Policy = v1alpha1.PolicyReference{Kind: v1alpha1.NodeRepairPolicyKind, Name: "workers", Rule: "network"}
	r.Spec.Evidence = v1alpha1.Evidence{Condition: "NetworkingReady", Reason: "InterfaceNotUp"}
	began, ended := metav1.NewMicroTime(now.Add(-age)), metav1.NewMicroTime(now.Add(-age+1500*time.Millisecond))
	r.Status = v1alpha1.RemediationStatus{
		Phase:      v1alpha1.PhaseEnded,
		Conditions: []metav1.Condition{{Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.RemediationAsForecastReason}},
		Forecast: &v1alpha1.Forecast{At: metav1.NewTime(now), Omitted: 2, Pods: []v1alpha1.PodForecast{
			{
				Namespace: "shop", Name: "web-1", Fate: "Moved", Node: "worker-2", Owner: &v1alpha1.OwnerReference{Kind: "ReplicaSet", Name: "web"},
				LocalData: []string{"cache", "scratch"},
			},
		}},
		Steps: []v1alpha1.Step{{Name: v1alpha1.StepAct, StartedAt: began, EndedAt: &ended, Result: v1alpha1.StepDone, Actuator: "aws", Operation: "r-1"}},
		Verdicts: []v1alpha1.Verdict{
			{Check: "paused", Decision: v1alpha1.DecisionAllow}, {Check: "window", Decision: v1alpha1.DecisionDelay, Reason: "WindowClosed", Message: "The maintenance window opens at 22:00."},
		},
	}
	return r
}

func TestWriteAll(t *testing.T) {
	policy := v1alpha1.NodeRepairPolicy{}
	policy.Name, policy.Spec.Mode, policy.Spec.EarnAuto, policy.Status.AsForecast = "workers", v1alpha1.ModeAuto, new(int32(3)), new(int32(4))
	policy.Status.AsForecastByAction = []v1alpha1.ActionCount{{Action: v1alpha1.ActionReboot, Count: 3}, {Action: v1alpha1.ActionReplace, Count: 1}}
	drill := repaired("drill-1", time.Minute)
	drill.Spec = v1alpha1.RemediationSpec{Node: drill.Spec.Node, Drill: &v1alpha1.Drill{Reason: "InterfaceNotRunning", Depth: v1alpha1.DrillDryRun}}
	general := repaired("general", 2*time.Hour)
	general.Spec = v1alpha1.RemediationSpec{
		Policy: v1alpha1.PolicyReference{Kind: "RebalancePolicy", Name: "shop", Rule: "zones"}, Subjects: []v1alpha1.Subject{{Kind: "Deployment", Namespace: "shop", Name: "web"}},
		Evidence: v1alpha1.Evidence{Finding: "N203"}, Plan: v1alpha1.Plan{Changes: []v1alpha1.Change{{Action: "Evict"}, {Action: "Evict"}}},
	}
	planless := repaired("planless", 3*time.Hour)
	planless.Spec.Plan = v1alpha1.Plan{DeprecatedAction: v1alpha1.ActionRestartService, DeprecatedService: "kubelet.service"}
	listed := listedOf([]v1alpha1.Remediation{repaired("old", time.Hour), drill, general, planless}, []v1alpha1.NodeRepairPolicy{policy})
	var out bytes.Buffer
	if err := writeAll(output.NewPageOf(&out, 120, false), message.English(), listed, now); err != nil {
		t.Fatal(err)
	}
	want := `NAME       NODE             REASON                ACTION                           PHASE   OUTCOME      AGE
drill-1    worker-1         InterfaceNotRunning   DrillDryRun                      Ended   AsForecast   60s
old        worker-1         InterfaceNotUp        Reboot                           Ended   AsForecast   60m
general    deployment/web   N203                  Evict +1                         Ended   AsForecast   120m
planless   worker-1         InterfaceNotUp        RestartService kubelet.service   Ended   AsForecast   3h

noderepairpolicy/workers (mode Auto): 4 Remediations turned out as forecast; an action needs no approval once 3 of its
Remediations have: Reboot 3/3 and Replace 1/3.
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWriteOne(t *testing.T) {
	r := repaired("old", time.Hour)
	for language, tc := range map[string]struct {
		say   message.Printer
		holds []string
	}{
		"en": {message.English(), []string{
			"old: Reboot of node/worker-1 for NetworkingReady InterfaceNotUp is Ended, AsForecast (Approved); according to the rule network", "Moved   shop/web-1   replicaset/web   worker-2", "Every pod turned out as forecast.",
			"1 pod has data on this node only, which does not move with it: shop/web-1 (cache, scratch)",
			"Act    14:00:00   1.5s   Done     aws r-1", "window   Delay      Window: The maintenance window opens at 22:00.", "1 other check passed.",
		}},
		"ja": {message.Japanese(), []string{"すべての Pod が予測どおりでした。", "メンテナンスウィンドウの外。", "手順"}},
	} {
		var out bytes.Buffer
		if err := writeOne(output.NewPageOf(&out, 160, false), tc.say, &r); err != nil {
			t.Fatal(err)
		}
		for _, want := range tc.holds {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", language, want, out.String())
			}
		}
	}
}

// A request has no policy, and the user who requested it.
func TestWriteRequest(t *testing.T) {
	r := &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{
		Request: &v1alpha1.Request{By: "jane"}, Subjects: []v1alpha1.Subject{{Kind: "Deployment", Namespace: "shop", Name: "web"}},
		Evidence: v1alpha1.Evidence{Finding: "N203", Reason: "OutOfBalance"}, Plan: v1alpha1.Plan{Changes: []v1alpha1.Change{{Action: "Evict"}}},
	}}
	r.Name = "rebalance-1"
	for want, say := range map[string]message.Printer{
		"rebalance-1: Evict of deployment/web for OutOfBalance is Proposed; requested by jane.\n": message.English(),
		"rebalance-1: deployment/web の Evict (OutOfBalance) は Proposed です。jane の依頼によります。\n":       message.Japanese(),
	} {
		var out bytes.Buffer
		if err := writeOne(output.NewPageOf(&out, 160, false), say, r); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Every check of the guard has a name in each language.
func TestChecksAreNamed(t *testing.T) {
	for _, check := range guard.Checks() {
		for _, say := range []message.Printer{message.English(), message.Japanese()} {
			if message.Label("Check/" + check.Name).IsZero() {
				t.Errorf("%s has no name in %s", check.Name, say.Language())
			}
		}
	}
}

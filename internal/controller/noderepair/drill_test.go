package noderepair

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
)

func drill(change func(*v1alpha1.Remediation)) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{
		ObjectMeta: metav1.ObjectMeta{Name: "drill", CreationTimestamp: ago(time.Minute)},
		Spec: v1alpha1.RemediationSpec{
			Node: v1alpha1.NodeReference{Name: "n1", UID: "uid-n1"}, Drill: &v1alpha1.Drill{Nonce: "abcdefgh", Reason: "InterfaceNotUp", Depth: v1alpha1.DrillDryRun},
		},
		Status: v1alpha1.RemediationStatus{Agent: &v1alpha1.AgentReport{
			State: v1alpha1.AgentDone, At: metav1.NewMicroTime(now.Add(-time.Second)), Version: "1.2",
			Hops:     []v1alpha1.Hop{{Name: v1alpha1.HopFault, At: metav1.NewMicroTime(now.Add(-3 * time.Second))}},
			Evidence: &v1alpha1.Evidence{Condition: "NetworkingReady", Status: "False", Reason: "InterfaceNotUp", Since: ago(time.Second)},
		}},
	}
	if change != nil {
		change(r)
	}
	return r
}

// well is what the agent of a node that has one says of its network.
func well() corev1.NodeCondition {
	return corev1.NodeCondition{Type: "NetworkingReady", Status: corev1.ConditionTrue, Reason: "NoFault", LastHeartbeatTime: ago(time.Minute)}
}

func TestDrill(t *testing.T) {
	none := policy(v1alpha1.ModeAuto)
	none.Name, none.Spec.Rules[0].Action = "a-none", v1alpha1.ActionNone
	elsewhere := policy(v1alpha1.ModeAuto)
	elsewhere.Spec.NodeSelector.MatchLabels = map[string]string{"no": "such"}
	yes := func() cloud.Provider { return &machines{may: v1alpha1.MayYes} }
	report, auto := policy(v1alpha1.ModeReport), policy(v1alpha1.ModeAuto)
	for name, tc := range map[string]struct {
		policies []v1alpha1.NodeRepairPolicy
		provider cloud.Provider
		change   func(*v1alpha1.Remediation)
		want     string // steps and how they ended
		says     string // in the last step
		bench    func(*bench)
	}{
		"the whole way":        {[]v1alpha1.NodeRepairPolicy{auto}, yes(), nil, "Detect+ Match+ Assess+ Guard+ Act+", "may be", nil},
		"the guard would hold": {[]v1alpha1.NodeRepairPolicy{report}, yes(), nil, "Detect+ Match+ Assess+ Guard+ Act+", "may be", nil},
		"nothing proves it":    {[]v1alpha1.NodeRepairPolicy{auto}, &machines{may: v1alpha1.MayUnknown}, nil, "Detect+ Match+ Assess+ Guard+ Act?", "nothing proves", nil},
		"the cloud says no":    {[]v1alpha1.NodeRepairPolicy{auto}, &machines{may: v1alpha1.MayNo}, nil, "Detect+ Match+ Assess+ Guard+ Act-", "would fail at aws", nil},
		"nobody acts":          {[]v1alpha1.NodeRepairPolicy{auto}, nil, nil, "Detect+ Match+ Assess+ Guard+ Act-", "Nobody", nil},
		"no rule":              {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) { r.Status.Agent.Evidence.Condition = "KernelReady" }, "Detect+ Match-", "No rule", nil},
		"no policy":            {[]v1alpha1.NodeRepairPolicy{elsewhere}, yes(), nil, "Detect+ Match-", "No policy", nil},
		"the rule says None":   {[]v1alpha1.NodeRepairPolicy{auto, none}, yes(), nil, "Detect+ Match-", "a-none leaves", nil},
		"the node is gone":     {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) { r.Spec.Node.UID = "another" }, "Detect+ Match-", "not there", nil},
		"the agent fails": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) {
			r.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentFailed, At: metav1.NewMicroTime(now), Message: "no namespace"}
		}, "Detect-", "no namespace", nil},
		"the agent is silent": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) {
			r.CreationTimestamp, r.Status.Agent = ago(agentPatience), nil
		}, "Detect-", "no evidence", nil},
		"pods may not be read": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), nil, "Detect+ Match+ Assess-", "forbidden", func(b *bench) { b.denied = "pods" }},
		"the lease may not be read": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), nil, "Detect+ Match+ Assess+ Guard-", "by lease", func(b *bench) {
			b.Leading = func(context.Context) (bool, error) { return false, errors.New("forbidden") }
		}},
		"the agent is ahead": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) {
			r.Status.Agent.Hops[0].At = metav1.NewMicroTime(now.Add(time.Hour))
		}, "Detect+ Match+ Assess+ Guard+ Act+", "may be", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tc.provider, append(healthy(3), drill(tc.change), node("n1", "1a", well()), pod("p", "n1", nil, "", nil))...)
			if tc.bench != nil {
				tc.bench(b)
			}
			for i := range tc.policies {
				if err := b.Client.Create(t.Context(), tc.policies[i].DeepCopy()); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := b.Advance(t.Context(), "drill"); err != nil {
				t.Fatal(err)
			}
			r := b.remediations(t)[0]
			var steps []string
			for _, s := range r.Status.Steps {
				steps = append(steps, string(s.Name)+map[v1alpha1.StepResult]string{v1alpha1.StepDone: "+", v1alpha1.StepFailed: "-", v1alpha1.StepSkipped: "?"}[s.Result])
				if s.EndedAt.Before(&s.StartedAt) {
					t.Errorf("%s ended before it began", s.Name)
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(steps, " ")); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
			if passed := !strings.HasSuffix(tc.want, "-"); r.Status.Phase != v1alpha1.PhaseEnded || (end.Reason == v1alpha1.RemediationDrillPassedReason) != passed {
				t.Errorf("%s, %+v", r.Status.Phase, end)
			}
			if last := r.Status.Steps[len(r.Status.Steps)-1].Message; !strings.Contains(last, tc.says) {
				t.Errorf("the last step says %q, want %q in it", last, tc.says)
			}
		})
	}
}

func TestDrillSaysWhatItMet(t *testing.T) {
	p := policy(v1alpha1.ModeReport)
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(3), drill(nil), &p, node("n1", "1a", well()))...)
	if _, err := b.Advance(t.Context(), "drill"); err != nil {
		t.Fatal(err)
	}
	r := b.remediations(t)[0]
	want := &v1alpha1.Match{Policy: v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "links", Rule: "link"}, Generation: 7, Action: v1alpha1.ActionReboot}
	if diff := cmp.Diff(want, r.Status.Match); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	said := map[string]string{}
	for _, v := range r.Status.Verdicts {
		said[v.Check] = string(v.Decision) + " " + v.Reason
	}
	if said["mode"] != "Deny ReportOnly" || said["lease"] != "Allow " {
		t.Errorf("verdicts: %v", said)
	}
	if first := r.Status.Steps[0]; first.StartedAt.Sub(now) != -3*time.Second || r.Status.Agent == nil {
		t.Errorf("Detect began %s, agent %v", first.StartedAt, r.Status.Agent)
	}
	if len(b.remediations(t)) != 1 {
		t.Error("a drill has led to more than itself")
	}
}

func TestDrillWaits(t *testing.T) {
	waiting := drill(func(r *v1alpha1.Remediation) { r.Status.Agent = nil })
	raised := drill(func(r *v1alpha1.Remediation) { r.Name, r.Spec.Drill.Depth = "raised", v1alpha1.DrillRaised })
	b := newBench(t, nil, waiting, raised)
	if again, err := b.Advance(t.Context(), "drill"); err != nil || again != agentPatience-time.Minute {
		t.Errorf("again after %s (%v)", again, err)
	}
	if again, err := b.Advance(t.Context(), "raised"); err != nil || again != 0 {
		t.Errorf("again after %s (%v)", again, err)
	}
	for _, r := range b.remediations(t) {
		if r.Status.Phase != "" {
			t.Errorf("%s is %s", r.Name, r.Status.Phase)
		}
	}
	if again, err := b.Advance(t.Context(), "none"); err != nil || again != 0 {
		t.Errorf("what is gone: again after %s (%v)", again, err)
	}
}

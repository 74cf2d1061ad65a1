package noderepair

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
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

// shop is a workload of one, whose pod can be made anew.
var shop = &appsv1.ReplicaSet{
	ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "shop", UID: "shop"},
	Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(1)), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}}}},
}

func TestDrill(t *testing.T) {
	none := policy(v1alpha1.ModeAuto)
	none.Name, none.Spec.Rules[0].Action = "a-none", v1alpha1.ActionNone
	elsewhere := policy(v1alpha1.ModeAuto)
	elsewhere.Spec.NodeSelector.MatchLabels = map[string]string{"no": "such"}
	yes := func() cloud.Provider { return &machines{may: v1alpha1.MayYes} }
	auto := policy(v1alpha1.ModeAuto)
	for name, tc := range map[string]struct {
		policies []v1alpha1.NodeRepairPolicy
		provider cloud.Provider
		change   func(*v1alpha1.Remediation)
		want     string // steps and how they ended
		says     string // in the last step
		bench    func(*bench)
	}{
		"the whole way":      {[]v1alpha1.NodeRepairPolicy{auto}, yes(), nil, "Detect+ Match+ Assess+ Guard+ Act+", "permits it", nil},
		"nothing proves it":  {[]v1alpha1.NodeRepairPolicy{auto}, &machines{may: v1alpha1.MayUnknown}, nil, "Detect+ Match+ Assess+ Guard+ Act?", "nothing proves", nil},
		"the cloud says no":  {[]v1alpha1.NodeRepairPolicy{auto}, &machines{may: v1alpha1.MayNo}, nil, "Detect+ Match+ Assess+ Guard+ Act-", "would fail at aws", nil},
		"nobody acts":        {[]v1alpha1.NodeRepairPolicy{auto}, nil, nil, "Detect+ Match+ Assess+ Guard+ Act-", "No provider supports", nil},
		"no rule":            {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) { r.Status.Agent.Evidence.Condition = "KernelReady" }, "Detect+ Match-", "No policy rule", nil},
		"no policy":          {[]v1alpha1.NodeRepairPolicy{elsewhere}, yes(), nil, "Detect+ Match-", "No policy", nil},
		"the rule says None": {[]v1alpha1.NodeRepairPolicy{auto, none}, yes(), nil, "Detect+ Match-", "a-none takes no action", nil},
		"the node is gone":   {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) { r.Spec.Node.UID = "another" }, "Detect+ Match-", "does not exist", nil},
		"the agent fails": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) {
			r.Status.Agent = &v1alpha1.AgentReport{State: v1alpha1.AgentFailed, At: metav1.NewMicroTime(now), Message: "no namespace"}
		}, "Detect-", "no namespace", nil},
		"the agent is silent": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) {
			r.CreationTimestamp, r.Status.Agent = ago(agentTimeout), nil
		}, "Detect-", "no evidence", nil},
		"pods may not be read": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), nil, "Detect+ Match+ Assess-", "forbidden", func(b *bench) { b.denied = "pods" }},
		"the lease may not be read": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), nil, "Detect+ Match+ Assess+ Guard-", "check lease", func(b *bench) {
			b.Leading = func(context.Context) (bool, error) { return false, errors.New("forbidden") }
		}},
		"the agent is ahead": {[]v1alpha1.NodeRepairPolicy{auto}, yes(), func(r *v1alpha1.Remediation) {
			r.Status.Agent.Hops[0].At = metav1.NewMicroTime(now.Add(time.Hour))
		}, "Detect+ Match+ Assess+ Guard+ Act+", "permits it", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tc.provider, append(healthy(3), drill(tc.change), node("n1", "1a", well()), shop, pod("p", "n1", shop, "ReplicaSet", nil))...)
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

// enter writes entries into the ledger.
func (b *bench) enter(t *testing.T, entries ...ledger.Entry) {
	t.Helper()
	read, err := b.Records.ReadLedger(t.Context())
	if err == nil {
		err = b.Records.WriteLedger(t.Context(), read, ledger.Ledger{Entries: entries})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A drill passes only where a repair would come: what waiting does not change cuts it at the guard, and what does is said.
func TestDrillAtTheGuard(t *testing.T) {
	type spec = v1alpha1.NodeRepairPolicySpec
	const cut, whole = "Guard-", "Act+"
	failed := ledger.Entry{Remediation: "r9", Node: "n1", Action: v1alpha1.ActionReboot, Began: now.Add(-3 * time.Hour), Ended: now.Add(-2 * time.Hour), Result: ledger.NotHelped}
	rival := cloud.Repairer{By: change.Ref{Kind: "Group", Name: "workers"}, Nodes: []string{"n1"}, Rules: []cloud.RepairerRule{
		{Condition: "NetworkingReady", Status: corev1.ConditionFalse, Action: v1alpha1.ActionReplace},
	}}
	for name, tc := range map[string]struct {
		edit  func(*spec)
		bench func(*testing.T, *bench)
		more  []runtime.Object
		last  string   // the last step and how it ended
		says  []string // at the guard
	}{
		"nothing": {nil, nil, nil, whole, []string{"would allow the repair"}},

		"a cluster budget of 0%":   {func(s *spec) { s.Budgets.Cluster = new(intstr.FromString("0%")) }, nil, nil, cut, []string{"budgets", "0%", "Waiting does not change"}},
		"a group budget of none":   {func(s *spec) { s.Budgets.Group = new(intstr.FromString("10%")) }, nil, nil, cut, []string{"group/workers"}},
		"paused":                   {func(s *spec) { s.Paused = true }, nil, nil, cut, []string{"paused"}},
		"only reported":            {func(s *spec) { s.Mode = v1alpha1.ModeReport }, nil, nil, cut, []string{"Report"}},
		"paused, and the window":   {func(s *spec) { s.Paused, s.MaintenanceWindow = true, night() }, nil, nil, cut, []string{"check paused"}},
		"paused, and who leads?":   {func(s *spec) { s.Paused = true }, func(_ *testing.T, b *bench) { b.Leading = unreadable }, nil, cut, []string{"check paused"}},
		"a pod that would be lost": {nil, nil, []runtime.Object{pod("bare", "n1", nil, "", nil)}, cut, []string{"lost"}},
		"another leads": {nil, func(_ *testing.T, b *bench) {
			b.Leading = func(context.Context) (bool, error) { return false, nil }
		}, nil, cut, []string{"another one acts"}},
		"another repairs": {nil, func(_ *testing.T, b *bench) {
			b.Providers = cloud.Providers{&machines{may: v1alpha1.MayYes, repairers: []cloud.Repairer{rival}}}
		}, nil, cut, []string{"group/workers"}},
		"it did not help":         {nil, func(t *testing.T, b *bench) { t.Helper(); b.enter(t, failed) }, nil, cut, []string{"Reboot did not help"}},
		"the ledger is blank":     {nil, func(t *testing.T, b *bench) { t.Helper(); b.damage(t, "") }, nil, cut, []string{"could not decide", "ledger"}},
		"the ledger is cut short": {nil, func(t *testing.T, b *bench) { t.Helper(); b.damage(t, `{"entries":[{"remediation":"r9"`) }, nil, cut, []string{"ledger"}},

		"Approve":        {func(s *spec) { s.Mode = v1alpha1.ModeApprove }, nil, nil, whole, []string{"check mode", "approved"}},
		"Auto, unearned": {func(s *spec) { s.EarnAuto = new(int32(3)) }, nil, nil, whole, []string{"check mode", "as forecast"}},
		"the window":     {func(s *spec) { s.MaintenanceWindow = night() }, nil, nil, whole, []string{"check window", "02:00"}},
		"a full budget": {nil, func(t *testing.T, b *bench) {
			t.Helper()
			b.enter(t, ledger.Entry{Remediation: "r9", Node: "well-0", Zone: "1a", Group: "workers", Began: now})
		}, nil, whole, []string{"check budgets", "used up"}},
		"window and mode": {func(s *spec) { s.MaintenanceWindow, s.Mode = night(), v1alpha1.ModeApprove }, nil, nil, whole, []string{"check window", "check mode"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(v1alpha1.ModeAuto)
			if tc.edit != nil {
				tc.edit(&p.Spec)
			}
			b := newBench(t, &machines{may: v1alpha1.MayYes}, append(append(healthy(3), drill(nil), &p, node("n1", "1a", well())), tc.more...)...)
			if tc.bench != nil {
				tc.bench(t, b)
			}
			if _, err := b.Advance(t.Context(), "drill"); err != nil {
				t.Fatal(err)
			}
			r := b.remediations(t)[0]
			last, said := "", ""
			for _, s := range r.Status.Steps {
				last = string(s.Name) + map[v1alpha1.StepResult]string{v1alpha1.StepDone: "+", v1alpha1.StepFailed: "-", v1alpha1.StepSkipped: "?"}[s.Result]
				if s.Name == v1alpha1.StepGuard {
					said = strings.ReplaceAll(s.Message, "Check ", "check ")
				}
			}
			end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
			if last != tc.last || (end.Reason == v1alpha1.RemediationDrillFailedReason) != (tc.last == cut) {
				t.Errorf("it ended with %s, %s, want %s: %s", last, end.Reason, tc.last, said)
			}
			for _, want := range tc.says {
				if !strings.Contains(said, want) {
					t.Errorf("the guard's step says %q, want %q in it", said, want)
				}
			}
		})
	}
}

func unreadable(context.Context) (bool, error) { return false, errors.New("forbidden") }

// night is a window that is closed at noon.
func night() *v1alpha1.MaintenanceWindow {
	return &v1alpha1.MaintenanceWindow{Start: "02:00", OpenForMinutes: 60, TimeZone: "UTC"}
}

// damage puts something else in the ledger's place.
func (b *bench) damage(t *testing.T, text string) {
	t.Helper()
	ledger := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: record.DefaultNamespace, Name: record.LedgerName}, Data: map[string]string{"ledger.json": text}}
	if err := b.Client.Create(t.Context(), ledger); err != nil {
		t.Fatal(err)
	}
}

// A drill names the service that it would restart, and none with another action.
func TestDrillNamesTheService(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	p.Spec.Rules[0].Action, p.Spec.Rules[0].Service = v1alpha1.ActionRestartService, "containerd.service"
	p.Spec.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionRestartService}, {Action: v1alpha1.ActionReboot}}
	failed := ledger.Entry{
		Remediation: "r9", Node: "n1", Action: v1alpha1.ActionRestartService, Began: now.Add(-3 * time.Hour), Ended: now.Add(-2 * time.Hour), Result: ledger.NotHelped,
	}
	for service, entries := range map[string][]ledger.Entry{"containerd.service": nil, "": {failed}} {
		b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(3), drill(nil), p.DeepCopy(), node("n1", "1a", well()))...)
		b.enter(t, entries...)
		if _, err := b.Advance(t.Context(), "drill"); err != nil {
			t.Fatal(err)
		}
		if match := b.remediations(t)[0].Status.Match; match == nil || match.Service() != service {
			t.Errorf("with %d failures it matched %+v", len(entries), match)
		}
	}
}

// A drill goes the way that a repair would: where the ledger remembers that the rule's action did not help, to the next step.
func TestDrillClimbsTheLadder(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	p.Spec.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot}, {Action: v1alpha1.ActionReplace}}
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(3), drill(nil), &p, node("n1", "1a", well()))...)
	b.enter(t, ledger.Entry{
		Remediation: "r9", Node: "n1", Action: v1alpha1.ActionReboot, Began: now.Add(-3 * time.Hour), Ended: now.Add(-2 * time.Hour), Result: ledger.NotHelped,
	})
	if _, err := b.Advance(t.Context(), "drill"); err != nil {
		t.Fatal(err)
	}
	r := b.remediations(t)[0]
	last := r.Status.Steps[len(r.Status.Steps)-1]
	if r.Status.Match == nil || r.Status.Match.Action() != v1alpha1.ActionReplace || last.Name != v1alpha1.StepAct || !strings.Contains(last.Message, "Replace") {
		t.Errorf("matched %+v, ended with %s: %s", r.Status.Match, last.Name, last.Message)
	}
}

func TestDrillSaysWhatItMet(t *testing.T) {
	p := policy(v1alpha1.ModeApprove)
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(3), drill(nil), &p, node("n1", "1a", well()))...)
	if _, err := b.Advance(t.Context(), "drill"); err != nil {
		t.Fatal(err)
	}
	r := b.remediations(t)[0]
	want := &v1alpha1.Match{Policy: v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: "links", Rule: "link"}, Generation: 7, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, "")}
	if diff := cmp.Diff(want, r.Status.Match); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	said := map[string]string{}
	for _, v := range r.Status.Verdicts {
		said[v.Check] = string(v.Decision) + " " + v.Reason
	}
	if said["mode"] != "Delay AwaitingApproval" || said["lease"] != "Allow " {
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
	if again, err := b.Advance(t.Context(), "drill"); err != nil || again != agentTimeout-time.Minute {
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

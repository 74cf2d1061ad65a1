package repaircheck

import (
	"context"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/repair"
	"github.com/naosu-dev/naosu/internal/cli/repair/drillcondition"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/repaircheck"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// TestProof goes from a cluster that has nothing of naosu's to one that has all, and lets each hop fail on the way.
func TestProof(t *testing.T) {
	b := newFixture(t)
	ctx := t.Context()
	b.makeNode(ctx, t)

	t.Run("without naosu's definitions", func(t *testing.T) {
		checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
		row := rowOf(t, checked, "InterfaceNotUp")
		if err != nil || row.Verdict != repaircheck.Broken || row.BrokenLink != repaircheck.Match || row.Code != finding.N302 {
			t.Errorf("%v: %+v", err, row)
		}
		if _, err := b.run(ctx, "repair", "drill", "node/"+b.node); exit.Code(err) != exit.NoAnswer || !strings.Contains(err.Error(), "naosu crds") {
			t.Errorf("a drill without definitions: %v", err)
		}
	})

	b.install(ctx, t)
	for name, tc := range map[string]struct {
		state v1alpha1.AgentState
		hops  int
		hop   repair.HopName
		says  string
	}{
		"the agent refuses":  {v1alpha1.AgentRefused, 0, repair.HopAgent, "the agent's words"},
		"no fault is made":   {v1alpha1.AgentFailed, 0, repair.HopFault, "the agent's words"},
		"it is not detected": {v1alpha1.AgentFailed, 1, repair.HopDetect, "the agent's words"},
		"it is no evidence":  {v1alpha1.AgentFailed, 2, repair.HopEvidence, "the agent's words"},
		"it is not reported": {v1alpha1.AgentFailed, 3, repair.HopReport, "the agent's words"},
	} {
		t.Run(name, func(t *testing.T) {
			b.agent(ctx, t, tc.state, tc.hops)
			b.wantFailure(ctx, t, tc.hop, tc.says)
		})
	}
	t.Run("there is no controller", func(t *testing.T) {
		b.wantSilence(ctx, t, v1alpha1.AgentDone, 4, repair.HopController, "no controller is running")
	})
	t.Run("the agent stops halfway", func(t *testing.T) {
		b.wantSilence(ctx, t, v1alpha1.AgentAccepted, 1, repair.HopDetect, "did not detect the fault")
	})
	t.Run("there is no agent", func(t *testing.T) {
		b.judge(ctx, t, b.drill(ctx, t, brief), repair.HopAgent, "is not running")
	})

	b.workload(ctx, t)
	stop := b.controller(ctx, t)
	t.Run("there is no policy", func(t *testing.T) {
		b.agent(ctx, t, v1alpha1.AgentDone, 4)
		b.wantFailure(ctx, t, repair.HopMatch, "")
	})
	policy := b.policy(ctx, t)
	t.Run("nobody offers the action", func(t *testing.T) {
		b.settled(ctx, t, policy)
		b.agent(ctx, t, v1alpha1.AgentDone, 4)
		answer := b.wantFailure(ctx, t, repair.HopAction, "")
		if n := len(answer.Hops); n != 9 {
			t.Errorf("%d hops were passed: %v", n, answer.Hops)
		}
		checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
		if row := rowOf(t, checked, "InterfaceNotUp"); err != nil || row.BrokenLink != repaircheck.Action || row.By != "noderepairpolicy/workers" {
			t.Errorf("%v: %+v", err, row)
		}
	})
	t.Run("a repair would never come", func(t *testing.T) { b.denied(ctx, t) })
	b.settled(ctx, t, policy)
	t.Run("the controller may not read pods", func(t *testing.T) {
		b.forbid(ctx, t, &rbacv1.ClusterRole{}, "get", "", "pods")
		b.agent(ctx, t, v1alpha1.AgentDone, 4)
		b.wantFailure(ctx, t, repair.HopAssess, "forbidden")
	})
	t.Run("the controller may not read its ledger", func(t *testing.T) {
		b.forbid(ctx, t, &rbacv1.Role{}, "get", "", "configmaps")
		b.agent(ctx, t, v1alpha1.AgentDone, 4)
		b.wantFailure(ctx, t, repair.HopGuard, "ledger")
	})
	t.Run("the ledger is damaged", func(t *testing.T) {
		b.damagedLedger(ctx, t)
		b.agent(ctx, t, v1alpha1.AgentDone, 4)
		b.wantFailure(ctx, t, repair.HopGuard, "ledger")
	})
	stop()
	b.lease(ctx, t)

	t.Run("the whole way", func(t *testing.T) { b.whole(ctx, t, policy) })
	t.Run("each link of check", func(t *testing.T) { b.eachLink(ctx, t) })
	t.Run("a person must approve", func(t *testing.T) { b.approval(ctx, t) })
	t.Run("raised", func(t *testing.T) { b.raised(ctx, t) })
}

// denied drills with policies by which nothing would ever be done: the real controller's guard denies them, though the action could be
// taken. The policy is put back.
func (b *fixture) denied(ctx context.Context, t *testing.T) {
	t.Helper()
	set := func(ctx context.Context, t *testing.T, edit func(*v1alpha1.NodeRepairPolicySpec)) {
		t.Helper()
		p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "workers"}}
		b.write(ctx, t, p, func() { p.Spec = rebooting(); edit(&p.Spec) }, func() {})
		if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
			err := b.client.Get(ctx, client.ObjectKeyFromObject(p), p)
			return err == nil && p.Status.ObservedGeneration == p.Generation, nil
		}); err != nil {
			t.Fatalf("the controller has not taken the policy up: %v", err)
		}
	}
	t.Cleanup(func() { set(context.WithoutCancel(ctx), t, func(*v1alpha1.NodeRepairPolicySpec) {}) })
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.NodeRepairPolicySpec)
		says string
	}{
		"a cluster budget of 0%": {func(s *v1alpha1.NodeRepairPolicySpec) { s.Budgets.Cluster = new(intstr.FromString("0%")) }, "0% of 1 rounds down to 0"},
		"paused":                 {func(s *v1alpha1.NodeRepairPolicySpec) { s.Paused = true }, "paused"},
		"only reported":          {func(s *v1alpha1.NodeRepairPolicySpec) { s.Mode = v1alpha1.ModeReport }, "Report"},
	} {
		t.Run(name, func(t *testing.T) {
			set(ctx, t, tc.edit)
			b.agent(ctx, t, v1alpha1.AgentDone, 4)
			b.wantFailure(ctx, t, repair.HopGuard, tc.says)
		})
	}
}

// approval is what check says where all is there but a person's word: no finding, and exit code 0.
func (b *fixture) approval(ctx context.Context, t *testing.T) {
	t.Helper()
	b.policyIs(ctx, t, func(s *v1alpha1.NodeRepairPolicySpec) { s.Mode = v1alpha1.ModeApprove }, permitted)
	b.drilled(ctx, t, 0)
	checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
	if row := rowOf(t, checked, "InterfaceNotUp"); err != nil || row.Verdict != repaircheck.NeedsApproval || row.Code != "" || !strings.Contains(message.English().Say(row.Message), "approved") {
		t.Errorf("%v: %+v", err, row)
	}
	b.mended(ctx, t)
}

// brief is how long a drill waits for a hop that does not come.
const brief = 3 * time.Second

// wantFailure drills, and requires that the drill is reported to fail at a hop. How long that takes is not checked.
func (b *fixture) wantFailure(ctx context.Context, t *testing.T, hop repair.HopName, says string) drilled {
	t.Helper()
	return b.judge(ctx, t, b.drill(ctx, t, testbed.Patience), hop, says)
}

// wantSilence drills with an agent that reports so much, and requires that the drill gives up at a hop that nothing reports.
// An agent that would report too late gets more time.
func (b *fixture) wantSilence(ctx context.Context, t *testing.T, state v1alpha1.AgentState, hops int, hop repair.HopName, says string) {
	t.Helper()
	for within := brief; ; within *= 2 {
		stop := b.agent(ctx, t, state, hops)
		done := b.drill(ctx, t, within)
		stop()
		if done.answer.FailedAt != repair.HopAgent || within > testbed.Patience {
			b.judge(ctx, t, done, hop, says)
			return
		}
	}
}

// ended is a drill's answer, and how it ended.
type ended struct {
	answer drilled
	err    error
}

func (b *fixture) drill(ctx context.Context, t *testing.T, within time.Duration) ended {
	t.Helper()
	answer, err := ask[drilled](ctx, t, b, "repair", "drill", "node/"+b.node, "--hop-timeout", within.String())
	return ended{answer, err}
}

// judge requires that the drill failed at a hop, that the record says so, and that the node is as it was.
func (b *fixture) judge(ctx context.Context, t *testing.T, done ended, hop repair.HopName, says string) drilled {
	t.Helper()
	answer, err := done.answer, done.err
	b.failedAt[answer.FailedAt] = true
	if exit.Code(err) != exit.Found || answer.Passed || answer.FailedAt != hop || !strings.Contains(answer.Message, says) {
		t.Errorf("exit code %d (%v), failed at %q: %s; want %q: …%s…", exit.Code(err), err, answer.FailedAt, answer.Message, hop, says)
	}
	if c := b.condition(ctx, t, "NetworkingReady"); c.Status != corev1.ConditionTrue || c.Reason != "NoFault" {
		t.Errorf("the node's condition has become %+v", c)
	}
	return answer
}

func rowOf(t *testing.T, checked repair.Checked, reason string) repaircheck.Row {
	t.Helper()
	for _, row := range checked.Rows {
		if row.Reason == reason {
			return row
		}
	}
	t.Fatalf("no row for %s", reason)
	return repaircheck.Row{}
}

// policy reboots, which no provider supports here.
func (b *fixture) policy(ctx context.Context, t *testing.T) *v1alpha1.NodeRepairPolicy {
	t.Helper()
	p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "workers"}}
	p.Spec = rebooting()
	if err := b.client.Create(ctx, p); err != nil {
		t.Fatal(err)
	}
	return p
}

func rebooting() v1alpha1.NodeRepairPolicySpec {
	return v1alpha1.NodeRepairPolicySpec{Mode: v1alpha1.ModeAuto, Rules: []v1alpha1.RepairRule{{
		Name: "network", Condition: "NetworkingReady", Status: metav1.ConditionFalse, For: metav1.Duration{Duration: time.Hour}, Action: v1alpha1.ActionReboot,
	}}}
}

// settled waits until the controller has taken the policy up.
func (b *fixture) settled(ctx context.Context, t *testing.T, p *v1alpha1.NodeRepairPolicy) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		err := b.client.Get(ctx, client.ObjectKeyFromObject(p), p)
		return err == nil && len(p.Status.Permissions) > 0, nil
	})
	if err != nil {
		t.Fatalf("the controller has not taken the policy up: %v", err)
	}
}

// lease has the controller's held, so that what is judged next is not that it was stopped.
func (b *fixture) lease(ctx context.Context, t *testing.T) {
	t.Helper()
	lease := b.leased()
	if err := client.IgnoreNotFound(b.client.Delete(ctx, lease)); err != nil {
		t.Fatal(err)
	}
	lease.Spec.HolderIdentity, lease.Spec.RenewTime, lease.Spec.LeaseDurationSeconds = new("another"), new(metav1.NowMicro()), new(int32(600))
	if err := b.client.Create(ctx, lease); err != nil {
		t.Fatal(err)
	}
}

func (b *fixture) leased() *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", Name: "naosu-controller"}}
}

// whole is a drill that goes the whole way, and what check then says of it. The controller's word is written as it writes it,
// because there is no provider here.
func (b *fixture) whole(ctx context.Context, t *testing.T, p *v1alpha1.NodeRepairPolicy) {
	t.Helper()
	b.agent(ctx, t, v1alpha1.AgentDone, 4)
	done := make(chan error, 1)
	go func() { done <- b.controllersWord(ctx, p) }()
	answer, err := ask[drilled](ctx, t, b, "repair", "drill", "node/"+b.node, "--hop-timeout", testbed.Patience.String())
	if err != nil || !answer.Passed || len(answer.Hops) != 10 || answer.Hops[9].Name != repair.HopAction {
		t.Errorf("%v: %+v", err, answer)
	}
	for _, hop := range answer.Hops {
		if !b.failedAt[hop.Name] {
			t.Errorf("no drill failed at %s", hop.Name)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	b.write(ctx, t, p, nil, func() { permitted(&p.Status) })
	checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
	if row := rowOf(t, checked, "InterfaceNotUp"); err != nil || row.Proof == nil || row.Proof.Remediation != answer.Remediation || row.BrokenLink != "" {
		t.Errorf("%v: %+v", err, row)
	}
}

// controllersWord ends the next drill whose agent is done.
func (b *fixture) controllersWord(ctx context.Context, p *v1alpha1.NodeRepairPolicy) error {
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		var all v1alpha1.RemediationList
		if err := b.client.List(ctx, &all); err != nil {
			return false, err
		}
		for i := range all.Items {
			r := &all.Items[i]
			if r.Spec.Drill == nil || r.Status.Phase == v1alpha1.PhaseEnded || r.Status.Agent == nil || r.Status.Agent.Evidence == nil {
				continue
			}
			for _, name := range []v1alpha1.StepName{v1alpha1.StepDetect, v1alpha1.StepMatch, v1alpha1.StepAssess, v1alpha1.StepGuard, v1alpha1.StepAct} {
				now := metav1.NowMicro()
				r.Status.Steps = append(r.Status.Steps, v1alpha1.Step{Name: name, StartedAt: now, EndedAt: &now, Result: v1alpha1.StepDone})
			}
			r.Status.Match = &v1alpha1.Match{Policy: v1alpha1.PolicyReference{Kind: "NodeRepairPolicy", Name: p.Name, Rule: "network"}, Generation: p.Generation, Plan: v1alpha1.NodePlan(v1alpha1.ActionReboot, "")}
			r.Status.Phase = v1alpha1.PhaseEnded
			r.Status.Conditions = []metav1.Condition{{
				Type: v1alpha1.RemediationSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.RemediationDrillPassedReason, LastTransitionTime: metav1.Now(),
			}}
			return b.client.Status().Update(ctx, r) == nil, nil
		}
		return false, nil
	})
}

// raised raises the real condition, with a machine that reboots, with one that does not, and with a person who breaks it off.
func (b *fixture) raised(ctx context.Context, t *testing.T) {
	t.Helper()
	act := func(margin time.Duration) []string {
		return []string{"repair", "drill", "--act", "--expendable", "node/" + b.node, "--wait", "1s", "--margin", margin.String()}
	}
	whole := func(t *testing.T) {
		t.Helper()
		var node corev1.Node
		if err := b.client.Get(ctx, client.ObjectKey{Name: b.node}, &node); err != nil {
			t.Fatal(err)
		}
		if c := b.condition(ctx, t, "NetworkingReady"); c.Status != corev1.ConditionTrue || c.Reason != "NoFault" || node.Annotations[drillcondition.Annotation] != "" {
			t.Errorf("not put back: %+v, %v", c, node.Annotations)
		}
	}
	t.Run("and nothing happens", func(t *testing.T) {
		answer, err := ask[drilled](ctx, t, b, act(brief)...)
		b.failedAt[answer.FailedAt] = true
		if exit.Code(err) != exit.Found || answer.FailedAt != repair.HopController || answer.By != "noderepairpolicy/workers" {
			t.Errorf("%v: %+v", err, answer)
		}
		whole(t)
		checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
		if row := rowOf(t, checked, "InterfaceNotUp"); err != nil || row.Verdict != repaircheck.Broken || row.BrokenLink != repaircheck.Proven {
			t.Errorf("%v: %+v", err, row)
		}
	})
	t.Run("and the machine reboots", func(t *testing.T) {
		done := make(chan error, 1)
		go func() { done <- b.reboot(ctx) }()
		answer, err := ask[drilled](ctx, t, b, act(testbed.Patience)...)
		if err != nil || !answer.Passed || answer.Hops[len(answer.Hops)-1].Name != repair.HopVerify {
			t.Errorf("%v: %+v", err, answer)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		whole(t)
		checked, err := ask[repair.Checked](ctx, t, b, "repair", "check")
		if row := rowOf(t, checked, "InterfaceNotUp"); err != nil || row.Proof == nil || row.Proof.Remediation != answer.Remediation {
			t.Errorf("%v: %+v", err, row)
		}
	})
	t.Run("and a person breaks it off", func(t *testing.T) {
		broken, breakOff := context.WithCancel(ctx)
		go func() {
			_ = b.standing(ctx)
			breakOff()
		}()
		if _, err := b.run(broken, act(testbed.Patience)...); exit.Code(err) != exit.NoAnswer {
			t.Errorf("broken off: %v", err)
		}
		whole(t)
		var all v1alpha1.RemediationList
		if err := b.client.List(ctx, &all); err != nil {
			t.Fatal(err)
		}
		for _, r := range all.Items {
			if r.Status.Phase != v1alpha1.PhaseEnded {
				t.Errorf("%s is left behind", r.Name)
			}
		}
	})
}

// standing waits until the condition is raised.
func (b *fixture) standing(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		var node corev1.Node
		err := b.client.Get(ctx, client.ObjectKey{Name: b.node}, &node)
		return err == nil && node.Annotations[drillcondition.Annotation] != "", nil
	})
}

// reboot gives the machine another boot ID once the condition is raised.
func (b *fixture) reboot(ctx context.Context) error {
	if err := b.standing(ctx); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		var node corev1.Node
		if err := b.client.Get(ctx, client.ObjectKey{Name: b.node}, &node); err != nil {
			return false, err
		}
		node.Status.NodeInfo.BootID = "boot-2"
		for i := range node.Status.Conditions {
			if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
				c.Status = corev1.ConditionTrue // Nothing runs here that would renew it.
			}
		}
		return b.client.Status().Update(ctx, &node) == nil, nil
	})
}

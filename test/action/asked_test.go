package action

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// objection is why a policy does not ask for a Remediation.
type objection func(policy, rule, action, node string) message.Sentence

func notSelected(policy, _, _, node string) message.Sentence {
	return sentence.ActionNotSelected(policy, node)
}

func noSuchRule(policy, rule, _, _ string) message.Sentence {
	return sentence.ActionNoSuchRule(policy, rule)
}

func notDue(_, rule, _, node string) message.Sentence { return sentence.ActionNotDue(node, rule) }

func anotherRule(_, rule, _, node string) message.Sentence {
	return sentence.ActionAnotherRule(rule, node)
}

func anotherAction(policy, _, action, node string) message.Sentence {
	return sentence.ActionAnotherAction(policy, action, node)
}

// edits remove what a policy asks for.
var edits = map[string]struct {
	edit func(*v1alpha1.NodeRepairPolicySpec)
	says objection
}{
	"the node is excluded": {func(s *v1alpha1.NodeRepairPolicySpec) {
		s.NodeSelector.MatchLabels = map[string]string{"role": "another"}
	}, notSelected},
	"the rule is removed": {func(s *v1alpha1.NodeRepairPolicySpec) { s.Rules = nil }, noSuchRule},
	"the rule is renamed": {func(s *v1alpha1.NodeRepairPolicySpec) { s.Rules[0].Name = "another" }, noSuchRule},
	"the rule is set to None": {
		func(s *v1alpha1.NodeRepairPolicySpec) { s.Rules[0].Action = v1alpha1.ActionNone }, anotherAction,
	},
	"the rule asks for something milder": {
		func(s *v1alpha1.NodeRepairPolicySpec) {
			s.Rules[0].Action, s.Rules[0].Service = v1alpha1.ActionRestartService, "kubelet.service"
		}, anotherAction,
	},
	"the rule has to be met for longer": {func(s *v1alpha1.NodeRepairPolicySpec) { s.Rules[0].For.Duration = time.Hour }, notDue},
	"a rule before it decides": {
		func(s *v1alpha1.NodeRepairPolicySpec) {
			before := s.Rules[0]
			before.Name, before.Action = "before", v1alpha1.ActionNone
			s.Rules = append([]v1alpha1.RepairRule{before}, s.Rules...)
		}, anotherRule,
	},
}

// TestEditsReachWhatIsOpen edits a policy while it is paused, and during a drain: what it does not ask for any more is not done.
func TestEditsReachWhatIsOpen(t *testing.T) {
	for name, tc := range edits {
		t.Run(name, func(t *testing.T) {
			for _, action := range []v1alpha1.Action{reboot, replace} {
				t.Run(string(action), func(t *testing.T) {
					w, ctx := newWorld(t, action), t.Context()
					w.policy.Spec.Paused = true
					w.later(time.Minute, func() { tc.edit(&w.policy.Spec) })
					w.later(2*time.Minute, func() { w.policy.Spec.Paused = false })
					w.play(ctx, func() {})
					w.notAsked(ctx, tc.says, "Assess Guard(Skipped)")

					w = newWorld(t, action)
					w.budget(ctx, 0)
					edited := false
					w.play(ctx, func() {
						if step(w.remediation(ctx)) == v1alpha1.StepDrain && !edited {
							edited = true
							tc.edit(&w.policy.Spec)
						}
					})
					w.notAsked(ctx, tc.says, "Assess Guard Cordon Drain(Skipped) Uncordon")
				})
			}
		})
	}
}

// TestForgedRecords creates Remediations by hand: what no rule of their policy asks for is not done.
func TestForgedRecords(t *testing.T) {
	for name, tc := range map[string]struct {
		forge func(*v1alpha1.RemediationSpec)
		says  objection
	}{
		"of a rule that does not exist, of a node that is well": {func(s *v1alpha1.RemediationSpec) {
			s.Node = v1alpha1.NodeReference{Name: "n2", UID: "n2"}
			s.Policy.Rule, s.Evidence.Condition, s.Evidence.Status = "no-such-rule", "Ready", "True"
		}, noSuchRule},
		"of a rule that does not exist":      {func(s *v1alpha1.RemediationSpec) { s.Policy.Rule = "no-such-rule" }, noSuchRule},
		"of an action that is not asked for": {func(s *v1alpha1.RemediationSpec) { s.Plan = v1alpha1.NodePlan(replace, "") }, anotherAction},
		"of a service that is not asked for": {func(s *v1alpha1.RemediationSpec) { s.Plan = v1alpha1.NodePlan(restart, "sshd.service") }, anotherAction},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			forged := newRemediation(reboot)
			tc.forge(&forged.Spec)
			w.force(ctx)
			w.must(w.api.Direct.Create(ctx, forged))
			w.play(ctx, func() {})
			w.notAsked(ctx, tc.says, "")
		})
	}
}

// notAsked requires that the Remediation has ended with the reason NotAsked, after some steps, with nothing done.
func (w *world) notAsked(ctx context.Context, says objection, steps string) {
	w.t.Helper()
	if got, want := w.line(ctx), steps+": "+v1alpha1.RemediationNotAskedReason; got != want {
		w.t.Errorf("got  %s\nwant %s", got, want)
	}
	r := w.remediation(ctx)
	want := message.English().Say(says("noderepairpolicy/default", r.Spec.Policy.Rule, string(r.Spec.Action()), "node/"+r.Spec.Node.Name))
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil && end.Message != want {
		w.t.Errorf("it says %q, want %q", end.Message, want)
	}
	if asked := w.cloud.reboots + w.cloud.replaces; asked != 0 {
		w.t.Errorf("the cloud was asked %d times", asked)
	}
	w.tidy(ctx, 0)
}

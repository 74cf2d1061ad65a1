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

// TestPolicyMadeAgain deletes a policy and makes one of its name, by which another person may mean another thing: what the first
// one proposed is ended before the machine is acted on, and watched to its end after that.
func TestPolicyMadeAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		at   v1alpha1.StepName
		want string
	}{
		"before anything is done": {v1alpha1.StepGuard, "Assess Guard(Skipped): GaveUp"},
		"during a drain":          {v1alpha1.StepDrain, "Assess Guard Cordon Drain(Skipped) Uncordon: GaveUp"},
		"after the reboot":        {v1alpha1.StepDwell, "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast"},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.rewrite(ctx, func(s *v1alpha1.RemediationSpec) { s.Policy.UID = "first" })
			w.policy.UID = "first"
			if tc.at == v1alpha1.StepGuard {
				w.policy.Spec.Paused = true
				w.later(time.Minute, func() { w.policy.UID, w.policy.Spec.Paused = "second", false })
			}
			w.play(ctx, func() {
				if step(w.remediation(ctx)) == tc.at {
					w.policy.UID = "second"
				}
			})
			if got := w.line(ctx); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			end := meta.FindStatusCondition(w.remediation(ctx).Status.Conditions, v1alpha1.RemediationSucceeded)
			if gone := message.English().Say(sentence.ActionPolicyGone()); tc.at != v1alpha1.StepDwell && end.Message != gone {
				t.Errorf("it says %q, want %q", end.Message, gone)
			}
			w.tidy(ctx, 0)
		})
	}
}

// TestRecordWithoutPlan plays records as naosu made them before they had plans.
func TestRecordWithoutPlan(t *testing.T) {
	for action, want := range map[v1alpha1.Action]string{
		reboot:  "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast",
		restart: "Assess Guard Act Wait Dwell Verify: AsForecast",
	} {
		w, ctx := newWorld(t, action), t.Context()
		w.agent = v1alpha1.AgentDone
		w.rewrite(ctx, func(s *v1alpha1.RemediationSpec) {
			s.Plan = v1alpha1.Plan{DeprecatedAction: action, DeprecatedService: serviceOf(action)}
		})
		w.play(ctx, func() {})
		if got := w.line(ctx); got != want {
			t.Errorf("%s: got  %s\nwant %s", action, got, want)
		}
	}
}

// TestForgedPlans have more or other changes than the policy's rule asks for.
func TestForgedPlans(t *testing.T) {
	one := v1alpha1.Change{Action: reboot}
	for name, plan := range map[string]v1alpha1.Plan{
		"none":                {},
		"of another action":   v1alpha1.NodePlan(replace, ""),
		"two changes":         {Changes: []v1alpha1.Change{one, {Action: replace}}},
		"another subject":     {Changes: []v1alpha1.Change{{Action: reboot, Subject: &v1alpha1.Subject{Kind: "Node", Name: "n2"}}}},
		"parameters":          {Changes: []v1alpha1.Change{{Action: reboot, Parameters: map[string]v1alpha1.ParameterValue{"service": "sshd.service"}}}},
		"an old form as well": {Changes: []v1alpha1.Change{{Action: replace}}, DeprecatedAction: reboot},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, reboot), t.Context()
			w.rewrite(ctx, func(s *v1alpha1.RemediationSpec) { s.Plan = plan })
			w.play(ctx, func() {})
			w.notAsked(ctx, anotherAction, "")
		})
	}
}

// rewrite has the Remediation made otherwise.
func (w *world) rewrite(ctx context.Context, otherwise func(*v1alpha1.RemediationSpec)) {
	w.t.Helper()
	r := w.remediation(ctx)
	otherwise(&r.Spec)
	w.must(w.api.Direct.Update(ctx, r))
}

package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// ladder is one that ends with a replacement, each step tried once.
var ladder = []v1alpha1.EscalationStep{{Action: restart, Attempts: 1}, {Action: reboot, Attempts: 1}, {Action: replace, Attempts: 1}}

// TestNothingHarsherFollows has a repair end before anything was done to the machine: the ladder stays where it is. What was
// done and did not help climbs it.
func TestNothingHarsherFollows(t *testing.T) {
	fails := func(err error) func(*world) {
		return func(w *world) { w.cloud.fails = func(int) error { return err } }
	}
	for name, tc := range map[string]struct {
		action v1alpha1.Action
		with   func(*world)
		want   v1alpha1.Action
	}{
		"the cloud refuses":             {reboot, fails(errors.New("UnauthorizedOperation")), reboot},
		"the cloud does not offer it":   {reboot, fails(cloud.ErrNotOffered), reboot},
		"the cloud is busy for long":    {reboot, fails(cloud.ErrPassing), reboot},
		"the cloud never answers":       {reboot, fails(cloud.ErrUnsure), reboot},
		"the agent refuses":             {restart, func(w *world) { w.agent = v1alpha1.AgentRefused }, restart},
		"the agent tries in vain":       {restart, func(w *world) { w.agent = v1alpha1.AgentFailed }, reboot},
		"accepted, and nothing is so":   {reboot, func(w *world) { w.cloud.deaf = true }, replace},
		"rebooted, and still unhealthy": {reboot, func(w *world) { w.cloud.sick = true }, replace},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, tc.action), t.Context()
			w.policy.Spec.Escalation, w.policy.Spec.RememberFailure = ladder, span(24*time.Hour)
			w.publish(ctx)
			tc.with(w)
			w.play(ctx, nil)
			if got := repairpolicy.NextAction(&w.policy.Spec, tc.action, ledger.Machine{Node: "n1"}, w.ledger(ctx), w.clock.Now()); got != tc.want {
				t.Errorf("after %s the next is %s, want %s", w.line(ctx), got, tc.want)
			}
			w.tidy(ctx, 0)
		})
	}
}

// TestRefusedIsRemembered has the same action proposed again and again while it is refused: pods are moved for it once a
// cool-down, which doubles, and what waits says who refused and why.
func TestRefusedIsRemembered(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.policy.Spec.CoolDown, w.policy.Spec.RememberFailure = span(10*time.Minute), span(24*time.Hour)
	w.publish(ctx)
	w.cloud.fails = func(int) error {
		return &cloud.RefusedError{Permission: "ec2:RebootInstances", Err: errors.New("denied")}
	}
	w.play(ctx, nil)
	began, name := w.clock.Now(), "mend"
	var after []time.Duration
	for w.clock.Since(began) < 3*time.Hour {
		asked := w.cloud.reboots
		if r := w.record(ctx, name); r.Status.Phase == v1alpha1.PhaseEnded {
			r = newRemediation(reboot)
			r.Name = fmt.Sprint("mend-", asked)
			r.UID, name = types.UID(r.Name), r.Name
			w.must(w.api.Direct.Create(ctx, r))
		}
		_, err := w.performer().Advance(ctx, name, w.policy)
		w.must(err)
		if w.cloud.reboots > asked {
			after = append(after, w.clock.Since(began).Round(5*time.Minute))
		}
		r := w.record(ctx, name)
		if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed); r.Status.Phase == v1alpha1.PhaseWaiting && (c.Reason != "Refused" ||
			!strings.Contains(c.Message, "machines refused the request because naosu lacks the permission ec2:RebootInstances: denied")) {
			t.Fatalf("after %v it waits for %s: %s", w.clock.Since(began), c.Reason, c.Message)
		}
		w.clock.SetTime(w.clock.Now().Add(15 * time.Second))
		w.tick(ctx)
	}
	if want := []time.Duration{10 * time.Minute, 30 * time.Minute, 70 * time.Minute, 150 * time.Minute}; !slices.Equal(after, want) {
		t.Errorf("asked again after %v, want %v", after, want)
	}
}

func (w *world) record(ctx context.Context, name string) *v1alpha1.Remediation {
	w.t.Helper()
	var r v1alpha1.Remediation
	w.must(w.api.Direct.Get(ctx, client.ObjectKey{Name: name}, &r))
	return &r
}

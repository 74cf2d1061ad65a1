package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

const (
	reboot  = v1alpha1.ActionReboot
	replace = v1alpha1.ActionReplace
	restart = v1alpha1.ActionRestartService
)

// TestPerform plays one course of events each.
func TestPerform(t *testing.T) {
	for name, tc := range map[string]struct {
		action v1alpha1.Action
		// with changes the world before anything happens; when, once the step goes on.
		with func(context.Context, *world)
		step v1alpha1.StepName
		when func(context.Context, *world)

		want string
		// asked is how often the cloud was, result what the ledger remembers.
		asked  int
		result ledger.Result
		// says is part of what the condition Succeeded says.
		says string
		// quiet demands that Advance never fails.
		quiet bool
	}{
		"a reboot": {
			action: reboot, want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"another condition that a person sees to, and that stays": {
			action: reboot, with: gpuByHand, want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"such a condition, which the restart of a service leaves": {
			action: restart, with: func(ctx context.Context, w *world) { gpuByHand(ctx, w); w.agent = v1alpha1.AgentDone },
			want: "Assess Guard Act Wait Dwell Verify: AsForecast", result: ledger.Helped,
		},
		"such a condition, which comes with the reboot": {
			action: reboot, step: v1alpha1.StepWait,
			when: gpuByHand, want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: DidNotHelp", asked: 1, result: ledger.NotHelped,
		},
		"a replacement": {
			action: replace, want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast", asked: 1, result: ledger.Helped,
		},
		"a service that restarts": {
			action: restart, with: func(_ context.Context, w *world) { w.agent = v1alpha1.AgentDone },
			want: "Assess Guard Act Wait Dwell Verify: AsForecast", result: ledger.Helped,
		},
		"a service whose agent refuses": {
			action: restart, with: func(_ context.Context, w *world) { w.agent = v1alpha1.AgentRefused },
			want: "Assess Guard Act(Failed): Refused", result: ledger.Refused, says: "reported Refused",
		},
		"a service that does not restart": {
			action: restart, with: func(_ context.Context, w *world) { w.agent = v1alpha1.AgentFailed },
			want: "Assess Guard Act(Failed): DidNotHelp", result: ledger.NotHelped, says: "reported Failed",
		},
		"a service whose agent is silent": {
			action: restart, want: "Assess Guard Act(Failed): GaveUp", result: ledger.Aborted, says: "did not perform the action within 3m0s",
		},
		"a restart withdrawn before the agent takes it up": {
			action: restart, step: v1alpha1.StepAct, when: reject, want: "Assess Guard Act(Skipped): Rejected", result: ledger.Stopped,
		},

		"a reboot that is accepted and never happens": {
			action: reboot, with: func(_ context.Context, w *world) { w.cloud.deaf = true },
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: DidNotHelp", asked: 1, result: ledger.NotHelped, says: "did not reboot within 3m0s",
		},
		"a node that does not come back": {
			action: reboot, with: func(_ context.Context, w *world) { w.cloud.dead = true },
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: DidNotHelp", asked: 1, result: ledger.NotHelped, says: "did not become Ready",
		},
		"a node that comes back still unhealthy": {
			action: reboot, with: func(_ context.Context, w *world) { w.cloud.sick = true },
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: DidNotHelp", asked: 1, result: ledger.NotHelped, says: "still has NetworkingReady=False",
		},
		"a node that relapses, and is well again in time": {
			action: reboot, step: v1alpha1.StepDwell, when: func(ctx context.Context, w *world) {
				w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", false) })
				w.later(30*time.Second, func() { w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", true) }) })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a node that relapses for good": {
			action: reboot, step: v1alpha1.StepDwell, when: func(ctx context.Context, w *world) {
				w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", false) })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell(Failed) Uncordon: DidNotHelp", asked: 1, result: ledger.NotHelped, says: "did not stay healthy for 1m0s",
		},
		"pods that do not run where they moved": {
			action: reboot, with: func(_ context.Context, w *world) { w.unready = true },
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify(Failed) Uncordon: NotAsForecast", asked: 1, result: ledger.Helped, says: "replicaset/web",
		},
		"pods that somebody has scaled away meanwhile": {
			action: reboot, with: func(_ context.Context, w *world) { w.unready = true }, step: v1alpha1.StepDwell, when: func(ctx context.Context, w *world) {
				w.scale(ctx, 1)
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a node whose own pods do not run": {
			action: reboot, step: v1alpha1.StepWait, when: func(ctx context.Context, w *world) {
				w.editPod(ctx, "agent-n1", func(p *corev1.Pod) { p.Status.Conditions = nil })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify(Failed) Uncordon: DidNotHelp", asked: 1, result: ledger.NotHelped, says: "default/agent-n1",
		},
		"a machine whose replacement is unhealthy": {
			action: replace, with: func(_ context.Context, w *world) { w.cloud.sick = true },
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon(Skipped): DidNotHelp", asked: 1, result: ledger.NotHelped, says: "No healthy node replaced",
		},

		"a budget that never yields": {
			action: reboot, with: func(ctx context.Context, w *world) { w.budget(ctx, 0) },
			want: "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp", result: ledger.Stopped, says: "1 pod remained when the drain reached its deadline: default/web-a",
		},
		"a budget that never yields, where the policy goes on": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.budget(ctx, 0)
				w.policy.Spec.Drain.Fallback = v1alpha1.DrainProceed
			},
			want: "Assess Guard Cordon Drain(Failed) Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a budget that yields in time": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.budget(ctx, 0)
				w.later(time.Minute, func() { w.budget(ctx, 1) })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"two budgets over one pod, which is an error to the API server": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.budget(ctx, 1)
				w.budget(ctx, 1, "another")
			},
			want: "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp", result: ledger.Stopped, says: "default/web-a", quiet: true,
		},
		"pods that do not end": {
			action: reboot, with: func(_ context.Context, w *world) { w.stuck = true },
			want: "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp", result: ledger.Stopped, says: "default/web-a",
		},
		"pods that do not end, on a node that nobody answers for": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.stuck = true
				w.edit(ctx, "n1", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a bare pod that comes after the guard has looked": {
			action: reboot, step: v1alpha1.StepDrain, when: func(ctx context.Context, w *world) {
				w.must(w.api.Direct.Create(ctx, w.newPod("alone", "n1", "", "", "")))
			},
			want: "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp", result: ledger.Stopped, says: "default/alone",
		},

		"an approval withdrawn during the drain": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.policy.Spec.Mode = v1alpha1.ModeApprove
				w.approve(ctx, v1alpha1.Approved)
				w.budget(ctx, 0)
			}, step: v1alpha1.StepDrain, when: reject,
			want: "Assess Guard Cordon Drain(Skipped) Uncordon: Rejected", result: ledger.Stopped,
		},
		"an approval withdrawn when the machine has been asked": {
			action: reboot, step: v1alpha1.StepWait, when: reject,
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a rejection": {action: reboot, with: reject, want: ": Rejected"},
		"a node that is well again": {
			action: reboot, with: func(ctx context.Context, w *world) { heal(ctx, w) }, want: ": NotNeeded", says: "became healthy",
		},
		"a node that is well again during the drain": {
			action: reboot, with: func(ctx context.Context, w *world) { w.budget(ctx, 0) }, step: v1alpha1.StepDrain, when: heal,
			want: "Assess Guard Cordon Drain(Skipped) Uncordon: NotNeeded", result: ledger.Stopped,
		},
		"a node that another has the name of": {
			action: reboot, with: func(ctx context.Context, w *world) { w.budget(ctx, 0) }, step: v1alpha1.StepDrain, when: func(ctx context.Context, w *world) {
				w.must(w.api.Direct.Delete(ctx, w.node(ctx, "n1")))
				another := w.newNode("n1", "a", false)
				another.UID = "another"
				another.Spec.Unschedulable = true // another's cordon
				w.must(w.api.Direct.Create(ctx, another))
				w.allow = []string{"n1"}
			},
			want: "Assess Guard Cordon Drain(Skipped) Uncordon(Skipped): NotNeeded", result: ledger.Stopped, says: "no longer exists",
		},
		"a policy that is deleted during the drain": {
			action: reboot, with: func(ctx context.Context, w *world) { w.budget(ctx, 0) }, step: v1alpha1.StepDrain, when: func(_ context.Context, w *world) { w.noPolicy = true },
			want: "Assess Guard Cordon Drain(Skipped) Uncordon: GaveUp", result: ledger.Stopped, says: "The policy no longer exists",
		},
		"a policy that is deleted when the machine has been asked": {
			action: reboot, step: v1alpha1.StepWait, when: func(_ context.Context, w *world) { w.noPolicy = true },
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a policy that is to report only, during the drain": {
			action: reboot, with: func(ctx context.Context, w *world) { w.budget(ctx, 0) }, step: v1alpha1.StepDrain,
			when: func(_ context.Context, w *world) { w.policy.Spec.Mode = v1alpha1.ModeReport },
			want: "Assess Guard Cordon Drain(Skipped) Uncordon: GaveUp", result: ledger.Stopped, says: "mode is now Report",
		},
		"a policy that is paused during the drain": {
			action: reboot, step: v1alpha1.StepDrain, when: func(_ context.Context, w *world) { w.policy.Spec.Paused = true },
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"an API server that becomes unhealthy during the drain": {
			action: reboot, step: v1alpha1.StepDrain, when: func(_ context.Context, w *world) { w.apiServerReady = false },
			want: "Assess Guard Cordon Drain(Failed) Uncordon: GaveUp", result: ledger.Stopped, says: "The API server is not ready",
		},
		"an API server that is unhealthy for a while during the drain": {
			action: reboot, step: v1alpha1.StepDrain, when: func(_ context.Context, w *world) {
				w.apiServerReady = false
				w.later(time.Minute, func() { w.apiServerReady = true })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a lease that is lost for a while": {
			action: reboot, step: v1alpha1.StepDrain, when: func(_ context.Context, w *world) {
				w.leads = false
				w.later(time.Minute, func() { w.leads = true })
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a node that was cordoned before": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.edit(ctx, "n1", func(n *corev1.Node) { n.Spec.Unschedulable = true })
				w.allow = []string{"n1"}
			},
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast", asked: 1, result: ledger.Helped,
		},

		"a cloud that has too many requests": {
			action: reboot, with: failing(func(n int) bool { return n <= 2 }, cloud.ErrPassing),
			want: "Assess Guard Cordon Drain" + strings.Repeat(" Act(Failed)", 2) + " Act Wait Dwell Verify Uncordon: AsForecast", asked: 3, result: ledger.Helped,
		},
		"a cloud that always has": {
			action: reboot, with: failing(func(int) bool { return true }, cloud.ErrPassing),
			want: "Assess Guard Cordon Drain" + strings.Repeat(" Act(Failed)", 5) + " Uncordon: GaveUp", asked: 5, result: ledger.Stopped, says: "5 times and could not",
		},
		"an approval withdrawn while a cloud has too many requests": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.cloud.fails = func(int) error {
					reject(ctx, w)
					return cloud.ErrPassing
				}
			},
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: GaveUp", asked: 1, result: ledger.Aborted, says: "not known whether machines accepted",
		},
		"a cloud that refuses, for a reason that nobody has heard of": {
			action: reboot, with: failing(func(int) bool { return true }, errors.New("OperationNotPermitted: no")),
			want: "Assess Guard Cordon Drain Act(Failed) Uncordon: Refused", asked: 1, result: ledger.Refused, says: "machines refused the request: OperationNotPermitted: no",
		},
		"a cloud that refuses, for want of a permission": {
			action: replace, with: failing(func(int) bool { return true }, &cloud.RefusedError{Permission: "ec2:Terminate", Err: errors.New("denied")}),
			want: "Assess Guard Cordon Drain Act(Failed) Uncordon: Refused", asked: 1, result: ledger.Refused,
			says: "machines refused the request because naosu lacks the permission ec2:Terminate: denied",
		},
		"a cloud that does not offer it for this machine": {
			action: replace, with: failing(func(int) bool { return true }, cloud.ErrNotOffered),
			want: "Assess Guard Cordon Drain Act(Failed) Uncordon: Refused", asked: 1, result: ledger.Refused,
		},
		"a replacement that is not possible for a while": {
			action: replace, with: failing(func(n int) bool { return n <= 3 }, cloud.ErrPassing),
			want: "Assess Guard Cordon Drain" + strings.Repeat(" Act(Failed)", 3) + " Act Wait Dwell Verify Uncordon(Skipped): AsForecast", asked: 4, result: ledger.Helped,
		},
		"a replacement that is never possible": {
			action: replace, with: failing(func(int) bool { return true }, cloud.ErrPassing),
			want: "Assess Guard Cordon Drain" + strings.Repeat(" Act(Failed)", 5) + " Uncordon: GaveUp", asked: 5, result: ledger.Stopped,
		},
		"a cloud that does not say, and has done it": {
			action: reboot, with: func(_ context.Context, w *world) { w.cloud.lost = func() error { return errors.New("no answer") } },
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon: AsForecast", asked: 1, result: ledger.Helped,
		},
		"a cloud that does not say, and has not": {
			action: reboot, with: failing(func(int) bool { return true }, cloud.ErrUnsure),
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: GaveUp", asked: 1, result: ledger.Aborted, says: "not known whether machines accepted",
		},
		"a replacement that a cloud does not answer for is asked for again": {
			action: replace, with: failing(func(n int) bool { return n <= 2 }, cloud.ErrUnsure),
			want: "Assess Guard Cordon Drain Act Wait Dwell Verify Uncordon(Skipped): AsForecast", asked: 3, result: ledger.Helped,
		},
		"who was held up between word and action leaves the action": {
			action: reboot, with: func(ctx context.Context, w *world) {
				w.api.After = func(c memory.Call) error {
					if c.Verb == "patch/status" && step(w.remediation(ctx)) == v1alpha1.StepAct {
						w.clock.SetTime(w.clock.Now().Add(time.Minute))
					}
					return nil
				}
			},
			want: "Assess Guard Cordon Drain Act Wait(Failed) Uncordon: GaveUp", result: ledger.Aborted,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t, tc.action), t.Context()
			w.quiet = tc.quiet
			if tc.with != nil {
				tc.with(ctx, w)
			}
			w.play(ctx, func() {
				if tc.when != nil && step(w.remediation(ctx)) == tc.step {
					tc.when(ctx, w)
					tc.when = nil
				}
			})
			if got := w.line(ctx); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if asked := w.cloud.reboots + w.cloud.replaces; asked != tc.asked {
				t.Errorf("the cloud was asked %d times, want %d", asked, tc.asked)
			}
			end := meta.FindStatusCondition(w.remediation(ctx).Status.Conditions, v1alpha1.RemediationSucceeded)
			if !strings.Contains(end.Message, tc.says) {
				t.Errorf("it says %q, want %q", end.Message, tc.says)
			}
			var results []ledger.Result
			for _, e := range w.ledger(ctx).Entries {
				results = append(results, e.Result)
			}
			if want := slices.DeleteFunc([]ledger.Result{tc.result}, func(r ledger.Result) bool { return r == "" }); !slices.Equal(results, want) {
				t.Errorf("the ledger remembers %q, want %q", results, want)
			}
			w.tidy(ctx, 0)
		})
	}
}

func reject(ctx context.Context, w *world) { w.approve(ctx, v1alpha1.Rejected) }

func heal(ctx context.Context, w *world) {
	w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "NetworkingReady", true) })
}

func failing(when func(n int) bool, with error) func(context.Context, *world) {
	return func(_ context.Context, w *world) {
		w.cloud.fails = func(n int) error {
			if when(n) {
				return fmt.Errorf("%w", with)
			}
			return nil
		}
	}
}

// gpuByHand has n1 lack its accelerators, which a rule of the policy leaves to a person.
func gpuByHand(ctx context.Context, w *world) {
	w.policy.Spec.Rules = append(w.policy.Spec.Rules, v1alpha1.RepairRule{Name: "gpu", Condition: "AcceleratedHardwareReady", Status: "False", Action: v1alpha1.ActionNone})
	w.edit(ctx, "n1", func(n *corev1.Node) { w.state(n, "AcceleratedHardwareReady", false) })
}

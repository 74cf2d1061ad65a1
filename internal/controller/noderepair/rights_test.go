package noderepair

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// forbid takes permissions from the Reconciler, each as "verb resource"; what it tries all the same is noted.
func (b *bench) forbid(rights ...string) (tried *[]string) {
	tried = &[]string{}
	b.Client = interceptor.NewClient(b.Client.(client.WithWatch), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			review, is := o.(*authorizationv1.SelfSubjectAccessReview)
			if !is {
				return c.Create(ctx, o, opts...)
			}
			asked := review.Spec.ResourceAttributes
			if slices.Contains(rights, "everything") {
				return errors.New("no answer")
			}
			review.Status.Allowed = !slices.Contains(rights, asked.Verb+" "+asked.Resource)
			return nil
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if _, is := o.(*corev1.Node); is {
				*tried = append(*tried, "patch "+o.GetName())
			}
			return c.Patch(ctx, o, patch, opts...)
		},
	})
	return tried
}

func TestPermission(t *testing.T) {
	for name, tc := range map[string]struct {
		forbidden string
		action    v1alpha1.Action
		approval  v1alpha1.Approval
		want      guard.Decision
		reason    guard.Reason
	}{
		"nothing is forbidden":                {"", v1alpha1.ActionReboot, "", guard.Allow, ""},
		"to cordon":                           {"patch nodes", v1alpha1.ActionReboot, "", guard.Deny, NotPermitted},
		"to cordon, though approved":          {"patch nodes", v1alpha1.ActionReplace, v1alpha1.Approved, guard.Deny, NotPermitted},
		"to cordon, for a service":            {"patch nodes", v1alpha1.ActionRestartService, "", guard.Allow, ""},
		"to evict":                            {"create pods", v1alpha1.ActionReplace, "", guard.Deny, NotPermitted},
		"to act":                              {"act remediations", v1alpha1.ActionReboot, "", guard.Deny, NotPermitted},
		"to act, for a service":               {"act remediations", v1alpha1.ActionRestartService, "", guard.Deny, NotPermitted},
		"to act, though approved":             {"act remediations", v1alpha1.ActionReboot, v1alpha1.Approved, guard.Deny, NotPermitted},
		"to act unasked":                      {"automate remediations", v1alpha1.ActionReboot, "", guard.Delay, guard.AwaitingApproval},
		"to act unasked, for a service":       {"automate remediations", v1alpha1.ActionRestartService, "", guard.Delay, guard.AwaitingApproval},
		"to act unasked, but it is approved":  {"automate remediations", v1alpha1.ActionReboot, v1alpha1.Approved, guard.Allow, ""},
		"to act unasked, and it was rejected": {"automate remediations", v1alpha1.ActionReboot, v1alpha1.Rejected, guard.Delay, guard.AwaitingApproval},
		"nobody answers":                      {"everything", v1alpha1.ActionReboot, v1alpha1.Approved, guard.Delay, guard.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(v1alpha1.ModeAuto)
			b := newBench(t, &machines{}, append(healthy(9), &p, node("n1", "1a", down(time.Hour)))...)
			b.forbid(tc.forbidden)
			r := over("r1", "links", "")
			r.Spec.Node = v1alpha1.NodeReference{Name: "n1", UID: "uid-n1"}
			r.Spec.Policy.Rule, r.Spec.Evidence.Condition, r.Spec.Plan, r.Spec.Approval = "link", "NetworkingReady", v1alpha1.NodePlan(tc.action, ""), tc.approval
			ruling, err := b.CheckGuard(t.Context(), r, &p, outcome.Outcome{World: b.World(), Compared: &outcome.Comparison{Futures: seeds}}, guard.Known(ledger.Ledger{}, b.clock.Now()))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(ruling.All, func(n guard.Named) bool { return n.Check == "permission" })
			if at < 0 || ruling.All[at].Decision != tc.want || ruling.All[at].Reason != tc.reason {
				t.Fatalf("ruled %+v, want %s, %s", ruling.All, tc.want, tc.reason)
			}
			if tc.approval != v1alpha1.Rejected && (ruling.Decision != tc.want || ruling.Reason != tc.reason) {
				t.Errorf("it comes to %s, %s", ruling.Decision, ruling.Reason)
			}
		})
	}
}

// Where the chart gave it no more than to report, what a policy of mode Auto asks for is proposed and denied, and nothing is tried.
func TestReportOnlyByRights(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(9), &p, node("n1", "1a", down(time.Hour)))...)
	if err := b.Client.Create(t.Context(), node("n1", "1a", down(time.Hour))); err != nil {
		t.Fatal(err)
	}
	tried := b.forbid("patch nodes", "create pods", "act remediations", "automate remediations")
	for range 3 {
		if _, err := b.ReconcileAll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all := b.remediations(t)
	if len(all) != 1 {
		t.Fatalf("%d Remediations", len(all))
	}
	allowed := meta.FindStatusCondition(all[0].Status.Conditions, v1alpha1.RemediationAllowed)
	if all[0].Status.Phase != v1alpha1.PhaseProposed || allowed == nil || allowed.Reason != string(NotPermitted) || !strings.Contains(allowed.Message, "act remediations.naosu.dev") {
		t.Errorf("it is %s, %+v", all[0].Status.Phase, allowed)
	}
	if len(*tried) > 0 {
		t.Errorf("it tried to %v", *tried)
	}
	if ready := meta.FindStatusCondition(b.status(t).Conditions, v1alpha1.PolicyReady); ready.Reason != v1alpha1.PolicyNoActuatorReason || !strings.Contains(ready.Message, "act remediations.naosu.dev") {
		t.Errorf("the policy is %+v", ready)
	}
}

// Of a policy of mode Auto its status tells whether the role lets it act unasked, which whoever checks beforehand cannot ask.
func TestUnasked(t *testing.T) {
	for name, tc := range map[string]struct {
		mode      v1alpha1.Mode
		forbidden string
		want      string
	}{
		"it may":           {v1alpha1.ModeAuto, "", v1alpha1.PolicyPermittedReason},
		"it may not":       {v1alpha1.ModeAuto, "automate remediations", v1alpha1.PolicyNotPermittedReason},
		"nobody answers":   {v1alpha1.ModeAuto, "everything", v1alpha1.PolicyNotAnsweredReason},
		"people are asked": {v1alpha1.ModeApprove, "automate remediations", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(tc.mode)
			p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.PolicyUnasked, Status: metav1.ConditionTrue, Reason: "Before", LastTransitionTime: metav1.Now()}}
			b := newBench(t, &machines{may: v1alpha1.MayYes}, append(healthy(9), &p)...)
			b.forbid(tc.forbidden)
			if _, err := b.ReconcileAll(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := ""
			if c := meta.FindStatusCondition(b.status(t).Conditions, v1alpha1.PolicyUnasked); c != nil {
				got = c.Reason
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// Only what an action takes is asked for.
func TestRightsTo(t *testing.T) {
	for action, want := range map[v1alpha1.Action]string{
		v1alpha1.ActionReboot: "act remediations, patch nodes, create pods/eviction", v1alpha1.ActionRestartService: "act remediations",
		v1alpha1.ActionEvict: "act remediations, create pods/eviction", v1alpha1.ActionDeleteInterface: "act remediations",
	} {
		var got []string
		for _, right := range rightsTo(action) {
			got = append(got, right.Verb+" "+strings.Trim(right.Resource+"/"+right.Subresource, "/"))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", action, got, want)
		}
	}
}

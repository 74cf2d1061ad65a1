package admission

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

const (
	needsEvict = `lacks the verb "create" on pods/eviction`
	ownRequest = "sets spec.request.by to their own name"
)

// TestRequest lets nobody have the controller evict a pod that they could not evict themselves, and nothing begin that nobody has approved.
func TestRequest(t *testing.T) {
	b := newFixture(t)
	for name, tc := range map[string]struct {
		user string
		r    *v1alpha1.Remediation
		why  string
	}{
		"by who may evict all pods":         {"rebalancer", request("rebalancer", "shop", "bank"), ""},
		"whose name is generated":           {"rebalancer", with(request("rebalancer", "shop"), nameless), ""},
		"by who may evict in the namespace": {"shop-owner", request("shop-owner", "shop", "shop"), ""},
		"by them in another namespace":      {"shop-owner", request("shop-owner", "bank"), needsEvict},
		"by them in another, too":           {"shop-owner", request("shop-owner", "shop", "bank"), needsEvict},
		"with rights to create alone":       {"driller", request("driller", "shop"), needsEvict},
		"with every right on Remediations":  {"editor", request("editor", "shop"), needsEvict},
		"by who may propose and begin":      {"performer", request("performer", "shop"), needsEvict},
		"in another's name":                 {"rebalancer", request("editor", "shop"), ownRequest},
		"approved at creation":              {"rebalancer", with(request("rebalancer", "shop"), approved("rebalancer")), "cannot be set at creation"},
		"called a policy's": {"rebalancer", with(request("rebalancer", "shop"), func(r *v1alpha1.Remediation) {
			r.Spec.Policy = v1alpha1.PolicyReference{Kind: "RebalancePolicy", Name: "p", Rule: "balance"}
		}), "must not be set together with policy"},
		"called a drill": {"rebalancer", with(request("rebalancer", "shop"), func(r *v1alpha1.Remediation) { r.Spec.Drill = drill("x").Spec.Drill }), "spec.request"},
		"of a reboot":    {"rebalancer", with(request("rebalancer"), func(r *v1alpha1.Remediation) { r.Spec.Plan = v1alpha1.NodePlan(v1alpha1.ActionReboot, "") }), "must be 1 to 30 evictions"},
		"of a reboot beside an eviction": {"rebalancer", with(request("rebalancer", "shop"), func(r *v1alpha1.Remediation) {
			r.Spec.Changes = append(r.Spec.Changes, v1alpha1.Change{Action: v1alpha1.ActionReboot})
		}), "spec.plan"},
		"a policy's, by who may request evictions": {"rebalancer", with(request("", "shop"), func(r *v1alpha1.Remediation) {
			r.Spec.Request, r.Spec.Policy = nil, v1alpha1.PolicyReference{Kind: "RebalancePolicy", Name: "p", Rule: "balance"}
		}), needsPropose},
		"by an approver, who may not create":       {"approver", request("approver", "shop"), "cannot create resource"},
		"of more evictions than a Remediation has": {"rebalancer", request("rebalancer", strings.Split(strings.Repeat("shop,", 31)+"shop", ",")...), "must be 1 to 30 evictions"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, b.as(t, tc.user).Create(t.Context(), tc.r, client.DryRunAll), tc.why)
		})
	}
}

// TestRequestStays lets nobody change what was requested, and the controller begin it only once it is approved, whatever it may do unasked.
func TestRequestStays(t *testing.T) {
	b := newFixture(t)
	const begun = `{"status":{"phase":"Running","steps":[{"name":"Act","startedAt":"2026-11-22T12:00:00.000000Z"}]}}`
	r := request("rebalancer", "shop")
	if err := b.as(t, "rebalancer").Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), r) })
	for user, why := range map[string]string{"rebalancer": "cannot patch resource", "editor": "cannot be changed", "proposer": "cannot be changed", "": "cannot be changed"} {
		wantRefused(t, b.as(t, user).Patch(t.Context(), r.DeepCopy(), merge(`{"spec":{"request":{"maxSharePercent":1}}}`)), why)
		wantRefused(t, b.as(t, user).Patch(t.Context(), r.DeepCopy(), merge(`{"spec":{"plan":[{"action":"Evict","subject":{"kind":"Pod","namespace":"bank","name":"b","uid":"u"}}]}}`)), why)
	}
	wantRefused(t, b.as(t, "rebalancer").Patch(t.Context(), r.DeepCopy(), merge(`{"spec":{"approval":"Approved","approvedBy":"rebalancer"}}`)), "cannot patch resource")
	wantRefused(t, b.as(t, "editor").Patch(t.Context(), r.DeepCopy(), merge(`{"spec":{"approval":"Approved","approvedBy":"editor"}}`)), needsApprove)
	wantRefused(t, b.as(t, controller).Status().Patch(t.Context(), r.DeepCopy(), merge(begun)), "cannot begin before they are approved")
	wantRefused(t, b.as(t, "approver").Patch(t.Context(), r.DeepCopy(), merge(`{"spec":{"approval":"Approved","approvedBy":"approver"}}`)), "")
	wantRefused(t, b.as(t, controller).Status().Patch(t.Context(), r.DeepCopy(), merge(begun)), "")
}

package rebalancepolicy

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Request is the Remediation by which a person requests a plan that has evictions.
func Request(request v1alpha1.Request, judge *scheduling.Judge, plan rebalance.Plan, now time.Time) *v1alpha1.Remediation {
	r, _ := propose(plan, judge.World(), now)
	r.Spec.Request = &request
	r.Name = "rebalance-" + hashOf(r, "", now)
	return r
}

// PolicyOf is the policy that a person's request stands for: its evictions need approval, and no policy limits them.
func PolicyOf(r *v1alpha1.Remediation) *v1alpha1.RebalancePolicy {
	return &v1alpha1.RebalancePolicy{Spec: v1alpha1.RebalancePolicySpec{
		Mode: v1alpha1.ModeApprove, MaxSharePercent: r.Spec.Request.MaxSharePercent, MaxUtilizationDeviationPercent: r.Spec.Request.MaxUtilizationDeviationPercent,
	}}
}

// RequestOptions are those of a plan of the evictions that a person requested, and of no others.
func RequestOptions(r *v1alpha1.Remediation) rebalance.Options {
	return rebalance.Options{
		MaxShare:                rebalance.Share(int(r.Spec.Request.MaxSharePercent)),
		MaxUtilizationDeviation: int(r.Spec.Request.MaxUtilizationDeviationPercent),
		Asks: func(ref change.Ref) bool {
			return slices.ContainsFunc(r.Spec.Subjects, func(s v1alpha1.Subject) bool { return refOf(s) == ref })
		},
		Evictable: func(pod *corev1.Pod) bool {
			return slices.ContainsFunc(r.Spec.Changes, func(c v1alpha1.Change) bool { return c.Subject != nil && c.Subject.UID == pod.UID })
		},
	}
}

// PlanAgain plans what a person requested once more, with no evictions but those of the request.
func PlanAgain(ctx context.Context, judge *scheduling.Judge, r *v1alpha1.Remediation) (rebalance.Plan, error) {
	plan, err := rebalance.New(ctx, judge, RequestOptions(r))
	if err != nil {
		return plan, fmt.Errorf("planning the evictions of a request: %w", err)
	}
	return plan, nil
}

// ForecastOf is the forecast of what a person requested, if planning it again leads to the same evictions in the same waves; nil if it does not. A request
// that nobody could have planned has none.
func ForecastOf(ctx context.Context, judge *scheduling.Judge, r *v1alpha1.Remediation, now time.Time) (*v1alpha1.Forecast, error) {
	plan, err := PlanAgain(ctx, judge, r)
	if err != nil {
		return nil, err
	}
	planned, forecast := propose(plan, judge.World(), now)
	if !sameEvictions(planned, r) {
		return nil, nil
	}
	return forecast, nil
}

// sameEvictions says whether two Remediations evict the same pods of the same workloads in the same waves.
func sameEvictions(a, b *v1alpha1.Remediation) bool {
	return reflect.DeepEqual(a.Spec.Changes, b.Spec.Changes) && reflect.DeepEqual(a.Spec.Subjects, b.Spec.Subjects)
}

// Settle is the Remediation by which a person requests a plan, and the plan as it is when it is planned again until it stays the same. A plan that was made
// among other evictions, some of which were left out, may need fewer of its own.
func Settle(ctx context.Context, request v1alpha1.Request, judge *scheduling.Judge, plan rebalance.Plan, now time.Time) (*v1alpha1.Remediation, rebalance.Plan, error) {
	r := Request(request, judge, plan, now)
	for range v1alpha1.MaxPolicyEvictions { // Each round but the last leaves evictions out.
		again, err := PlanAgain(ctx, judge, r)
		if err != nil {
			return nil, plan, err
		}
		next := Request(request, judge, again, now)
		if sameEvictions(next, r) {
			break
		}
		r, plan = next, again
	}
	return r, plan, nil
}

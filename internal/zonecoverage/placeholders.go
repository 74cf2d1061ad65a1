package zonecoverage

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Placeholders are what placeholder pods hold room for in a zone for a policy with which an autoscaler adds nodes: at most maxAddedNodes, for as long as the
// pods do not run that they stand for, whether or not the zone is covered without them. Where it is not, none is added before it has lacked a node for
// resize.lackSeconds; holds says which are there. Nothing is held in mode Report.
func Placeholders(z Zone, f Facts, holds func(headroompolicy.ZoneRoom) bool) []headroompolicy.ZoneRoom {
	if f.Policy.Spec.ZoneCoverage == nil || f.Policy.Spec.Mode != v1alpha1.ModeAuto || !f.Policy.AddsNodes() {
		return nil
	}
	added := z.Covered == metav1.ConditionTrue || z.Covered == metav1.ConditionFalse && lackedFor(f, lackOf(f.Policy))
	var held []headroompolicy.ZoneRoom
	for _, room := range expected(z, f) {
		if added || holds(room) {
			held = append(held, room)
		}
	}
	return held
}

// decidePlaceholders says what becomes of a zone that is not covered, for a policy with which an autoscaler adds nodes.
func decidePlaceholders(z Zone, f Facts) Decision {
	n := len(expected(z, f))
	lack := lackOf(f.Policy)
	switch {
	case n == 0:
		return Decision{Reason: v1alpha1.ZoneAutoscalerReason, Why: sentence.ZoneAutoscalerAdds()}
	case f.Policy.Spec.Mode != v1alpha1.ModeAuto:
		return Decision{Reason: v1alpha1.ZoneReportOnlyReason, Why: sentence.ZonePlaceholdersAsked(n)}
	case f.Policy.Spec.Paused:
		return Decision{Reason: v1alpha1.PolicyPausedReason, Why: sentence.GuardPaused()}
	case !lackedFor(f, lack):
		wait := lack
		if f.Before != nil && f.Before.LackingSince != nil {
			wait -= f.Now.Sub(f.Before.LackingSince.Time)
		}
		return Decision{Reason: v1alpha1.ZoneLackingReason, Why: sentence.ZonePlaceholdersSoon(n, int(lack.Seconds())), Wait: wait}
	}
	return Decision{Reason: v1alpha1.ZoneAutoscalerReason, Why: sentence.ZonePlaceholders(n)}
}

// expected are the first of what is expected in a zone, as many as the policy allows.
func expected(z Zone, f Facts) []headroompolicy.ZoneRoom {
	return z.Expected[:min(len(z.Expected), mostAdded(f.Policy))]
}

// mostAdded is maxAddedNodes of a policy.
func mostAdded(policy *v1alpha1.HeadroomPolicy) int {
	return int(ptr.Deref(policy.Spec.ZoneCoverage.MaxAddedNodes, v1alpha1.DefaultMaxAddedNodes))
}

// lackOf is resize.lackSeconds of a policy.
func lackOf(policy *v1alpha1.HeadroomPolicy) time.Duration {
	return time.Duration(ptr.Deref(policy.Spec.Resize.LackSeconds, v1alpha1.DefaultLackSeconds)) * time.Second
}

package headroompolicy

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Decision is whether a room is resized now.
type Decision struct {
	// Resize is whether the room is made what the Assessment's Plan says.
	Resize bool
	// Wait is the time after which to decide again although nothing happens; zero is no time.
	Wait time.Duration
	// LackingSince and ExcessSince are what the status says from now on.
	LackingSince, ExcessSince *metav1.Time
}

// Decide is whether the room of a policy that holds one is resized: at once where it holds nothing yet or exceeds maxRoom; else if it has not survived a
// failure, or has cost too much, for as long as the policy says. A room that is as it should be, or that is not known, stays as it is.
func Decide(policy *v1alpha1.HeadroomPolicy, a Assessment, now time.Time) Decision {
	var d Decision
	status := policy.Status
	if a.Covered == metav1.ConditionFalse {
		d.LackingSince = since(status.LackingSince, now)
	}
	if a.Excess {
		d.ExcessSince = since(status.ExcessSince, now)
	}
	if !a.Known || policy.Spec.Paused || !policy.Holds() {
		return d
	}
	if a.OverMaximum || status.ResizedAt == nil && a.Covered != metav1.ConditionTrue {
		d.Resize = true
		return d
	}
	d.Resize, d.Wait = due(policy, d, now)
	return d
}

// due is whether a room has lacked, or cost too much, for as long as the policy says, and otherwise the time until it has; zero is never.
func due(policy *v1alpha1.HeadroomPolicy, d Decision, now time.Time) (is bool, wait time.Duration) {
	resize, status := policy.Spec.Resize, policy.Status
	lack := time.Duration(ptr.Deref(resize.LackSeconds, v1alpha1.DefaultLackSeconds)) * time.Second
	excess := time.Duration(ptr.Deref(resize.ExcessMinutes, v1alpha1.DefaultExcessMinutes)) * time.Minute
	for _, limit := range []struct {
		since *metav1.Time
		after time.Duration
	}{{d.LackingSince, lack}, {d.ExcessSince, excess}} {
		if limit.since == nil {
			continue
		}
		from := limit.since.Time
		if status.ResizedAt != nil && status.ResizedAt.After(from) { // Placeholder pods take a while to be bound.
			from = status.ResizedAt.Time
		}
		left := limit.after - now.Sub(from)
		if left <= 0 {
			return true, 0
		}
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return false, wait
}

func since(before *metav1.Time, now time.Time) *metav1.Time {
	if before != nil {
		return before
	}
	return new(metav1.NewTime(now))
}

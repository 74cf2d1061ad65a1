package requeue

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// TestDecided passes decisions about the Remediations of one kind of policy only, and not their status.
func TestDecided(t *testing.T) {
	of := func(kind string, generation int64, abort string) *v1alpha1.Remediation {
		r := &v1alpha1.Remediation{}
		r.Spec.Policy.Kind, r.Generation, r.Annotations = kind, generation, map[string]string{v1alpha1.RemediationAbortAnnotation: abort}
		return r
	}
	decided := Decided("AddressPolicy")
	before := of("AddressPolicy", 1, "")
	for name, tc := range map[string]struct {
		after *v1alpha1.Remediation
		want  bool
	}{
		"its status":            {of("AddressPolicy", 1, ""), false},
		"an approval":           {of("AddressPolicy", 2, ""), true},
		"an abort":              {of("AddressPolicy", 1, "true"), true},
		"of another policy":     {of("RebalancePolicy", 2, "true"), false},
		"of a policy that ends": {of("", 2, ""), false},
	} {
		if got := decided.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: tc.after}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !decided.Create(event.CreateEvent{Object: before}) || decided.Create(event.CreateEvent{Object: of("RebalancePolicy", 1, "")}) {
		t.Error("at the start, other Remediations than those of the kind are passed")
	}
}

// TestOnceReady reconciles only when it may.
func TestOnceReady(t *testing.T) {
	ready, calls := false, 0
	r := OnceReady(func() bool { return ready }, func(context.Context) (time.Duration, error) {
		calls++
		return time.Minute, nil
	})
	if got, err := r(t.Context(), reconcile.Request{}); err != nil || got.RequeueAfter != SyncRetry || calls != 0 {
		t.Errorf("before, it is %+v, %v after %d calls", got, err, calls)
	}
	ready = true
	if got, err := r(t.Context(), reconcile.Request{}); err != nil || got.RequeueAfter != time.Minute || calls != 1 {
		t.Errorf("then, it is %+v, %v after %d calls", got, err, calls)
	}
}

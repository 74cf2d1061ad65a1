package action

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// TestApprovalIsSeen writes down whose word was seen and when, at once where nothing else has changed, and when it is taken back.
func TestApprovalIsSeen(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	w.policy.Spec.Mode = v1alpha1.ModeReport
	seen := func() *metav1.Condition {
		t.Helper()
		if _, err := w.performer().Advance(ctx, w.remediation(ctx).Name, w.policy); err != nil {
			t.Fatal(err)
		}
		return meta.FindStatusCondition(w.remediation(ctx).Status.Conditions, v1alpha1.RemediationApproved)
	}
	w.publish(ctx)
	if c := seen(); c != nil {
		t.Errorf("nobody has spoken, and it has %+v", c)
	}
	w.clock.SetTime(w.clock.Now().Add(10 * time.Second))
	r := w.remediation(ctx)
	r.Spec.Approval, r.Spec.ApprovedBy = v1alpha1.Approved, "ann"
	w.must(w.api.Direct.Update(ctx, r))
	at := metav1.NewTime(w.clock.Now()).Rfc3339Copy()
	for range 3 {
		if c := seen(); c == nil || c.Status != metav1.ConditionTrue || c.Reason != "Approved" || c.Message != "ann approved the Remediation." || !c.LastTransitionTime.Equal(&at) {
			t.Errorf("it has %+v, want it approved by ann at %v", c, at)
		}
		w.clock.SetTime(w.clock.Now().Add(time.Second))
	}
	r = w.remediation(ctx)
	r.Spec.Approval, r.Spec.ApprovedBy = v1alpha1.Rejected, "" // as a record of an older version
	w.must(w.api.Direct.Update(ctx, r))
	if c := seen(); c == nil || c.Status != metav1.ConditionFalse || c.Reason != "Rejected" || c.Message != "A user rejected the Remediation." || c.LastTransitionTime.Equal(&at) {
		t.Errorf("it has %+v, want it rejected", c)
	}
}

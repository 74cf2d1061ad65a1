package headroompolicy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
)

func TestFindings(t *testing.T) {
	is := func(status metav1.ConditionStatus, reason string) func(*v1alpha1.HeadroomPolicy) {
		return func(p *v1alpha1.HeadroomPolicy) {
			p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.HeadroomCovered, Status: status, Reason: reason, Message: "Why."}}
		}
	}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.HeadroomPolicy)
		want finding.Severity
	}{
		"it covers":           {is(metav1.ConditionTrue, v1alpha1.HeadroomCoveredReason), ""},
		"it reports":          {func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeReport }, ""},
		"no controller":       {func(*v1alpha1.HeadroomPolicy) {}, finding.Warning},
		"a maximum":           {is(metav1.ConditionFalse, v1alpha1.HeadroomMaximumReachedReason), finding.Warning},
		"it is being resized": {is(metav1.ConditionFalse, v1alpha1.HeadroomNotBoundReason), finding.Info},
		"it is not known":     {is(metav1.ConditionUnknown, v1alpha1.HeadroomUnreadReason), finding.Warning},
	} {
		got := Findings([]v1alpha1.HeadroomPolicy{*policyOf(tc.edit)})
		if len(got) != 0 && got[0].Severity != tc.want || len(got) == 0 != (tc.want == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

package headroompolicy

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

func TestFindings(t *testing.T) {
	is := func(status metav1.ConditionStatus, reason string) func(*v1alpha1.HeadroomPolicy) {
		return func(p *v1alpha1.HeadroomPolicy) {
			p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.HeadroomCovered, Status: status, Reason: reason, Message: "Why."}}
		}
	}
	zones := func(status metav1.ConditionStatus, reason string) func(*v1alpha1.HeadroomPolicy) {
		return func(p *v1alpha1.HeadroomPolicy) {
			p.Spec.Survive, p.Spec.ZoneCoverage = v1alpha1.HeadroomFailures{}, &v1alpha1.HeadroomZoneCoverage{}
			p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ZonesCovered, Status: status, Reason: reason, Message: "Why."}}
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
		"zones are covered":   {zones(metav1.ConditionTrue, v1alpha1.ZonesCoveredReason), ""},
		"a zone is not":       {zones(metav1.ConditionFalse, v1alpha1.ZoneMaximumReachedReason), finding.Warning},
		"a group is resized":  {zones(metav1.ConditionFalse, v1alpha1.ZoneResizingReason), finding.Info},
		"zones are not known": {zones(metav1.ConditionUnknown, v1alpha1.ZoneUnreadReason), finding.Warning},
		"zones, no controller": {func(p *v1alpha1.HeadroomPolicy) {
			zones(metav1.ConditionTrue, "")(p)
			p.Status.Conditions = nil
		}, finding.Warning},
		"zones, mode Report": {func(p *v1alpha1.HeadroomPolicy) {
			zones(metav1.ConditionFalse, v1alpha1.ZoneReportOnlyReason)(p)
			p.Spec.Mode = v1alpha1.ModeReport
		}, ""},
	} {
		got := Findings([]v1alpha1.HeadroomPolicy{*policyOf(tc.edit)})
		if len(got) != 0 && got[0].Severity != tc.want || len(got) == 0 != (tc.want == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestWhy says in Japanese, from the status alone, what the condition's message says in English.
func TestWhy(t *testing.T) {
	p := policyOf(func(p *v1alpha1.HeadroomPolicy) {
		p.Spec.MaxRoom = v1alpha1.HeadroomAmount{CPU: resource.MustParse("1"), Memory: resource.MustParse("2Gi"), Placeholders: new(int32(5))}
		p.Status.Wanted = &v1alpha1.HeadroomHeld{Placeholders: 3, CPU: resource.MustParse("2100m"), Memory: resource.MustParse("3Gi")}
		p.Status.Bound = &v1alpha1.HeadroomHeld{Placeholders: 1}
		p.Status.Failures = []v1alpha1.HeadroomFailureStatus{
			{Name: "zone a", Covered: metav1.ConditionFalse, LackingPods: 2, LackingCPU: resource.MustParse("1400m"), LackingMemory: resource.MustParse("2Gi")},
			{Name: "zone b", Covered: metav1.ConditionUnknown},
		}
	})
	const english = "Why in English."
	for _, tc := range []struct {
		status metav1.ConditionStatus
		reason string
		want   []string
	}{
		{"False", v1alpha1.HeadroomMaximumReachedReason, []string{"zone a", "2 個", "1400m/2Gi", "3 個 (2100m/3Gi)", "maxRoom"}},
		{"False", v1alpha1.HeadroomNotBoundReason, []string{"zone a", "プレースホルダー Pod 2 個"}},
		{"False", v1alpha1.HeadroomNeedsNodesReason, []string{"zone a", "今のノード"}},
		{"False", v1alpha1.HeadroomNoPriorityClassReason, []string{"naosu-headroom-ignore"}},
		{"False", v1alpha1.PolicyNotPermittedReason, []string{"権限"}},
		{"Unknown", v1alpha1.HeadroomUnreadReason, []string{"zone b", "読み取れません"}},
		{"Unknown", v1alpha1.HeadroomNotFoundReason, []string{"zone b", "がありません"}},
		{"Unknown", v1alpha1.HeadroomNotSizedReason, []string{"zone b", "計算できません"}},
		{"False", "Other", []string{english}},
	} {
		said := message.Japanese().Say(why(p, &metav1.Condition{Status: tc.status, Reason: tc.reason, Message: english}))
		for _, want := range tc.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not in %s", tc.reason, want, said)
			}
		}
		if strings.Contains(said, english) != (tc.reason == "Other") {
			t.Errorf("%s: %s", tc.reason, said)
		}
	}
}

package headroompolicy

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
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
		p.Status.NeededNodes, p.Status.UnreadKinds, p.Status.MissingWorkloads = 4, []string{"ReplicaSet"}, []string{"shop/deployment/gone"}
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
		{"False", v1alpha1.HeadroomNeedsNodesReason, []string{"zone a", "さらに 4 台"}},
		{"False", v1alpha1.HeadroomNoPriorityClassReason, []string{"naosu-headroom-ignore"}},
		{"False", v1alpha1.PolicyNotPermittedReason, []string{"権限"}},
		{"Unknown", v1alpha1.HeadroomUnreadReason, []string{"zone b", "ReplicaSet をすべては読み取れません"}},
		{"Unknown", v1alpha1.HeadroomNotFoundReason, []string{"zone b", "shop/deployment/gone はクラスターにありません"}},
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

// TestMoreFailures: what is not named is counted, in the condition and in the finding.
func TestMoreFailures(t *testing.T) {
	const all = mostNamed + 3
	a := assessment{policy: policyOf()}
	p := policyOf(func(p *v1alpha1.HeadroomPolicy) {
		p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.HeadroomCovered, Status: metav1.ConditionFalse, Reason: v1alpha1.HeadroomNotBoundReason}}
	})
	for i := range all {
		name := fmt.Sprintf("zone %d", i)
		a.note(headroomFailure{name: message.Verbatim(name), covered: metav1.ConditionFalse})
		p.Status.Failures = append(p.Status.Failures, v1alpha1.HeadroomFailureStatus{Name: name, Covered: metav1.ConditionFalse})
	}
	for of, said := range map[string]string{
		"the finding":   message.English().Say(Findings([]v1alpha1.HeadroomPolicy{*p})[0].Message),
		"the condition": message.English().Say(sentence.HeadroomPolicyLacks(firstOf(a.lacks), message.Sentence{})),
	} {
		if !strings.Contains(said, "; 3 more failures") || strings.Contains(said, fmt.Sprintf("zone %d", mostNamed)) {
			t.Errorf("%s: %s", of, said)
		}
	}
}

// TestWhyZones says in both languages why zones are not covered, each reason once, and quotes the details.
func TestWhyZones(t *testing.T) {
	zone := func(name, reason string) v1alpha1.HeadroomZoneStatus {
		return v1alpha1.HeadroomZoneStatus{Name: name, Covered: metav1.ConditionFalse, Reason: reason, Message: "The details of " + name + "."}
	}
	p := policyOf(func(p *v1alpha1.HeadroomPolicy) {
		p.Spec.Survive, p.Spec.ZoneCoverage = v1alpha1.HeadroomFailures{}, &v1alpha1.HeadroomZoneCoverage{}
		p.Status.Zones = []v1alpha1.HeadroomZoneStatus{
			zone("a", v1alpha1.ZoneMaximumReachedReason), zone("b", v1alpha1.ZoneResizeFailedReason), zone("c", v1alpha1.ZoneMaximumReachedReason),
			{Name: "d", Covered: metav1.ConditionTrue, Reason: v1alpha1.ZonesCoveredReason},
		}
		p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ZonesCovered, Status: metav1.ConditionFalse, Reason: v1alpha1.ZoneMaximumReachedReason, Message: "In English."}}
	})
	f := Findings([]v1alpha1.HeadroomPolicy{*p})[0]
	for printer, want := range map[message.Printer][]string{
		message.English():  {"Not covered: a and c. The maximum size", "Not covered: b. A resize did not help"},
		message.Japanese(): {"次のゾーンはカバーされていません: a、c。", "最大サイズ", "台数を変更しても改善しませんでした"},
	} {
		said := printer.Say(f.Message)
		for _, want := range want {
			if !strings.Contains(said, want) || strings.Contains(said, "In English.") {
				t.Errorf("%q is not in %s", want, said)
			}
		}
	}
	var quoted []string
	for _, cause := range f.Causes {
		for _, e := range cause.Evidence {
			quoted = append(quoted, e.Value)
		}
	}
	if got := strings.Join(quoted, "|"); got != "False MaximumReached|The details of a.|The details of c.|The details of b." {
		t.Errorf("evidence is %s", got)
	}

	p.Status.Conditions[0].Status, p.Status.Conditions[0].Reason, p.Status.Conditions[0].Message = metav1.ConditionUnknown, v1alpha1.ZoneUnreadReason, "CSINode cannot be read completely."
	f = Findings([]v1alpha1.HeadroomPolicy{*p})[0]
	if said := message.Japanese().Say(f.Message); !strings.Contains(said, "読み取れません") || strings.Contains(said, "最大サイズ") || f.Causes[0].Evidence[1].Value != p.Status.Conditions[0].Message {
		t.Errorf("unread: %s %+v", said, f.Causes)
	}
	p.Status.Zones[1].Covered, p.Status.Zones[1].Reason = metav1.ConditionUnknown, v1alpha1.ZoneUnreadReason
	f = Findings([]v1alpha1.HeadroomPolicy{*p})[0]
	if said := message.English().Say(f.Message); !strings.Contains(said, "Not known: b. The scheduler") {
		t.Errorf("not modelled: %s", said)
	}
}

// TestWhyZone has a sentence in both languages for every reason of a zone.
func TestWhyZone(t *testing.T) {
	for _, reason := range []string{
		v1alpha1.ZoneLackingReason, v1alpha1.ZoneNodeStartingReason, v1alpha1.ZoneResizingReason, v1alpha1.ZoneAutoscalerReason, v1alpha1.ZoneMaximumReachedReason,
		v1alpha1.ZoneNoNodeGroupReason, v1alpha1.ZoneResizeFailedReason, v1alpha1.ZoneUnreadReason, v1alpha1.HeadroomNoPriorityClassReason,
		v1alpha1.PolicyNotPermittedReason, v1alpha1.PolicyPausedReason,
	} {
		z := v1alpha1.HeadroomZoneStatus{Name: "a", Reason: reason, Message: "In English."}
		if said := message.Japanese().Say(whyZone(policyOf(), z)); said == "" || said == z.Message {
			t.Errorf("%s: %q", reason, said)
		}
	}
}

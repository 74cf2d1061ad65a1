package noderepair

import (
	"fmt"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestOld(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	p.Spec.EarnAuto = new(int32(2))
	own := objects{policies: []v1alpha1.NodeRepairPolicy{p}}
	add := func(name, of, outcome string, age time.Duration, change func(*v1alpha1.Remediation)) {
		r := over(name, of, outcome)
		r.CreationTimestamp = ago(age)
		if change != nil {
			change(r)
		}
		own.remediations = append(own.remediations, *r)
	}
	drill := func(reason string) func(*v1alpha1.Remediation) {
		return func(r *v1alpha1.Remediation) { r.Spec.Drill = &v1alpha1.Drill{Reason: reason} }
	}
	for i := range maxEnded {
		add(fmt.Sprintf("links-%d", i), "links", v1alpha1.RemediationDidNotHelpReason, time.Hour, nil)
		add(fmt.Sprintf("drill-%d", i), "", v1alpha1.RemediationDrillPassedReason, time.Hour, drill("Often"))
	}
	add("open", "links", "", 9*time.Hour, func(r *v1alpha1.Remediation) { r.Status = v1alpha1.RemediationStatus{Phase: v1alpha1.PhaseRunning} })
	add("old", "links", v1alpha1.RemediationDidNotHelpReason, 2*time.Hour, nil)
	for i := range 3 {
		add(fmt.Sprintf("proof-%d", i), "links", v1alpha1.RemediationAsForecastReason, time.Duration(i+3)*time.Hour, nil)
	}
	add("replaced", "links", v1alpha1.RemediationAsForecastReason, 9*time.Hour, func(r *v1alpha1.Remediation) { r.Spec.Plan = v1alpha1.NodePlan(v1alpha1.ActionReplace, "") })
	add("others", "other", v1alpha1.RemediationDidNotHelpReason, 9*time.Hour, nil)
	add("often-old", "", v1alpha1.RemediationDrillPassedReason, 9*time.Hour, drill("Often"))
	add("seldom", "", v1alpha1.RemediationDrillFailedReason, 9*time.Hour, drill("Seldom"))
	got := map[string]bool{}
	for _, r := range obsolete(own, nil) {
		got[r.Name] = true
	}
	for _, name := range []string{"old", "proof-2", "often-old"} {
		if !got[name] {
			t.Errorf("%s is kept", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("deleted: %v", got)
	}
}

func TestPrune(t *testing.T) {
	b := newBench(t, nil)
	r := over("r", "links", v1alpha1.RemediationGaveUpReason)
	if err := b.Client.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	stale := *r
	stale.ResourceVersion = "0"
	own := objects{}
	for range maxEnded {
		own.remediations = append(own.remediations, *over("newer", "links", v1alpha1.RemediationGaveUpReason))
	}
	stale.CreationTimestamp, r.CreationTimestamp = ago(9*time.Hour), ago(9*time.Hour)
	own.remediations = append(own.remediations, stale)
	if err := b.prune(t.Context(), own, nil); err != nil || len(b.remediations(t)) != 1 {
		t.Errorf("what has changed since is deleted, or said to fail: %v", err)
	}
	own.remediations[maxEnded] = *r
	if err := b.prune(t.Context(), own, nil); err != nil || len(b.remediations(t)) != 0 {
		t.Errorf("not deleted: %v", err)
	}
}

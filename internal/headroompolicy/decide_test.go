package headroompolicy

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestDecide(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(-d))) }
	lacks := Assessment{Covered: metav1.ConditionFalse, Known: true}
	covers := Assessment{Covered: metav1.ConditionTrue, Known: true}
	large := Assessment{Covered: metav1.ConditionTrue, Known: true, Excess: true}
	for name, tc := range map[string]struct {
		assessment Assessment
		edit       func(*v1alpha1.HeadroomPolicy)
		resize     bool
		wait       time.Duration
		lacking    time.Duration // for how long it lacks; negative is not at all
	}{
		"a new policy":       {lacks, func(*v1alpha1.HeadroomPolicy) {}, true, 0, 0},
		"mode Report":        {lacks, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeReport }, false, 0, 0},
		"paused":             {lacks, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Paused = true }, false, 0, 0},
		"it covers":          {covers, func(p *v1alpha1.HeadroomPolicy) { p.Status.LackingSince = ago(time.Hour) }, false, 0, -1},
		"it lacks since now": {lacks, func(p *v1alpha1.HeadroomPolicy) { p.Status.ResizedAt = ago(time.Hour) }, false, time.Minute, 0},
		"it lacks for a while": {lacks, func(p *v1alpha1.HeadroomPolicy) {
			p.Status.ResizedAt, p.Status.LackingSince = ago(time.Hour), ago(40*time.Second)
		}, false, 20 * time.Second, 40 * time.Second},
		"it lacks for long": {lacks, func(p *v1alpha1.HeadroomPolicy) {
			p.Status.ResizedAt, p.Status.LackingSince = ago(time.Hour), ago(time.Minute)
		}, true, 0, time.Minute},
		"it was just resized": {lacks, func(p *v1alpha1.HeadroomPolicy) {
			p.Status.ResizedAt, p.Status.LackingSince = ago(10*time.Second), ago(time.Hour)
		}, false, 50 * time.Second, time.Hour},
		"it lacks, and is not known": {Assessment{Covered: metav1.ConditionFalse}, func(p *v1alpha1.HeadroomPolicy) {
			p.Status.ResizedAt, p.Status.LackingSince = ago(time.Hour), ago(time.Hour)
		}, false, 0, time.Hour},
		"it is too large": {large, func(p *v1alpha1.HeadroomPolicy) {
			p.Status.ResizedAt, p.Status.ExcessSince = ago(time.Hour), ago(29*time.Minute)
		}, false, time.Minute, -1},
		"it is too large for long": {large, func(p *v1alpha1.HeadroomPolicy) {
			p.Status.ResizedAt, p.Status.ExcessSince = ago(time.Hour), ago(30*time.Minute)
		}, true, 0, -1},
		"it exceeds the maximum": {
			Assessment{Covered: metav1.ConditionTrue, Known: true, OverMaximum: true},
			func(p *v1alpha1.HeadroomPolicy) { p.Status.ResizedAt = ago(time.Second) }, true, 0, -1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(policyOf(tc.edit), tc.assessment, now)
			if d.Resize != tc.resize || d.Wait != tc.wait {
				t.Errorf("it decides %+v", d)
			}
			if tc.lacking < 0 != (d.LackingSince == nil) || d.LackingSince != nil && now.Sub(d.LackingSince.Time) != tc.lacking {
				t.Errorf("it lacks since %v", d.LackingSince)
			}
		})
	}
}

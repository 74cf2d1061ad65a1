package addresspolicy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// observing is a policy that observes two interfaces since some time.
func observing(since time.Duration) *v1alpha1.AddressPolicy {
	p := &v1alpha1.AddressPolicy{ObjectMeta: metav1.ObjectMeta{Name: "all", UID: "u"}}
	p.Status.ObservedAt = new(metav1.NewMicroTime(noon))
	for _, id := range []string{"eni-1", "eni-2"} {
		p.Status.Observations = append(p.Status.Observations, v1alpha1.InterfaceObservation{Interface: id, Instance: "i-9", FirstSeen: metav1.NewMicroTime(noon.Add(-since))})
	}
	return p
}

func eligible() []cloud.Interface {
	return []cloud.Interface{{ID: "eni-1", Subnet: "a", Addresses: []string{"10.0.0.1"}}, {ID: "eni-2", Subnet: "b", Prefixes: []string{"10.0.1.16/28"}}}
}

// ended is a Remediation of an interface that ended some time before noon.
func ended(id, reason string, ago time.Duration) v1alpha1.Remediation {
	r := v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "r-" + id}, Spec: v1alpha1.RemediationSpec{Policy: observing(0).Reference()}}
	r.Spec.Changes = []v1alpha1.Change{v1alpha1.Deletion(id)}
	at := noon.Add(-ago)
	r.Status.Phase = v1alpha1.PhaseEnded
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.RemediationSucceeded, Reason: reason, LastTransitionTime: metav1.NewTime(at)}}
	r.Status.Steps = []v1alpha1.Step{{Name: v1alpha1.StepAct, Result: v1alpha1.StepDone, StartedAt: metav1.NewMicroTime(at), EndedAt: new(metav1.NewMicroTime(at))}}
	return r
}

func TestPropose(t *testing.T) {
	other := ended("eni-1", v1alpha1.RemediationRejectedReason, time.Hour)
	other.Spec.Policy.UID = "earlier"
	for name, tc := range map[string]struct {
		change       func(*v1alpha1.AddressPolicy)
		remediations []v1alpha1.Remediation
		want         string
	}{
		"both":     {want: "eni-1 eni-2"},
		"a budget": {change: func(p *v1alpha1.AddressPolicy) { p.Spec.MaxDeletions = 1 }, want: "eni-1"},
		"that of a low subnet": {change: func(p *v1alpha1.AddressPolicy) {
			p.Spec.MaxDeletions, p.Status.LowSubnets = 1, []v1alpha1.LowSubnet{{ID: "b"}}
		}, want: "eni-2"},
		"never observed":   {change: func(p *v1alpha1.AddressPolicy) { p.Status.ObservedAt = nil }},
		"one was rejected": {remediations: []v1alpha1.Remediation{ended("eni-1", v1alpha1.RemediationRejectedReason, time.Hour)}, want: "eni-2"},
		"one was rejected long ago": {
			remediations: []v1alpha1.Remediation{ended("eni-1", v1alpha1.RemediationRejectedReason, 25*time.Hour)}, want: "eni-1 eni-2",
		},
		"one was rejected for another policy": {remediations: []v1alpha1.Remediation{other}, want: "eni-1 eni-2"},
		"EC2 has throttled":                   {remediations: []v1alpha1.Remediation{ended("eni-3", v1alpha1.RemediationGaveUpReason, 14*time.Minute)}},
		"EC2 has refused":                     {remediations: []v1alpha1.Remediation{ended("eni-3", v1alpha1.RemediationRefusedReason, 14*time.Minute)}},
		"EC2 has throttled some time ago":     {remediations: []v1alpha1.Remediation{ended("eni-3", v1alpha1.RemediationGaveUpReason, 15*time.Minute)}, want: "eni-1 eni-2"},
		"another has just ended":              {remediations: []v1alpha1.Remediation{ended("eni-3", v1alpha1.RemediationAsForecastReason, 4*time.Minute)}},
		"another has ended":                   {remediations: []v1alpha1.Remediation{ended("eni-3", v1alpha1.RemediationAsForecastReason, 5*time.Minute)}, want: "eni-1 eni-2"},
	} {
		t.Run(name, func(t *testing.T) {
			p := observing(20 * time.Minute)
			if tc.change != nil {
				tc.change(p)
			}
			r, again := Propose(p, eligible(), tc.remediations, noon), Propose(p, eligible(), tc.remediations, noon)
			var ids []string
			if r != nil {
				for _, c := range r.Spec.Changes {
					ids = append(ids, c.Subject.Name)
				}
				if r.Name != again.Name || !strings.HasPrefix(r.Name, "addresses-all-") || r.Spec.Evidence.Since.After(noon.Add(-20*time.Minute)) || len(r.Spec.Subjects) != len(ids) {
					t.Errorf("%s, and again %s: %+v", r.Name, again.Name, r.Spec)
				}
			}
			if got := strings.Join(ids, " "); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestObservations: what a Remediation was done with is observed anew.
func TestObservations(t *testing.T) {
	p := observing(20 * time.Minute)
	remediations := []v1alpha1.Remediation{ended("eni-1", v1alpha1.RemediationNotAsForecastReason, time.Minute), ended("eni-2", v1alpha1.RemediationAsForecastReason, time.Hour)}
	settled := Settled(remediations, p)
	want := []reclaim.Observation{{ID: "eni-2", Owner: "i-9", First: noon.Add(-20 * time.Minute), Last: noon}}
	if diff := cmp.Diff(want, Observations(p, settled)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	run, end := LastRun(p, remediations)
	if run.Remediation != "r-eni-1" || run.Deleted != 1 || run.Planned != 1 || end.Reason != v1alpha1.RemediationNotAsForecastReason {
		t.Errorf("%+v, %+v", run, end)
	}
	if p.Status.ObservedAt = nil; Observations(p, nil) != nil {
		t.Error("there are observations of no time")
	}
}

func TestInterval(t *testing.T) {
	for seconds, want := range map[int32]time.Duration{0: 5 * time.Minute, 60: 30 * time.Second, 300: 150 * time.Second, 86400: 5 * time.Minute} {
		if got := Interval(&v1alpha1.AddressPolicy{Spec: v1alpha1.AddressPolicySpec{ObservationSeconds: seconds}}); got != want {
			t.Errorf("%d s: %s, want %s", seconds, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	decisions := []reclaim.Decision{{Reason: reclaim.NotVPCCNI}, {Reason: reclaim.Eligible}, {Reason: reclaim.InUse}, {Reason: reclaim.TooYoung}, {Reason: reclaim.Eligible}}
	want := []v1alpha1.InterfaceCount{{Reason: "TooYoung", Interfaces: 1}, {Reason: "Eligible", Interfaces: 2}}
	if diff := cmp.Diff(want, Counts(decisions)); diff != "" || len(Eligible(decisions)) != 2 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

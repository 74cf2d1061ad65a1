package headroom

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestPolicies shows of each policy what it asks for and has; what no controller has said is unknown.
func TestPolicies(t *testing.T) {
	room := v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: "room"}, Spec: v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeAuto, Survive: v1alpha1.HeadroomFailures{Nodes: 1}}}
	held := func(n int32) *v1alpha1.HeadroomHeld {
		return &v1alpha1.HeadroomHeld{Placeholders: n, CPU: resource.MustParse("1500m"), Memory: resource.MustParse("4Gi")}
	}
	covered := func(status metav1.ConditionStatus, reason string) *v1alpha1.HeadroomPolicy {
		p := room.DeepCopy()
		p.Status.Conditions = []metav1.Condition{{Type: v1alpha1.HeadroomCovered, Status: status, Reason: reason}}
		p.Status.Wanted, p.Status.Bound, p.Status.Pending = held(3), held(2), &v1alpha1.HeadroomHeld{}
		return p
	}
	jobs := &v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: "jobs"}, Spec: v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeReport, Protect: &v1alpha1.HeadroomProtection{}}}
	jobs.Status.Conditions = []metav1.Condition{{Type: v1alpha1.HeadroomProtected, Status: "False", Reason: "ReportOnly"}}
	counted := jobs.DeepCopy()
	counted.Status.Protection = &v1alpha1.HeadroomProtectionStatus{Workloads: []v1alpha1.HeadroomProtectedWorkloads{{Kind: "Job", Protected: 3, Exposed: 2}, {Kind: "Deployment", Exposed: 1}}}
	for name, tc := range map[string]struct {
		policies []v1alpha1.HeadroomPolicy
		want     string
	}{
		"none":            {nil, ""},
		"covered":         {[]v1alpha1.HeadroomPolicy{*covered("True", "Covered")}, "POLICY MODE COVERED WANTED BOUND PENDING room Auto True 3 (1500m/4Gi) 2 (1500m/4Gi) 0"},
		"not covered":     {[]v1alpha1.HeadroomPolicy{*covered("False", "NotBound")}, "POLICY MODE COVERED WANTED BOUND PENDING room Auto False (NotBound) 3 (1500m/4Gi) 2 (1500m/4Gi) 0"},
		"not processed":   {[]v1alpha1.HeadroomPolicy{room}, "POLICY MODE COVERED WANTED BOUND PENDING room Auto ? ? ? ?"},
		"protection only": {[]v1alpha1.HeadroomPolicy{*jobs}, "POLICY MODE COVERED WANTED BOUND PENDING PROTECTED EXPOSED jobs Report - - - - False (ReportOnly) ?"},
		"what is exposed": {[]v1alpha1.HeadroomPolicy{*counted, room}, "POLICY MODE COVERED WANTED BOUND PENDING PROTECTED EXPOSED jobs Report - - - - False (ReportOnly) Job 2/5, Deployment 1/1 room Auto ? ? ? ? - -"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			var format output.Format
			writer{format.Page(&out), message.English(), false}.policies(policiesOf(tc.policies))
			if got := strings.Join(strings.Fields(out.String()), " "); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

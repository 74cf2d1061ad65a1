package addresspolicy

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cloud"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func TestLow(t *testing.T) {
	for name, tc := range map[string]struct {
		free, size         int64
		low, clear         *int32
		before, want, says bool
	}{
		"enough":                    {free: 26, size: 251},
		"just enough":               {free: 25, size: 251},
		"too few":                   {free: 24, size: 251, want: true, says: true},
		"a few more":                {free: 25, size: 251, before: true, want: true},
		"almost enough again":       {free: 49, size: 251, before: true, want: true},
		"enough again":              {free: 50, size: 251, before: true, says: true},
		"none is ever low":          {free: 0, size: 251, low: new(int32(0)), clear: new(int32(0))},
		"low unless all are free":   {free: 250, size: 251, low: new(int32(100)), clear: new(int32(100)), want: true, says: true},
		"all are free":              {free: 251, size: 251, low: new(int32(100)), clear: new(int32(100))},
		"two of the smallest":       {free: 1, size: 27, want: true, says: true},
		"a subnet of unknown size":  {free: 0, size: 0},
		"one that no longer counts": {free: 0, size: 0, before: true},
	} {
		t.Run(name, func(t *testing.T) {
			policy := &v1alpha1.AddressPolicy{Spec: v1alpha1.AddressPolicySpec{LowBelowPercent: tc.low, ClearFromPercent: tc.clear}}
			since := metav1.NewTime(noon.Add(-time.Hour))
			if tc.before {
				policy.Status.LowSubnets = []v1alpha1.LowSubnet{{ID: "s", Since: since}}
			} else {
				since = metav1.NewTime(noon)
			}
			report := &addresses.Report{Subnets: []addresses.Subnet{{Subnet: cloud.Subnet{ID: "s", Free: tc.free}, Size: tc.size, Valid: tc.size > 0}}}
			low, changes := Low(policy, report, noon)
			var want []v1alpha1.LowSubnet
			if tc.want {
				want = []v1alpha1.LowSubnet{{ID: "s", Free: tc.free, Size: tc.size, Since: since}}
			}
			if diff := cmp.Diff(want, low); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (len(changes) == 1) != tc.says || tc.says && changes[0].Low != tc.want {
				t.Errorf("changes %+v", changes)
			}
		})
	}
}

// TestLowIsBounded keeps the subnets with the fewest free addresses.
func TestLowIsBounded(t *testing.T) {
	report := &addresses.Report{}
	for n := range 100 {
		report.Subnets = append(report.Subnets, addresses.Subnet{Subnet: cloud.Subnet{ID: fmt.Sprint(n), Free: int64(100 - n)}, Size: 10_000, Valid: true})
	}
	low, _ := Low(&v1alpha1.AddressPolicy{}, report, noon)
	if len(low) != v1alpha1.MaxLowSubnets || low[0].ID != "99" {
		t.Errorf("%d subnets, the first is %+v", len(low), low[0])
	}
}

package addresspolicy

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// Change is a subnet that has become low, or is low no longer.
type Change struct {
	v1alpha1.LowSubnet
	Low bool
}

// Low are the subnets of nodes that are low, those with the fewest free addresses first, and what has changed since they were computed before. A
// subnet becomes low below lowBelowPercent, and stays so until it has clearFromPercent.
func Low(policy *v1alpha1.AddressPolicy, report *addresses.Report, now time.Time) ([]v1alpha1.LowSubnet, []Change) {
	var low []v1alpha1.LowSubnet
	var changes []Change
	for _, s := range report.Subnets {
		if !s.Valid {
			continue
		}
		at := slices.IndexFunc(policy.Status.LowSubnets, func(before v1alpha1.LowSubnet) bool { return before.ID == s.ID })
		one := v1alpha1.LowSubnet{ID: s.ID, Zone: s.Zone, Free: s.Free, Size: s.Size, Since: metav1.NewTime(now.Truncate(time.Second))}
		percent := ptr.Deref(policy.Spec.LowBelowPercent, v1alpha1.DefaultLowBelowPercent)
		if at >= 0 {
			percent, one.Since = ptr.Deref(policy.Spec.ClearFromPercent, v1alpha1.DefaultClearFromPercent), policy.Status.LowSubnets[at].Since
		}
		is := s.Free < s.Size*int64(percent)/100
		if is {
			low = append(low, one)
		}
		if is != (at >= 0) {
			changes = append(changes, Change{one, is})
		}
	}
	slices.SortFunc(low, func(a, b v1alpha1.LowSubnet) int {
		return cmp.Or(cmp.Compare(a.Free, b.Free), strings.Compare(a.ID, b.ID))
	})
	return low[:min(len(low), v1alpha1.MaxLowSubnets)], changes
}

// UnreadParts are the parts of a network without which nothing is decided, of those that could not be read.
func UnreadParts(n cloud.Network) []cloud.NetworkPart {
	return slices.DeleteFunc([]cloud.NetworkPart{cloud.Subnets, cloud.Interfaces, cloud.Instances}, func(part cloud.NetworkPart) bool {
		_, unread := n.Unread[part]
		return !unread
	})
}

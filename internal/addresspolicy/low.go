package addresspolicy

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

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
// subnet becomes low below lowBelow, and stays so until it has clearFrom.
func Low(policy *v1alpha1.AddressPolicy, report *addresses.Report, now time.Time) ([]v1alpha1.LowSubnet, []Change) {
	var low []v1alpha1.LowSubnet
	var changes []Change
	for _, s := range report.Subnets {
		if !s.Valid {
			continue
		}
		at := slices.IndexFunc(policy.Status.LowSubnets, func(before v1alpha1.LowSubnet) bool { return before.ID == s.ID })
		one := v1alpha1.LowSubnet{ID: s.ID, Zone: s.Zone, Free: s.Free, Size: s.Size, Since: metav1.NewTime(now.Truncate(time.Second))}
		limit, fallback := policy.Spec.LowBelow, v1alpha1.DefaultLowBelow
		if at >= 0 {
			limit, fallback, one.Since = policy.Spec.ClearFrom, v1alpha1.DefaultClearFrom, policy.Status.LowSubnets[at].Since
		}
		is := s.Free < threshold(limit, fallback, s.Size)
		if is {
			low = append(low, one)
		}
		if is != (at >= 0) {
			changes = append(changes, Change{one, is})
		}
	}
	slices.SortFunc(low, func(a, b v1alpha1.LowSubnet) int { return cmp.Or(cmp.Compare(a.Free, b.Free), strings.Compare(a.ID, b.ID)) })
	return low[:min(len(low), v1alpha1.MaxLowSubnets)], changes
}

// threshold is how many of the addresses of a subnet a number or a percentage is; that of a default if it is neither.
func threshold(value *intstr.IntOrString, fallback string, size int64) int64 {
	text := fallback
	if value != nil {
		text = value.String()
	}
	percentage, isPercentage := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(percentage, 10, 64)
	switch {
	case err != nil:
		return threshold(nil, fallback, size)
	case isPercentage:
		return size * n / 100
	}
	return n
}

// UnreadParts are the parts of a network without which nothing is decided, of those that could not be read.
func UnreadParts(n cloud.Network) []cloud.NetworkPart {
	return slices.DeleteFunc([]cloud.NetworkPart{cloud.Subnets, cloud.Interfaces, cloud.Instances}, func(part cloud.NetworkPart) bool {
		_, unread := n.Unread[part]
		return !unread
	})
}

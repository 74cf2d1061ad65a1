package addresses

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// PodRange is the range of pod addresses that each node of a group has, as its Node says (spec.podCIDRs). GKE, and network plugins that allocate by the
// node's range, give no pod an address from elsewhere. From which range of the cloud's network the nodes have theirs, the Kubernetes API does not show.
//
// Source: https://docs.cloud.google.com/kubernetes-engine/docs/how-to/flexible-pod-cidr.
type PodRange struct {
	// Group is the node group; empty if the nodes belong to none.
	Group string `json:"group,omitempty"`
	Nodes int    `json:"nodes"`
	// PrefixLength is that of the IPv4 range, and Addresses the number of addresses in it.
	PrefixLength int   `json:"prefixLength"`
	Addresses    int64 `json:"addresses"`
	// MaxPods is the most pods that the kubelets accept, MostPods the most pods with an address on one of the nodes.
	MaxPods  int `json:"maxPods"`
	MostPods int `json:"mostPods"`
}

// PodRanges are the ranges of all nodes that have one, a row for each group and size of range, by group.
func PodRanges(world *cluster.Snapshot) []PodRange {
	var all []PodRange
	for _, node := range world.Nodes() {
		bits, has := podRangeOf(node)
		if !has {
			continue
		}
		group, _ := world.GroupOf(node.Name)
		at := slices.IndexFunc(all, func(r PodRange) bool { return r.Group == group.Name && r.PrefixLength == bits })
		if at < 0 {
			at = len(all)
			all = append(all, PodRange{Group: group.Name, PrefixLength: bits, Addresses: 1 << (32 - bits)})
		}
		r := &all[at]
		r.Nodes++
		r.MaxPods = max(r.MaxPods, limit(int(node.Status.Allocatable.Pods().Value())))
		pods := 0
		for _, pod := range world.PodsOn(node.Name) {
			if UsesAddress(pod) {
				pods++
			}
		}
		r.MostPods = max(r.MostPods, pods)
	}
	slices.SortStableFunc(all, func(a, b PodRange) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), cmp.Compare(a.PrefixLength, b.PrefixLength))
	})
	return all
}

// podRangeOf is the prefix length of a node's IPv4 range; false if it has none.
func podRangeOf(node *corev1.Node) (bits int, has bool) {
	for _, text := range append(slices.Clone(node.Spec.PodCIDRs), node.Spec.PodCIDR) {
		if prefix, err := netip.ParsePrefix(text); err == nil && prefix.Addr().Is4() {
			return prefix.Bits(), true
		}
	}
	return 0, false
}

// exhaustedRange are parts of the messages with which GKE's autoscaler says that no range is left for a new node.
//
// Source: https://docs.cloud.google.com/kubernetes-engine/docs/how-to/cluster-autoscaler-visibility (scale.up.error.ip.space.exhausted).
var exhaustedRange = []string{"ip_space_exhausted", "ip.space.exhausted", "insufficient free ip addresses"}

// ExhaustedEvents are the Events that say that no range was left for a new node.
func ExhaustedEvents(world *cluster.Snapshot) []*corev1.Event {
	var found []*corev1.Event
	for _, e := range world.AllEvents() {
		text := strings.ToLower(e.Reason + " " + e.Message)
		if slices.ContainsFunc(exhaustedRange, func(part string) bool { return strings.Contains(text, part) }) {
			found = append(found, e)
		}
	}
	return found
}

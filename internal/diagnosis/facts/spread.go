package facts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// NodeName is the domain of a pod, if nodes are the domains.
func NodeName(pod *corev1.Pod) string { return pod.Spec.NodeName }

// MaxPerDomain is the largest number of pods in one domain.
func MaxPerDomain(pods []*corev1.Pod, place func(*corev1.Pod) string) int {
	most, counts := 0, map[string]int{}
	for _, pod := range pods {
		if at := place(pod); at != "" {
			counts[at]++
			most = max(most, counts[at])
		}
	}
	return most
}

// The distribution of a workload's pods over domains: nodes or zones.

// FormatDomainCounts lists the number of pods in each domain, the largest first, including the given empty domains.
func FormatDomainCounts(pods []*corev1.Pod, place func(*corev1.Pod) string, empty []string) string {
	counts := map[string]int{}
	for _, name := range empty {
		counts[name] = 0
	}
	for _, pod := range pods {
		if at := place(pod); at != "" {
			counts[at]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s: %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}

// ZoneOf is the zone of a pod's node; empty if there is none.
func ZoneOf(world *cluster.Snapshot) func(*corev1.Pod) string {
	return func(pod *corev1.Pod) string {
		if node := world.Node(pod.Spec.NodeName); node != nil {
			return cluster.Zone(node)
		}
		return ""
	}
}

// NodesThatMayRun are the nodes that neither their own state nor the pod's volumes exclude. Only the scheduler can tell
// whether the pod fits there.
func NodesThatMayRun(world *cluster.Snapshot, pod *corev1.Pod) []*corev1.Node {
	tied := ZonalMounts(world, pod)
	var nodes []*corev1.Node
	for _, node := range world.Nodes() {
		if MayRun(pod, node, tied) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

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

// NodeName is the place of a pod that spreads over nodes.
func NodeName(pod *corev1.Pod) string { return pod.Spec.NodeName }

// MaxPerDomain is the largest number of pods in one place.
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

// How the pods of a workload are spread over places: nodes or zones.

// FormatDomainCounts writes how many pods each place has, the fullest first; places that have none are named when they are
// worth it.
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

// ZoneOf is the zone a pod runs in, empty if it has no node or the node no zone.
func ZoneOf(world *cluster.Snapshot) func(*corev1.Pod) string {
	return func(pod *corev1.Pod) string {
		if node := world.Node(pod.Spec.NodeName); node != nil {
			return cluster.Zone(node)
		}
		return ""
	}
}

// NodesThatMayRun are the nodes whose own state and the pod's volumes leave them open to it. Whether it fits there among the
// others only the scheduler can say.
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

package forecasts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// ending is how a change ends, as far as a future and reality can be held against each other: replacements have names of
// their own in each.
type ending struct {
	// Fates are what became of the pods that were there, by workload and node, counted: "stays", "replaced", or how they
	// ended. Pods of one workload on one node are alike: which of them gives way, if they started in the same second, is
	// decided by the order in which the scheduler received them.
	Fates map[string]string
	// Workloads are what became of each workload: the fates of its pods, counted, and where it has pods now.
	Workloads map[string]string
}

// placing says how a node is called in an ending.
type placing func(node string, before, after *cluster.Snapshot) string

// byNode calls nodes that stood before by name, and new ones by their zone.
func byNode(node string, before, after *cluster.Snapshot) string {
	if before.Node(node) != nil {
		return node
	}
	return "new in " + byZone(node, before, after)
}

func byZone(node string, before, after *cluster.Snapshot) string {
	return cluster.Zone(cmp.Or(after.Node(node), before.Node(node)))
}

// newEnding puts together what became of each pod and where pods are now.
func newEnding(before, after *cluster.Snapshot, fate func(*corev1.Pod) string) ending {
	e := ending{Fates: map[string]string{}, Workloads: map[string]string{}}
	byNode, byWorkload := map[string][]string{}, map[string][]string{}
	for _, pod := range boundPods(before) {
		workload, place := pod.Labels["app"], pod.Labels["app"]+" on "+pod.Spec.NodeName
		byNode[place] = append(byNode[place], fate(pod))
		byWorkload[workload] = append(byWorkload[workload], fate(pod))
	}
	for place, list := range byNode {
		e.Fates[place] = counted(list)
	}
	for workload, list := range byWorkload {
		e.Workloads[workload] = counted(list)
	}
	for workload, list := range places(before, after, byZone) {
		e.Workloads[workload] = strings.TrimPrefix(e.Workloads[workload]+" → "+counted(list), " → ")
	}
	return e
}

// boundPods are the pods that have a node, and have neither ended nor been marked for deletion.
func boundPods(s *cluster.Snapshot) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(s.Pods()), func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil || pod.Labels["app"] == marker
	})
}

// places are where each workload has pods, or "waiting".
func places(before, after *cluster.Snapshot, call placing) map[string][]string {
	found := map[string][]string{}
	for _, pod := range after.Pods() {
		if pod.DeletionTimestamp != nil || pod.Labels["app"] == marker {
			continue
		}
		place := "waiting"
		if pod.Spec.NodeName != "" {
			place = call(pod.Spec.NodeName, before, after)
		}
		found[pod.Labels["app"]] = append(found[pod.Labels["app"]], place)
	}
	return found
}

// counted is "2 moved, 1 stays".
func counted(list []string) string {
	counts := map[string]int{}
	for _, item := range list {
		counts[item]++
	}
	var parts []string
	for _, item := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprint(counts[item], " ", item))
	}
	return strings.Join(parts, ", ")
}

const (
	stays    = "stays"
	replaced = "replaced"
)

// forecastEnding is the ending of a future.
func forecastEnding(before *cluster.Snapshot, o outcome.Outcome) ending {
	fates := map[string]string{}
	for _, fate := range o.Fates {
		switch fate.Kind {
		case outcome.Moved, outcome.Waiting, outcome.Delayed:
			if fate.Kind != outcome.Waiting || fate.To != fate.From { // Else it is held where it is.
				fates[fate.Pod.Name] = replaced
			}
		default:
			fates[fate.Pod.Name] = string(fate.Kind)
		}
	}
	return newEnding(before, o.World, func(pod *corev1.Pod) string { return cmp.Or(fates[pod.Name], stays) })
}

// realEnding is the ending of a change that was made: the cluster after it, and what was last seen of pods that are gone.
func realEnding(before, after *cluster.Snapshot, last func(*corev1.Pod) *corev1.Pod) ending {
	return newEnding(before, after, func(pod *corev1.Pod) string {
		if now := after.Pod(pod.Namespace, pod.Name); now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil {
			return stays
		}
		return whyGone(pod, last(pod), after)
	})
}

// whyGone goes by what the API server and the owner say of the pod.
func whyGone(pod, last *corev1.Pod, after *cluster.Snapshot) string {
	owner := metav1.GetControllerOf(pod)
	for _, c := range last.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Reason == corev1.PodReasonPreemptionByScheduler {
			return string(outcome.Preempted)
		}
	}
	switch {
	case owner == nil:
		return string(outcome.Lost)
	case owner.Kind == "DaemonSet" && after.Node(pod.Spec.NodeName) == nil:
		return string(outcome.Ended)
	}
	return replaced
}

// differences returns what of an ending is in no future: what became of the pods of each node, and of each workload, one by
// one, since the scheduler draws anew for each pod, and there are more combinations of its draws than can be simulated.
func (e ending) differences(futures []ending) []string {
	var differences []string
	for place, fate := range e.Fates {
		if counts := countOf(futures, func(f ending) string { return f.Fates[place] }); counts[fate] == 0 {
			differences = append(differences, fmt.Sprintf("%s: %s; forecast (and in how many futures): %v", place, fate, counts))
		}
	}
	for workload, fate := range e.Workloads {
		if counts := countOf(futures, func(f ending) string { return f.Workloads[workload] }); counts[fate] == 0 {
			differences = append(differences, fmt.Sprintf("%s: %s; forecast (and in how many futures): %v", workload, fate, counts))
		}
	}
	slices.Sort(differences)
	return differences
}

func countOf(futures []ending, what func(ending) string) map[string]int {
	counts := map[string]int{}
	for _, f := range futures {
		counts[what(f)]++
	}
	return counts
}

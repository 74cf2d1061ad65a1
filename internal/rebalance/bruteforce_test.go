package rebalance_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// mostBruteEvictions is up to how many evictions brute force tries every set of pods.
const mostBruteEvictions = 2

// TestBruteForce holds plans against all sequences of at most two evictions, each played in the simulation: none that is shorter reaches the targets of all
// workloads, and what a plan reaches, brute force finds too.
func TestBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects, names := drawWorld(t)
		judge := judgeOf(t, objects)
		p, err := rebalance.New(t.Context(), judge, rebalance.Options{})
		if err != nil {
			t.Fatal(err)
		}
		planned := evictions(p)
		excessOf := func(world *cluster.Snapshot) int { return excessOf(world, names) }
		if worst := worstExcess(t, judge, planned, excessOf, math.MaxInt); len(planned) > 0 && worst >= excessOf(judge.World()) {
			t.Fatalf("%s does not lower the excess: %d, was %d", describe(p), worst, excessOf(judge.World()))
		}
		if holds, err := rebalance.Holds(t.Context(), judge, evicted(p), excess(p), rebalance.Options{Futures: 64}); err != nil || !holds {
			t.Fatalf("%s does not hold in other futures (%v)", describe(p), err)
		}
		for i, move := range evicted(p) {
			rest := slices.Delete(evicted(p), i, i+1)
			if holds, err := rebalance.Holds(t.Context(), judge, rest, excess(p), rebalance.Options{Futures: 64}); err != nil || holds {
				t.Fatalf("%s holds without the eviction of %s (%v)", describe(p), move, err)
			}
		}
		least := leastEvictions(t, judge, excessOf, func(pod *corev1.Pod) bool { return len(judge.World().PodsOf(pod.OwnerReferences[0].UID)) > 1 })
		switch complete := len(p.Unmet) == 0; {
		case least <= mostBruteEvictions && !complete:
			t.Fatalf("%s, but %d evictions balance all", describe(p), least)
		case least <= mostBruteEvictions && len(planned) > least:
			t.Fatalf("%s, but %d evictions balance all", describe(p), least)
		case complete && len(planned) < least && len(planned) <= mostBruteEvictions:
			t.Fatalf("%s, but brute force needs %d evictions", describe(p), least)
		}
	})
}

// drawWorld is a world of up to four nodes in two zones, on which two Deployments run, spread by chance.
func drawWorld(t *rapid.T) (objects w.Objects, names []string) {
	nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
	var all []string
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		all = append(all, name)
		cpu := rapid.SampledFrom([]string{"1", "2", "4"}).Draw(t, name+" CPU")
		objects = append(objects, w.Node(name, fmt.Sprintf("zone-%c", 'a'+i%2), w.CPU(cpu)))
	}
	free := map[string]int{}
	for _, o := range objects {
		free[o.(*corev1.Node).Name] = int(o.(*corev1.Node).Status.Allocatable.Cpu().MilliValue())
	}
	for _, name := range []string{"api", "web"} {
		names = append(names, name)
		cpu := rapid.SampledFrom([]int{100, 300, 700}).Draw(t, name+" request")
		var on []string
		for i := range rapid.IntRange(1, 5).Draw(t, name+" replicas") {
			node := rapid.SampledFrom(all).Draw(t, fmt.Sprintf("%s %d", name, i))
			if free[node] >= cpu {
				free[node] -= cpu
				on = append(on, node)
			}
		}
		if len(on) > 0 {
			objects = append(objects, w.Deployment(name, w.Template(name, fmt.Sprintf("%dm", cpu)), on...)...)
		}
	}
	return objects, names
}

func judgeOf(t *rapid.T, objects w.Objects) *scheduling.Judge {
	known := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete, cluster.PriorityClass: cluster.Complete}
	judge, err := scheduling.New(t.Context(), cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch, Knowledge: known}), scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// leastEvictions is the length of the shortest sequence of evictions of some pods after which there is no excess in any future; more than mostBruteEvictions
// if none that is tried does it.
func leastEvictions(t *rapid.T, judge *scheduling.Judge, excessOf func(*cluster.Snapshot) int, of func(*corev1.Pod) bool) int {
	if excessOf(judge.World()) == 0 {
		return 0
	}
	pods := slices.DeleteFunc(slices.Clone(judge.World().Pods()), func(pod *corev1.Pod) bool { return !of(pod) })
	var try func(chosen []change.Change) int
	try = func(chosen []change.Change) int {
		if len(chosen) > 0 && worstExcess(t, judge, chosen, excessOf, 0) == 0 {
			return len(chosen)
		}
		least := math.MaxInt
		for _, pod := range pods {
			next := change.Evict{Namespace: pod.Namespace, Name: pod.Name}
			if len(chosen) < mostBruteEvictions && !slices.Contains(chosen, change.Change(next)) {
				least = min(least, try(append(slices.Clip(chosen), next)))
			}
		}
		return least
	}
	return try(nil)
}

var errEnough = errors.New("worse than asked for")

// worstExcess is the largest excess in some futures of evictions, or the first that is more than enough; a pod that does not run counts as all.
func worstExcess(t *rapid.T, judge *scheduling.Judge, evictions []change.Change, excessOf func(*cluster.Snapshot) int, enough int) int {
	worst := 0
	err := simulation.EachFuture(t.Context(), judge, evictions, simulation.Options{Seeds: 64}, func(o outcome.Outcome) error {
		for _, pod := range o.World.Pods() {
			if pod.Spec.NodeName == "" {
				worst = math.MaxInt
			}
		}
		if worst = max(worst, excessOf(o.World)); worst > enough {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	return worst
}

// excessOf counts, in words of its own, the pods above a third of their Deployment, or its even part, on a node and in a zone.
func excessOf(world *cluster.Snapshot, names []string) (sum int) {
	zones := map[string]bool{}
	for _, node := range world.Nodes() {
		zones[node.Labels[corev1.LabelTopologyZone]] = true
	}
	for _, name := range names {
		onNode, inZone, all := map[string]int{}, map[string]int{}, 0
		for _, pod := range world.Pods() {
			if pod.Labels["app"] == name && pod.Spec.NodeName != "" {
				onNode[pod.Spec.NodeName]++
				inZone[world.Node(pod.Spec.NodeName).Labels[corev1.LabelTopologyZone]]++
				all++
			}
		}
		for _, n := range onNode {
			sum += max(0, n-max(1, all/3, (all+len(world.Nodes())-1)/len(world.Nodes())))
		}
		for _, n := range inZone {
			sum += max(0, n-max(1, all/3, (all+len(zones)-1)/len(zones)))
		}
	}
	return sum
}

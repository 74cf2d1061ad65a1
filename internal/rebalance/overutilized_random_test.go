package rebalance_test

import (
	"fmt"
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestBruteForceOverutilized holds plans against all sequences of at most two evictions: none that is shorter brings all nodes to what may be requested of
// them, and what brute force finds, a plan does too.
func TestBruteForceOverutilized(t *testing.T) {
	complete, lowered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		judge, o := judgeOf(t, drawLoads(t)), rebalance.Options{MaxShare: 1, MaxUtilizationDeviation: rapid.IntRange(1, 30).Draw(t, "deviation"), Futures: 4}
		p, err := rebalance.New(t.Context(), judge, o)
		if err != nil {
			t.Fatal(err)
		}
		excessOf := func(world *cluster.Snapshot) int { return sumOf(overOf(world, o.MaxUtilizationDeviation)) }
		planned, before := evictions(p), excessOf(judge.World())
		worst := worstExcess(t, judge, planned, excessOf, math.MaxInt)
		if len(planned) > 0 && worst >= before {
			t.Fatalf("%s does not lower the excess: %d, was %d", describeNodes(p), worst, before)
		}
		over := overOf(judge.World(), o.MaxUtilizationDeviation)
		least := leastEvictions(t, judge, excessOf, func(pod *corev1.Pod) bool { // To make room, a Deployment's only pod is not evicted.
			return over[pod.Spec.NodeName] > 0 || len(judge.World().PodsOf(pod.OwnerReferences[0].UID)) > 1
		})
		switch all := worst == 0; {
		case least <= mostBruteEvictions && (!all || len(planned) > least):
			t.Fatalf("%s leaves %d, but %d evictions bring all nodes to what may be requested", describeNodes(p), worst, least)
		case all && p.Result == rebalance.Minimal && least < len(planned), all && len(planned) < min(least, mostBruteEvictions+1):
			t.Fatalf("%s, but brute force needs %d evictions", describeNodes(p), least)
		case all && len(planned) > 0:
			complete++
		case len(planned) > 0:
			lowered++
		}
	})
	if complete == 0 || lowered == 0 {
		t.Errorf("%d plans brought all nodes to what may be requested, and %d some: both are to be tried", complete, lowered)
	}
}

// TestOverutilizedEnds plans again and again, each time for one of the futures of the plan before: with each plan the workloads come nearer to their targets, or they stay and
// the nodes do, until none is found.
func TestOverutilizedEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects, names := drawWorld(t)
		pods, others := drawPods(t, nodesOf(objects))
		names = append(names, others...)
		judge, o := judgeOf(t, w.Of(objects, pods)), rebalance.Options{MaxUtilizationDeviation: rapid.IntRange(1, 30).Draw(t, "deviation"), Futures: 4}
		for range 20 {
			before := [2]int{excessOf(judge.World(), names), sumOf(overOf(judge.World(), o.MaxUtilizationDeviation))}
			p, err := rebalance.New(t.Context(), judge, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(evictions(p)) == 0 {
				return
			}
			nth, world := rapid.IntRange(0, 3).Draw(t, "future"), (*cluster.Snapshot)(nil)
			err = simulation.EachFuture(t.Context(), judge, evictions(p), simulation.Options{Seeds: 4}, func(outcome.Outcome) error {
				if nth--; nth == -1 {
					world = judge.World()
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			after := [2]int{excessOf(world, names), sumOf(overOf(world, o.MaxUtilizationDeviation))}
			if after[0] > before[0] || after[0] == before[0] && after[1] >= before[1] {
				t.Fatalf("%s; %s: excess of workloads and nodes %v, was %v", describe(p), describeNodes(p), after, before)
			}
			if judge, err = scheduling.New(t.Context(), world, scheduling.Options{Seed: 1}); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatal("it does not end")
	})
}

// drawLoads is a world of up to four nodes of different sizes, with Deployments of one or two pods.
func drawLoads(t *rapid.T) (objects w.Objects) {
	for i := range rapid.IntRange(2, 4).Draw(t, "nodes") {
		cpu := rapid.SampledFrom([]string{"1", "2", "4"}).Draw(t, fmt.Sprintf("CPU %d", i))
		objects = append(objects, w.Node(fmt.Sprintf("n%d", i+1), "zone-a", w.CPU(cpu)))
	}
	pods, _ := drawPods(t, nodesOf(objects))
	return w.Of(objects, pods)
}

func nodesOf(objects w.Objects) (names []string) {
	for _, o := range objects {
		if node, is := o.(*corev1.Node); is {
			names = append(names, node.Name)
		}
	}
	return names
}

// drawPods are Deployments of one or two pods, and their names.
func drawPods(t *rapid.T, nodes []string) (objects w.Objects, names []string) {
	for i := range rapid.IntRange(1, 4).Draw(t, "Deployments") {
		name := fmt.Sprintf("d%d", i)
		cpu := rapid.SampledFrom([]string{"0", "100m", "200m", "300m", "500m"}).Draw(t, name+" request")
		on := rapid.SliceOfN(rapid.SampledFrom(nodes), 1, 2).Draw(t, name)
		objects = w.Of(objects, w.Deployment(name, w.Template(name, cpu), on...))
		names = append(names, name)
	}
	return objects, names
}

// overOf counts, in words of its own, the millicores that are requested of each node above its share of all that is requested, plus the deviation.
func overOf(world *cluster.Snapshot, deviation int) map[string]int {
	requested, allocatable, sum, all := map[string]int{}, map[string]int{}, 0, 0
	for _, node := range world.Nodes() {
		allocatable[node.Name] = int(node.Status.Allocatable.Cpu().MilliValue())
		all += allocatable[node.Name]
	}
	for _, pod := range world.Pods() {
		if cpu := int(pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()); pod.Spec.NodeName != "" {
			requested[pod.Spec.NodeName] += cpu
			sum += cpu
		}
	}
	over := map[string]int{}
	for node, has := range allocatable {
		if requested[node]*100*all > has*(100*sum+deviation*all) {
			over[node] = requested[node] - has*(100*sum+deviation*all)/(100*all)
		}
	}
	return over
}

func sumOf(over map[string]int) (sum int) {
	for _, millicores := range over {
		sum += millicores
	}
	return sum
}

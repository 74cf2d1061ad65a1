package simulation_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// sizes are the numbers of nodes that the benchmarks run with.
var sizes = []int{100, 500, 1000, 5000}

// BenchmarkLoseNode loses one node with 20 pods: taint, evict, schedule with full scoring, remove. For comparison it also measures
// making a Judge of the world afterwards.
func BenchmarkLoseNode(b *testing.B) {
	atSizes(b, func(b *testing.B, judge *scheduling.Judge) {
		lost := loaded(judge.World())
		before := benchmark.CPU(b)
		for b.Loop() {
			play(b, judge, change.LoseNode{Node: lost})
		}
		benchmark.Used(b, benchmark.CPU(b)-before)
		if len(judge.World().Nodes()) >= 500 { // in smaller clusters that takes little time
			benchmark.Target(b, 5, "rebuilt", benchmark.CPUPerOp)
		}
		benchmark.Beside(b, "rebuilt", func() { newJudge(b, judge.World().With(cluster.Remove(judge.World().Node(lost)))) })
	})
}

// BenchmarkLoseZone loses one zone of three. For comparison it also measures scheduling as many pods as must move the scheduler's
// own way, with every plugin for every node, from a sample of them.
func BenchmarkLoseZone(b *testing.B) {
	atSizes(b, func(b *testing.B, judge *scheduling.Judge) {
		before := benchmark.CPU(b)
		for b.Loop() {
			play(b, judge, change.LoseZone{Zone: clustertest.Zones[0]})
		}
		benchmark.Used(b, benchmark.CPU(b)-before)
		const some = 10
		moving := displacedPods(judge.World())
		plain := benchmark.Sampled(b, "plain", some, len(moving), func(i int) {
			fit, err := judge.Fit(b.Context(), moving[i*len(moving)/some])
			if err != nil || len(fit.Best) == 0 {
				b.Fatal(fit.Best, err)
			}
		})
		benchmark.Target(b, 3, plain, benchmark.CPUPerOp)
	})
}

// BenchmarkCompare compares the repair of a node with 20 pods in three futures, while three other nodes are out of service, as the
// controller does for each repair. For comparison it also measures the simulation of the repair alone.
func BenchmarkCompare(b *testing.B) {
	atSizes(b, func(b *testing.B, judge *scheduling.Judge) {
		var out []string
		for _, node := range judge.World().Nodes()[:3] {
			out = append(out, node.Name)
		}
		changes, o := []change.Change{change.RebootNode{Node: loaded(judge.World())}}, simulation.Options{Seeds: 3}
		before := benchmark.CPU(b)
		for b.Loop() {
			if _, err := simulation.Compare(b.Context(), judge, changes, o, out...); err != nil {
				b.Fatal(err)
			}
		}
		benchmark.Used(b, benchmark.CPU(b)-before)
		benchmark.Beside(b, "alone", func() {
			if _, err := simulation.Run(b.Context(), judge, changes, o); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// displacedPods are the pods that must move when the first zone is lost. They have run, so that the Judge decides about them
// without its caches.
func displacedPods(world *cluster.Snapshot) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, node := range world.Nodes() {
		if cluster.Zone(node) != clustertest.Zones[0] {
			continue
		}
		for _, p := range world.PodsOn(node.Name) {
			if metav1.GetControllerOfNoCopy(p).Kind == "ReplicaSet" {
				c := *p
				c.Name, c.UID, c.Spec.NodeName = p.Name+"-again", p.UID+"-again", ""
				pods = append(pods, &c)
			}
		}
	}
	return pods
}

func atSizes(b *testing.B, run func(*testing.B, *scheduling.Judge)) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			run(b, newJudge(b, clustertest.Big(nodes, 20*nodes)))
		})
	}
}

func newJudge(b *testing.B, world *cluster.Snapshot) *scheduling.Judge {
	b.Helper()
	judge, err := scheduling.New(b.Context(), world, scheduling.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return judge
}

// loaded is a node with about the average number of pods.
func loaded(world *cluster.Snapshot) string {
	for _, node := range world.Nodes() {
		if n := len(world.PodsOn(node.Name)); n >= 20 && n <= 24 {
			return node.Name
		}
	}
	return world.Nodes()[0].Name
}

func play(b *testing.B, judge *scheduling.Judge, c change.Change) {
	b.Helper()
	outcome, err := simulation.Run(b.Context(), judge, []change.Change{c}, simulation.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if len(outcome.Fates) == 0 {
		b.Fatal("nothing happens")
	}
	b.ReportMetric(float64(len(outcome.Fates)), "fates")
}

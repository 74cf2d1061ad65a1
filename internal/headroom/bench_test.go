package headroom_test

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// usual are the failures of which naosu headroom tells without --failures.
var usual = []headroom.Kind{headroom.Node, headroom.Zone, headroom.Rotation, headroom.Step}

// BenchmarkCost computes what failures cost in clusters of 20 pods a node, of which no two are identical, without rooms: those of each kind, and all that
// naosu headroom tells of. A DaemonSet grows. Beside the loss of any node stands what it would take to lose each by itself.
func BenchmarkCost(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		for _, kind := range usual {
			b.Run(fmt.Sprintf("%d-nodes/%s", nodes, kind), func(b *testing.B) {
				judge := costOf(b, nodes, kind)
				if kind == headroom.Node {
					loseEach(b, judge, 20)
				}
			})
		}
		b.Run(fmt.Sprintf("%d-nodes/all", nodes), func(b *testing.B) { costOf(b, nodes, usual...) })
	}
}

// costOf measures what it takes to compute the failures of some kinds.
func costOf(b *testing.B, nodes int, kinds ...headroom.Kind) *scheduling.Judge {
	judge := bigJudge(b, nodes)
	before := benchmark.CPU(b)
	for b.Loop() {
		compute(b, judge, headroom.Options{Kinds: kinds})
	}
	benchmark.Used(b, benchmark.CPU(b)-before)
	return judge
}

// BenchmarkIdenticalNodes computes what the loss of any of 500 nodes costs: each 25 of them have pods of the same workloads.
func BenchmarkIdenticalNodes(b *testing.B) {
	var objects w.Objects
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("n%d", i))
		objects = append(objects, w.Node(names[i], "a"))
	}
	for i := range 8 {
		app := fmt.Sprintf("app%d", i)
		for from := 0; from < len(names); from += 25 { // Names of pods are made of letters.
			objects = append(objects, w.Deployment(fmt.Sprintf("%s-%d", app, from), w.Template(app, "100m"), names[from:from+25]...)...)
		}
	}
	judge := judgeOf(b, objects)
	before := benchmark.CPU(b)
	for b.Loop() {
		compute(b, judge, headroom.Options{Kinds: []headroom.Kind{headroom.Node}})
	}
	benchmark.Used(b, benchmark.CPU(b)-before)
	benchmark.Target(b, 5, loseEach(b, judge, 20), benchmark.CPUPerOp)
}

// BenchmarkSize computes the rooms beside the costs, in the largest cluster those for the loss of nodes.
func BenchmarkSize(b *testing.B) {
	for _, bc := range []struct {
		nodes int
		kinds []headroom.Kind
	}{{100, usual}, {500, usual}, {5000, []headroom.Kind{headroom.Node}}} {
		b.Run(fmt.Sprintf("%d-nodes", bc.nodes), func(b *testing.B) {
			judge := bigJudge(b, bc.nodes)
			before := benchmark.CPU(b)
			sized := 0
			for b.Loop() {
				sized = 0
				for _, a := range compute(b, judge, headroom.Options{Kinds: bc.kinds, Sized: true, Patient: true}).Answers {
					if a.Room != nil && a.Room.Result != headroom.NotSized {
						sized++
					}
				}
			}
			benchmark.Used(b, benchmark.CPU(b)-before)
			b.ReportMetric(float64(sized), "rooms")
		})
	}
}

// loseEach is what it takes to lose each node by itself, with reasons, as naosu whatif does.
func loseEach(b *testing.B, judge *scheduling.Judge, some int) string {
	nodes := judge.World().Nodes()
	return benchmark.Sampled(b, "each", some, len(nodes), func(i int) {
		lost := change.LoseNode{Node: nodes[i*len(nodes)/some].Name}
		if _, err := simulation.Run(b.Context(), judge, []change.Change{lost}, simulation.Options{LeavePending: true}); err != nil {
			b.Fatal(err)
		}
	})
}

// bigJudge is a Judge of a cluster in which the pods of one DaemonSet request less than its template.
func bigJudge(b testing.TB, nodes int) *scheduling.Judge {
	contents := clustertest.BigContents(nodes, 20*nodes)
	for _, o := range contents.Objects {
		if set, is := o.(*appsv1.DaemonSet); is && set.Name == "aws-node" {
			set.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")}
		}
	}
	delete(contents.Knowledge, cluster.ServiceAccount) // It has none, without which no pod could be created.
	judge, err := scheduling.New(b.Context(), cluster.New(contents), scheduling.Options{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	return judge
}

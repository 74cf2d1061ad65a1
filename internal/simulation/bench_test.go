package simulation_test

import (
	"fmt"
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// sizes are those over which growth is shown.
var sizes = []int{100, 500, 1000, 5000}

// BenchmarkLoseNode loses one node with 20 pods: taint, evict, place with full scoring, remove.
func BenchmarkLoseNode(b *testing.B) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			judge := bigJudge(b, nodes)
			lost := loaded(judge.World())
			for b.Loop() {
				play(b, judge, change.LoseNode{Node: lost})
			}
		})
	}
}

// BenchmarkLoseZone loses one zone of three.
func BenchmarkLoseZone(b *testing.B) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			judge := bigJudge(b, nodes)
			for b.Loop() {
				play(b, judge, change.LoseZone{Zone: clustertest.Zones[0]})
			}
		})
	}
}

func bigJudge(b *testing.B, nodes int) *scheduling.Judge {
	b.Helper()
	judge, err := scheduling.New(b.Context(), clustertest.Big(nodes, 20*nodes), scheduling.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return judge
}

// loaded is a node with about as many pods as nodes have on average.
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

package headroom_test

import (
	"fmt"
	"testing"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

func BenchmarkCost(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		for _, kind := range []headroom.Kind{headroom.Node, headroom.Zone, headroom.Rotation} {
			b.Run(fmt.Sprintf("%d-nodes/%s", nodes, kind), func(b *testing.B) {
				contents := clustertest.BigContents(nodes, 20*nodes)
				delete(contents.Knowledge, cluster.ServiceAccount)
				judge, err := scheduling.New(b.Context(), cluster.New(contents), scheduling.Options{Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					r := compute(b, judge, headroom.Options{Kinds: []headroom.Kind{kind}})
					for _, a := range r.Answers {
						b.Log(describe(a), a.Unplayed)
					}
				}
			})
		}
	}
}

func BenchmarkRooms(b *testing.B) {
	for _, nodes := range []int{50, 100, 500} {
		for _, kind := range []headroom.Kind{headroom.Node, headroom.Zone, headroom.Rotation} {
			b.Run(fmt.Sprintf("%d-nodes/%s", nodes, kind), func(b *testing.B) {
				contents := clustertest.BigContents(nodes, 20*nodes)
				delete(contents.Knowledge, cluster.ServiceAccount)
				judge, err := scheduling.New(b.Context(), cluster.New(contents), scheduling.Options{Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					r := compute(b, judge, headroom.Options{Kinds: []headroom.Kind{kind}, Rooms: true})
					for _, a := range r.Answers {
						b.Log(describe(a), a.Room.Result, len(a.Room.Placeholders), a.Room.Cost, a.Room.Bound)
					}
				}
			})
		}
	}
}

package diagnosis_test

import (
	"fmt"
	"testing"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// BenchmarkAudit audits clusters of ten pods a node, every node and every zone lost once. Beside it stands what the
// futures would take that lose a node if a judge were made for each: some are made, and their time taken for all.
func BenchmarkAudit(b *testing.B) {
	for _, nodes := range []int{100, 500, 1000, 5000} {
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			world := clustertest.Big(nodes, 10*nodes)
			before := benchmark.CPU(b)
			for b.Loop() {
				judge, err := scheduling.New(b.Context(), world, scheduling.Options{Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				diagnosis.Audit(b.Context(), query.Query{World: world, Judge: judge}, nil)
			}
			benchmark.Used(b, benchmark.CPU(b)-before)
			rebuilt := benchmark.Sampled(b, "rebuilt", 5, nodes, func(int) {
				if _, err := scheduling.New(b.Context(), world, scheduling.Options{Seed: 1}); err != nil {
					b.Fatal(err)
				}
			})
			// In smaller clusters a judge is made soon.
			if ratio := map[int]float64{500: 2, 1000: 10, 5000: 40}[nodes]; ratio > 0 {
				benchmark.Target(b, ratio, rebuilt, benchmark.CPUPerOp)
			}
		})
	}
}

package diagnosis_test

import (
	"context"
	"testing"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// BenchmarkAudit audits clusters of ten pods a node, every node and every zone lost once.
func BenchmarkAudit(b *testing.B) {
	for name, size := range map[string][2]int{"100 nodes": {100, 1000}, "500 nodes": {500, 5000}} {
		b.Run(name, func(b *testing.B) {
			world := clustertest.Big(size[0], size[1])
			judge, err := scheduling.New(context.Background(), world, scheduling.Options{Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				diagnosis.Audit(b.Context(), diagnosis.View{World: world, Judge: judge, Say: message.English()}, nil)
			}
		})
	}
}

package storage

import (
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
)

// What each monitor's look at this host costs.
func BenchmarkLook(b *testing.B) {
	for _, m := range Monitors(host.Host{}, DefaultOptions()) {
		b.Run(m.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Look(b.Context(), func(evidence.Evidence) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

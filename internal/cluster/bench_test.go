package cluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// sizes are nodes, with 20 pods each.
var sizes = []int{100, 500, 1000, 5000}

// BenchmarkLoad loads a snapshot file, and beside it the same cluster as `kubectl get -o json` writes it. MiB-held is
// what the Snapshot takes up, MiB-peak the most that the heap came to while it was loaded, garbage included.
func BenchmarkLoad(b *testing.B) {
	for _, nodes := range sizes {
		for _, form := range []string{"snapshot", "json"} {
			b.Run(fmt.Sprintf("%s/%d-nodes", form, nodes), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "f")
				write(b, path, form, nodes)
				var before runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				peak := watchHeap(b)
				var held struct{ world *cluster.Snapshot }
				for b.Loop() {
					held.world = nil // The one of before is let go.
					debug.FreeOSMemory()
					var err error
					if held.world, err = cluster.Load(b.Context(), cluster.Source{Path: path}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(peak()-before.HeapAlloc)/(1<<20), "MiB-peak")
				var after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-held")
				info, err := os.Stat(path)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(info.Size())/(1<<20), "MiB-file")
				if form == "snapshot" && nodes == 5000 {
					clustertest.Target(b, float64(5*time.Second), "ns/op")
					clustertest.Target(b, 1024, "MiB-peak")
				}
				runtime.KeepAlive(held.world)
			})
		}
	}
}

// write leaves nothing of what it needed behind.
func write(b *testing.B, path, form string, nodes int) {
	b.Helper()
	world := clustertest.Big(nodes, 20*nodes)
	if form == "snapshot" {
		if err := os.WriteFile(path, []byte(file(b, world)), 0o600); err != nil {
			b.Fatal(err)
		}
		return
	}
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	fmt.Fprint(out, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	comma := ""
	for _, kind := range cluster.Kinds() {
		for _, o := range world.Objects(kind) {
			data, err := json.MarshalIndent(o, "        ", "    ")
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(out, "%s        %s", comma, data)
			comma = ",\n"
		}
	}
	fmt.Fprint(out, "\n    ],\n    \"kind\": \"List\"\n}\n")
}

// watchHeap looks every few milliseconds how much the heap holds, and returns the most it saw once it is asked.
func watchHeap(b *testing.B) (most func() uint64) {
	b.Helper()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var most uint64
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				metrics.Read(sample)
				most = max(most, sample[0].Value.Uint64())
			case <-stop:
				peak <- most
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-peak
	}
}

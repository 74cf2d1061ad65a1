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

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// sizes are nodes, with 20 pods each.
var sizes = []int{100, 500, 1000, 5000}

// BenchmarkLoad loads a snapshot file, and beside it the same cluster as `kubectl get -o json` writes it. MiB-held is
// what the Snapshot takes up, MiB-peak the most that the heap came to while it was loaded, garbage included.
func BenchmarkLoad(b *testing.B) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			snapshot, list := filepath.Join(b.TempDir(), "snapshot"), filepath.Join(b.TempDir(), "json")
			write(b, snapshot, "snapshot", nodes)
			write(b, list, "json", nodes)
			peak, held := measured(b, func() (world *cluster.Snapshot) {
				before := benchmark.CPU(b)
				for b.Loop() {
					world = loadFile(b, snapshot)
				}
				benchmark.Used(b, benchmark.CPU(b)-before)
				return world
			})
			b.ReportMetric(peak, "MiB-peak")
			b.ReportMetric(held, "MiB-held")
			b.ReportMetric(size(b, snapshot), "MiB-file")
			peak, _ = measured(b, func() (world *cluster.Snapshot) {
				benchmark.Beside(b, "json", func() { world = loadFile(b, list) })
				return world
			})
			benchmark.Alternative(b, "json", peak, "MiB-peak")
			benchmark.Alternative(b, "json", size(b, list), "MiB-file")
			ratio := 3.0
			if nodes >= 5000 {
				ratio = 10
			}
			benchmark.Target(b, ratio, "json", benchmark.CPUPerOp)
			benchmark.Target(b, 1, "json", "MiB-peak")
		})
	}
}

// measured is how much the heap grew by at most while something was loaded, and by how much when it was.
func measured(b *testing.B, run func() *cluster.Snapshot) (peak, held float64) {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := watchHeap(b)
	world := run()
	peak = float64(most()-before.HeapAlloc) / (1 << 20)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(world)
	return peak, float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)
}

func loadFile(b *testing.B, path string) *cluster.Snapshot {
	b.Helper()
	debug.FreeOSMemory()
	world, err := cluster.Load(b.Context(), cluster.Source{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	return world
}

func size(b *testing.B, path string) float64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size()) / (1 << 20)
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

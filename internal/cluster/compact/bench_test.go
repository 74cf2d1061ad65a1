package compact_test

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// encoded is an object's encoding, and its type.
type encoded struct {
	data []byte
	of   reflect.Type
}

func (e encoded) empty() compact.Object { return reflect.New(e.of).Interface().(compact.Object) }

// BenchmarkDecode decodes the objects of 1,000 nodes with 20 pods each, and beside it with what Kubernetes generates for their
// types, which interns nothing. MiB-held is what the objects take up.
func BenchmarkDecode(b *testing.B) {
	var all []encoded
	for _, o := range clustertest.BigContents(1000, 20_000).Objects {
		data, err := o.(compact.Object).Marshal()
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, encoded{data, reflect.TypeOf(o).Elem()})
	}
	var held []compact.Object
	before, used := heap(), benchmark.CPU(b)
	for b.Loop() {
		codec := compact.New()
		held = decode(b, all, codec.Decode)
	}
	benchmark.Used(b, benchmark.CPU(b)-used)
	b.ReportMetric(heap()-before, "MiB-held")
	runtime.KeepAlive(held)

	held = nil
	before = heap()
	benchmark.Beside(b, "generated", func() {
		held = decode(b, all, func(data []byte, into compact.Object) error { return into.Unmarshal(data) })
	})
	benchmark.Alternative(b, "generated", heap()-before, "MiB-held")
	runtime.KeepAlive(held)
	benchmark.Target(b, 1.25, "generated", "MiB-held")
	benchmark.Target(b, 1, "generated", benchmark.CPUPerOp)
}

func decode(b *testing.B, all []encoded, into func([]byte, compact.Object) error) []compact.Object {
	b.Helper()
	objects := make([]compact.Object, len(all))
	for i, e := range all {
		objects[i] = e.empty()
		if err := into(e.data, objects[i]); err != nil {
			b.Fatal(err)
		}
	}
	return objects
}

// heap is what the heap holds, garbage collected, in MiB.
func heap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / (1 << 20)
}

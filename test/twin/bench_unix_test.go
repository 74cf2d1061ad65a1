//go:build unix

package twin

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/twin"
)

// BenchmarkUp is from a snapshot file to a twin whose API and controllers are ready, in this process: what it takes of the
// wall clock and of all CPUs, and the heap that lives then.
func BenchmarkUp(b *testing.B) {
	for _, size := range []struct{ nodes, pods int }{{500, 5_000}, {1_000, 20_000}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d", size.nodes, size.pods), func(b *testing.B) {
			var file bytes.Buffer
			if err := clustertest.Big(size.nodes, size.pods).Write(&file); err != nil {
				b.Fatal(err)
			}
			var cpu, heap float64
			for b.Loop() {
				b.StopTimer()
				before, _ := used(b)
				b.StartTimer()
				l := up(b, file.Bytes())
				b.StopTimer()
				after, lives := used(b)
				cpu, heap = cpu+after-before, lives
				if err := l.Stop(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
			b.ReportMetric(heap, "MiB-heap")
		})
	}
}

func up(b *testing.B, file []byte) *lab.Lab {
	read, err := twin.Read(bytes.NewReader(file), nil, clock.RealClock{})
	if err != nil {
		b.Fatal(err)
	}
	l, err := labtest.New(context.WithoutCancel(b.Context()), read.Options())
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// used is the process's CPU time so far in seconds, and its living heap in MiB.
func used(b *testing.B) (cpu, heap float64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9, float64(memory.HeapAlloc) / (1 << 20)
}

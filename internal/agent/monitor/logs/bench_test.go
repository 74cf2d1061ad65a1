package logs

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/benchmark"
)

// ordinary are lines as kernels write them all day, and nothing is wrong.
var ordinary = []string{
	"IPv6: ADDRCONF(NETDEV_CHANGE): veth7a1b2c3d: link becomes ready",
	"cni0: port 12(veth7a1b2c3d) entered forwarding state",
	"device veth7a1b2c3d entered promiscuous mode",
	"audit: type=1400 audit(1790000000.123:4711): apparmor=\"STATUS\" operation=\"profile_load\" profile=\"unconfined\" name=\"cri-containerd.apparmor.d\"",
	"EXT4-fs (nvme2n1): mounted filesystem 00000000-0000-0000-0000-000000000000 r/w with ordered data mode. Quota mode: none.",
	"TCP: request_sock_TCP: Possible SYN flooding on port 0.0.0.0:8080. Sending cookies.",
	"IPVS: rr: TCP 10.0.0.1:443 - no destination available",
}

// batch is how many lines are written at once, where the pace is given.
const batch = 50

// flood sends that many records, a batch at a pace or as fast as they are read, through the real monitor, on which every pattern of the catalogue is tried; each hundredth
// is an OOM kill of another process. It waits for the last.
func flood(b *testing.B, lines int, pace <-chan time.Time) (emitted int) {
	b.Helper()
	h := machine(b)
	kernel := kernelDevice(b, h)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	m := New(h, DefaultOptions(), reason.Catalogue, b.TempDir())
	var running sync.WaitGroup
	running.Go(func() {
		err := m.Run(ctx, func(e evidence.Evidence) {
			if e.State == evidence.Fault && e.Reason == reason.OOMKilling {
				if emitted++; e.Entity == "last" {
					close(done)
				}
			}
		})
		if err != nil {
			b.Error(err)
		}
	})
	write := func(seq int, text string) {
		if _, err := fmt.Fprintf(kernel, "6,%d,%d,-;%s\n", seq, seq, text); err != nil {
			b.Fatal(err)
		}
	}
	kill := func(name string) string {
		return "Memory cgroup out of memory: Killed process 1 (" + name + ") total-vm:1kB, anon-rss:1kB"
	}
	for i := range lines {
		if pace != nil && i%batch == 0 {
			<-pace
		}
		if i%100 == 99 {
			write(i, kill(fmt.Sprint("p", i)))
		} else {
			write(i, ordinary[i%len(ordinary)])
		}
	}
	write(lines, kill("last"))
	<-done
	cancel()
	running.Wait()
	if lost := m.Lost(); len(lost) != 0 {
		b.Errorf("%v lost", lost)
	}
	return emitted
}

// What a line of the kernel costs of the CPU at a thousand a second, where 1,000 ns are a thousandth of a CPU; the writing of
// it is counted in.
func BenchmarkKernelLines(b *testing.B) {
	const lines = 2000
	pace := time.NewTicker(batch * time.Millisecond)
	defer pace.Stop()
	b.ReportAllocs()
	var used time.Duration
	for b.Loop() {
		before := benchmark.CPU(b)
		if emitted := flood(b, lines, pace.C); emitted != lines/100+1 {
			b.Errorf("%d of %d kills told", emitted, lines/100+1)
		}
		used += benchmark.CPU(b) - before
	}
	b.ReportMetric(float64(used)/float64(b.N*lines), "ns/line")
	b.ReportMetric(float64(b.N*lines)/b.Elapsed().Seconds(), "lines/s")
	benchmark.Limit(b, 50_000, "ns/line")
}

// What is kept of a flood, beside its text: nothing grows with it.
func BenchmarkKeptOfFlood(b *testing.B) {
	const lines = 20_000
	flood(b, 1000, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		flood(b, lines, nil)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	savedPositions := max(int64(after.HeapAlloc)-int64(before.HeapAlloc), 1) // The collector may have found more than was kept.
	b.ReportMetric(float64(savedPositions)/1024, "KiB")
	text := 0
	for i := range lines {
		text += len(ordinary[i%len(ordinary)])
	}
	benchmark.Alternative(b, "text", float64(text*b.N)/1024, "KiB")
	benchmark.Target(b, 6, "text", "KiB")
}

// What it costs of the CPU to try all patterns of the kernel's log on an ordinary line, beside plain regular expressions.
func BenchmarkPatterns(b *testing.B) {
	all := compile(reason.Catalogue)[kernelLog]
	b.ReportAllocs()
	before := benchmark.CPU(b)
	for b.Loop() {
		for _, line := range ordinary {
			if results := all.match(line); results != nil {
				b.Fatalf("%s: %v", line, results)
			}
		}
	}
	b.ReportMetric(float64(benchmark.CPU(b)-before)/float64(b.N*len(ordinary)), "ns/line")
	const tried = 1000
	before = benchmark.CPU(b)
	for i := range tried {
		for _, p := range all.all {
			p.match(ordinary[i%len(ordinary)])
		}
	}
	benchmark.Alternative(b, "plain", float64(benchmark.CPU(b)-before)/tried, "ns/line")
	benchmark.Target(b, 1.5, "plain", "ns/line")
}

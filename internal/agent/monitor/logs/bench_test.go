package logs

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// cpu is what the process has used of the CPU.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

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
func flood(b *testing.B, lines int, pace <-chan time.Time) (told int) {
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
				if told++; e.Entity == "last" {
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
	return told
}

// What a thousand lines of the kernel a second cost, in thousandths of a CPU; the writing of them is counted in.
func BenchmarkKernelLines(b *testing.B) {
	const lines = 2000
	pace := time.NewTicker(batch * time.Millisecond)
	defer pace.Stop()
	b.ReportAllocs()
	var used time.Duration
	for b.Loop() {
		before := cpu(b)
		if told := flood(b, lines, pace.C); told != lines/100+1 {
			b.Errorf("%d of %d kills told", told, lines/100+1)
		}
		used += cpu(b) - before
	}
	b.ReportMetric(float64(used)/float64(b.Elapsed())*1000, "mCPU")
	b.ReportMetric(float64(b.N*lines)/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(50, "target-mCPU")
}

// What is kept of a flood: nothing grows with it.
func BenchmarkKeptOfFlood(b *testing.B) {
	flood(b, 1000, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		flood(b, 20_000, nil)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024, "KiB")
	b.ReportMetric(256, "target-KiB")
}

// What it costs to try all patterns of the kernel's log on an ordinary line, beside plain regular expressions.
func BenchmarkPatterns(b *testing.B) {
	all := compile(reason.Catalogue)[kernelLog]
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range ordinary {
			if hits := all.match(line); hits != nil {
				b.Fatalf("%s: %v", line, hits)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ordinary)), "ns/line")
	b.ReportMetric(10_000, "target-ns/line")
	began := time.Now()
	for _, line := range ordinary {
		for _, p := range all {
			p.match(line)
		}
	}
	b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(len(ordinary)), "plain-ns/line")
}

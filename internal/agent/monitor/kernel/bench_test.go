package kernel

import (
	"syscall"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
)

// crowd starts as many processes as make a walk through /proc worth measuring.
func crowd(b *testing.B) {
	b.Helper()
	for range 500 {
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "1000"}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		})
	}
}

// cpu is what this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// What a walk costs for each process there is. At 30 µs, 5,000 processes once in five minutes are half a millicore.
func BenchmarkWalk(b *testing.B) {
	crowd(b)
	look := processes{host.Host{}, 20, 1000}
	if _, err := look.find(b.Context()); err != nil {
		b.Fatal(err)
	}
	there := 0
	if err := walk("/proc", func(process) { there++ }); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		if _, err := look.find(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N*there), "ns/process")
	b.ReportMetric(30_000, "target-ns/process")
}

// What all looks cost together, each as often as it is made, in thousandths of a CPU. The whole agent may take 5.
func BenchmarkLooks(b *testing.B) {
	crowd(b)
	monitors := Monitors(host.Host{}, DefaultOptions())
	var share float64
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range monitors {
			before := cpu(b)
			if err := m.Look(b.Context(), func(evidence.Evidence) {}); err != nil {
				b.Fatal(err)
			}
			share += float64(cpu(b)-before) / float64(m.(monitor.Every).Period)
		}
	}
	b.ReportMetric(share*1000/float64(b.N), "mCPU")
	b.ReportMetric(1, "target-mCPU")
}

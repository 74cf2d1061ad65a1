package kernel

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/benchmark"
)

// startProcesses starts as many processes as make a walk through /proc worth measuring.
func startProcesses(b *testing.B) {
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

// What a walk costs of the CPU for each process there is, beside reading the same files with os.ReadFile. At 30 µs, 5,000
// processes once in five minutes are half a millicore.
func BenchmarkWalk(b *testing.B) {
	startProcesses(b)
	look := processes{host.Host{}, 20, 1000}
	if _, err := look.find(b.Context()); err != nil {
		b.Fatal(err)
	}
	there := 0
	if err := walk("/proc", func(process) { there++ }); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := benchmark.CPU(b)
	for b.Loop() {
		if _, err := look.find(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchmark.CPU(b)-before)/float64(b.N*there), "ns/process")
	files, err := filepath.Glob("/proc/[1-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	const rounds = 20
	before = benchmark.CPU(b)
	for i := range rounds * len(files) {
		_, _ = os.ReadFile(files[i%len(files)]) // The process may have ended.
	}
	benchmark.Alternative(b, "readfile", float64(benchmark.CPU(b)-before)/float64(rounds*len(files)), "ns/process")
	benchmark.Target(b, 0.5, "readfile", "ns/process")
}

// What all looks cost together, each as often as it is made, in thousandths of a CPU. The whole agent may take 5.
func BenchmarkLooks(b *testing.B) {
	startProcesses(b)
	monitors := Monitors(host.Host{}, DefaultOptions())
	var share float64
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range monitors {
			before := benchmark.CPU(b)
			if err := m.Look(b.Context(), func(evidence.Evidence) {}); err != nil {
				b.Fatal(err)
			}
			share += float64(benchmark.CPU(b)-before) / float64(m.(monitor.Periodic).Period)
		}
	}
	b.ReportMetric(share*1000/float64(b.N), "mCPU")
	benchmark.Limit(b, 1, "mCPU")
}

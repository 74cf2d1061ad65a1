package runtime

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
	"github.com/naosu-dev/naosu/internal/benchmark"
)

// What a look at systemd's services costs of the CPU, for each that there is, beside one systemctl for each. At 200 µs, 100
// services once a minute are a third of a millicore.
func BenchmarkUnits(b *testing.B) {
	m := systemdtest.Start(b)
	const services = 100
	for i := range services {
		m.Write(fmt.Sprintf("s%d.service", i), lasting)
	}
	m.Systemctl("daemon-reload")
	for i := range services {
		m.Systemctl("start", fmt.Sprintf("s%d.service", i))
	}
	u := &units{bus: systemd.New(m.Host)}
	defer u.bus.Close()
	measure(b, services, func() error { _, err := u.find(b.Context()); return err })
	const asked = 10
	before := benchmark.ChildrenCPU(b)
	for i := range asked {
		m.Systemctl("show", fmt.Sprintf("s%d.service", i))
	}
	benchmark.Alternative(b, "systemctl", float64(benchmark.ChildrenCPU(b)-before)/asked, "ns/thing")
	benchmark.Target(b, 10, "systemctl", "ns/thing")
}

// What a walk through /proc for processes that were killed costs of the CPU, for each that there is, beside reading one file
// of each with os.ReadFile. At 20 µs, 1,000 processes once a minute are a third of a millicore.
func BenchmarkKilled(b *testing.B) {
	const processes = 500
	var pids []int
	for range processes {
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "1000"}, nil)
		if err != nil {
			b.Fatal(err)
		}
		pids = append(pids, pid)
		b.Cleanup(func() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		})
	}
	measure(b, processes, func() error { _, err := killed(host.Host{}); return err })
	const rounds = 20
	before := benchmark.CPU(b)
	for i := range rounds * processes {
		if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pids[i%processes])); err != nil {
			b.Fatal(err)
		}
	}
	benchmark.Alternative(b, "readfile", float64(benchmark.CPU(b)-before)/(rounds*processes), "ns/thing")
	benchmark.Target(b, 0.5, "readfile", "ns/thing")
}

// measure reports the CPU time of a look for each thing that it looks at.
func measure(b *testing.B, things int, look func() error) {
	b.Helper()
	b.ReportAllocs()
	before := benchmark.CPU(b)
	for b.Loop() {
		if err := look(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchmark.CPU(b)-before)/float64(b.N*things), "ns/thing")
}

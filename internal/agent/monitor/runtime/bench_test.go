package runtime

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// What a look at systemd's services costs, for each that there is. At 200 µs, 100 services once a minute are a third of a
// millicore.
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
	measure(b, services, 200_000, func() error { _, err := u.find(b.Context()); return err })
}

// What a walk through /proc for processes that were killed costs, for each that there is. At 20 µs, 1,000 processes once a
// minute are a third of a millicore.
func BenchmarkKilled(b *testing.B) {
	const processes = 500
	for range processes {
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "1000"}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		})
	}
	measure(b, processes, 20_000, func() error { _, err := killed(host.Host{}); return err })
}

// measure reports the CPU time of a look for each thing that it looks at, and what it may take.
func measure(b *testing.B, things int, target float64, look func() error) {
	b.Helper()
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		if err := look(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N*things), "ns/thing")
	b.ReportMetric(target, "target-ns/thing")
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

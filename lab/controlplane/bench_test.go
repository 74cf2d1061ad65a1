package controlplane_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/planetest"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// BenchmarkReady is the time from nothing to a cluster that schedules pods, its process started.
func BenchmarkReady(b *testing.B) {
	for b.Loop() {
		p, err := testbed.StartPlane(b.Context(), controlplane.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := p.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkResident is the memory of a process with nothing but an idle control plane.
func BenchmarkResident(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("needs Linux's /proc")
	}
	p, _ := planetest.Start(b, testbed.StartPlane, controlplane.Options{})
	var size, steady int
	for b.Loop() {
		// Idle is when the size has not grown for ten seconds.
		err := wait.PollUntilContextCancel(b.Context(), time.Second, true, func(context.Context) (bool, error) {
			now, err := resident(p.PID())
			if steady++; now > size {
				steady = 0
			}
			size = max(size, now)
			return steady == 10, err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size)/1024, "MiB-resident")
	b.ReportMetric(0, "ns/op")
}

// resident is a process's size in KiB.
func resident(pid int) (size int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	_, err = fmt.Sscanf(rest, "%d", &size)
	return size, err
}

package reporting

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// The flood is of so many lines a second, for so long.
const (
	floodPace    = 36_000
	floodSeconds = 20
)

// BenchmarkFloodedAgent is what the whole agent takes of this host, reporting to a real API server, while the kernel's log has 36,000
// lines a second that are all evidence: OOM kills and crashes of processes that are each called something else. It is to stay within one
// core and 25 MiB resident; to its memory there is no alternative here.
func BenchmarkFloodedAgent(b *testing.B) {
	env := testbed.Shared(b)
	name := "flooded-agent"
	node(b, env.Client, name)
	binary := program.Need(b, "naosu-agent")
	file := filepath.Join(b.TempDir(), "kubeconfig")
	if err := env.WriteKubeconfig(file); err != nil {
		b.Fatal(err)
	}
	root, kernel := hostWithKernelLog(b)
	for b.Loop() {
		agent := exec.CommandContext(b.Context(), binary, "--node-name", name, "--kubeconfig", file, "--state", b.TempDir(), "--host-root", root)
		if err := agent.Start(); err != nil {
			b.Fatal(err)
		}
		firstReport(b, env, name)
		before, began := spent(b, agent.Process.Pid), time.Now()
		writeFlood(b, kernel)
		lines := float64(floodPace * floodSeconds)
		b.ReportMetric((spent(b, agent.Process.Pid)-before).Seconds()*1e9/lines, "ns/line")
		b.ReportMetric(lines/time.Since(began).Seconds(), "lines/s")
		b.ReportMetric(mebibytes(b, agent.Process.Pid, "RssAnon"), "MiB-anonymous")
		b.ReportMetric(mebibytes(b, agent.Process.Pid, "VmHWM"), "MiB-resident-at-most")
		_ = agent.Process.Kill()
		_ = agent.Wait() // it was killed
	}
	b.ReportMetric(0, "ns/op")
	benchmark.Limit(b, 1e9/floodPace, "ns/line")
}

// hostWithKernelLog is a root folder with this host's /proc and /sys, and a kernel log of its own: a pipe that keeps records apart.
func hostWithKernelLog(b *testing.B) (root string, kernel *os.File) {
	b.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_DIRECT|unix.O_CLOEXEC); err != nil {
		b.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, 1<<20); err != nil { // A page holds one record.
		b.Fatal(err)
	}
	out, in := os.NewFile(uintptr(ends[0]), "out"), os.NewFile(uintptr(ends[1]), "in")
	b.Cleanup(func() { _ = out.Close(); _ = in.Close() })
	root = b.TempDir()
	if err := os.Mkdir(filepath.Join(root, "dev"), 0o700); err != nil {
		b.Fatal(err)
	}
	for link, to := range map[string]string{"proc": "/proc", "sys": "/sys", "dev/kmsg": fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), ends[0])} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			b.Fatal(err)
		}
	}
	return root, in
}

// writeFlood writes the flood, a hundredth of a second at a time, or as fast as it is read if that is slower.
func writeFlood(b *testing.B, kernel *os.File) {
	b.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		b.Fatal(err)
	}
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	const batch = floodPace / 100
	for i := range floodPace * floodSeconds {
		if i%batch == 0 {
			<-pace.C
		}
		text := fmt.Sprintf("Memory cgroup out of memory: Killed process %d (p%[1]d) total-vm:35476kB, anon-rss:32512kB, file-rss:1556kB, shmem-rss:0kB, UID:0 pgtables:104kB oom_score_adj:0", i)
		if i%2 == 1 {
			text = fmt.Sprintf("p%d[%[1]d]: segfault at 0 ip 000000000040007a sp 00007ffe850b71a0 error 6 in p%[1]d[7a,400000+1000]", i)
		}
		if _, err := fmt.Fprintf(kernel, "6,%d,%d,-;%s\n", i+1, now.Nano()/1000, text); err != nil {
			b.Fatal(err)
		}
	}
}

package kernel

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func init() {
	actors["spin"] = func(_, _ func()) {
		for { //nolint:staticcheck // It is there to take all of a CPU.
		}
	}
}

// low are options whose thresholds real pressure reaches within seconds: the figures are means of a minute.
func low() Options {
	o := DefaultOptions()
	o.Pressure = Pressure{CPU: 5, IO: 5, Memory: 2}
	return o
}

// command starts one in a cgroup; it begins when it is in.
func (g group) command(script string) *exec.Cmd {
	g.t.Helper()
	cmd := exec.CommandContext(g.t.Context(), "sh", "-c", "read go; "+script)
	to, err := cmd.StdinPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { kill(cmd) })
	g.take(cmd.Process.Pid)
	fmt.Fprintln(to)
	return cmd
}

func (g group) needPressure() {
	g.t.Helper()
	if _, err := os.Stat(filepath.Join(g.dirs[""], "cpu.pressure")); err != nil {
		g.t.Skipf("not run: no pressure stall information of cgroups: %v", err)
	}
}

// A daemon of the lowest weight wants the CPU that another process takes.
func TestCPUPressure(t *testing.T) {
	t.Parallel() // Each waits for a mean of a minute to rise and fall.
	g := newGroup(t)
	g.needPressure()
	w := watch(t, "pressure", low())
	w.Goes(reason.CPUPressureStalled, g.entity())
	starved, greedy := play(t, "spin"), play(t, "spin")
	g.take(starved.Process.Pid)
	for _, p := range []*played{starved, greedy} {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", p.Process.Pid))
		if err != nil || len(threads) == 0 {
			t.Fatalf("no threads: %v", err)
		}
		for _, thread := range threads {
			var tid int
			_, _ = fmt.Sscan(filepath.Base(thread), &tid)
			var one unix.CPUSet
			one.Set(0)
			if err := unix.SchedSetaffinity(tid, &one); err != nil {
				t.Fatal(err)
			}
			if p == starved {
				_ = unix.Setpriority(unix.PRIO_PROCESS, tid, 19)
			}
		}
	}
	w.Stands(reason.CPUPressureStalled, g.entity())
	greedy.end() // First: what the other holds in the kernel as it ends, it could not let go of beside this one.
	starved.end()
	w.Goes(reason.CPUPressureStalled, g.entity())
}

// A daemon writes to a disk that takes twenty blocks a second.
func TestIOPressure(t *testing.T) {
	t.Parallel() // Each waits for a mean of a minute to rise and fall.
	g := newGroup(t)
	g.needPressure()
	dir := t.TempDir()
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		t.Fatal(err)
	}
	disk := fmt.Sprintf("%d:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev))
	if unix.Major(stat.Dev) == 0 {
		t.Skipf("not run: %s is on no block device", dir)
	}
	limit := disk + " 20"
	if g.v2 {
		limit = disk + " wiops=20"
	}
	g.set("blkio", "throttle.write_iops_device", "io.max", limit)
	w := watch(t, "pressure", low())
	w.Goes(reason.IOPressureStalled, g.entity())
	cmd := g.command("exec dd if=/dev/zero of=" + dir + "/file bs=4k count=1000000 oflag=direct status=none")
	w.Stands(reason.IOPressureStalled, g.entity())
	kill(cmd)
	w.Goes(reason.IOPressureStalled, g.entity())
}

// A daemon copies a file through the page cache and may have 4 MiB: for each page another must be freed, and first be written.
// So it waits for memory on busy CPUs too: beside twenty busy processes on two CPUs for two thirds of the time, where one that
// only read, with 1 MiB, spent nearly all of it waiting for a CPU.
func TestMemoryPressure(t *testing.T) {
	t.Parallel() // Each waits for a mean of a minute to rise and fall.
	g := newGroup(t)
	g.needPressure()
	g.set("memory", "limit_in_bytes", "memory.max", "4M")
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if err := os.Truncate(file, 100<<30); err != nil { // a hole
		t.Fatal(err)
	}
	w := watch(t, "pressure", low())
	w.Goes(reason.MemoryPressureStalled, g.entity())
	// Each dd ends with 64 MiB: the disk is not filled, and one that runs out of memory is followed by the next.
	cmd := g.command("while :; do dd if=" + file + " of=" + file + ".copy bs=64k count=1000 conv=notrunc status=none; done")
	w.Stands(reason.MemoryPressureStalled, g.entity())
	kill(cmd)
	w.Goes(reason.MemoryPressureStalled, g.entity())
}

const calm = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"

func TestPressure(t *testing.T) {
	full := func(share string) string {
		return strings.Replace(calm, "full avg10=0.00 avg60=0.00", "full avg10=0.00 avg60="+share, 1)
	}
	some := func(share string) string {
		return strings.Replace(calm, "some avg10=0.00 avg60=0.00", "some avg10=0.00 avg60="+share, 1)
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"no PSI at all": {nil, []string{"CPUPressureStalled Inapplicable ", "IOPressureStalled Inapplicable ", "MemoryPressureStalled Inapplicable "}},
		"no cgroups of daemons": {
			map[string]string{"proc/pressure/cpu": some("99.00"), "proc/pressure/io": full("99.00"), "proc/pressure/memory": calm},
			[]string{"CPUPressureStalled Inapplicable ", "IOPressureStalled Inapplicable "},
		},
		"busy and healthy: some wait for CPUs always, one process for the disk; the daemons get on": {
			map[string]string{
				"proc/pressure/cpu": some("96.00"), "proc/pressure/io": full("97.00"), "proc/pressure/memory": full("3.10"),
				"sys/fs/cgroup/cgroup.controllers":        "",
				"sys/fs/cgroup/system.slice/cpu.pressure": full("12.00"), "sys/fs/cgroup/system.slice/io.pressure": full("31.00"), "sys/fs/cgroup/system.slice/memory.pressure": full("0.40"),
				"sys/fs/cgroup/kubepods.slice/cpu.pressure": full("80.00"), "sys/fs/cgroup/kubepods.slice/io.pressure": full("90.00"), "sys/fs/cgroup/kubepods.slice/memory.pressure": full("70.00"),
			}, nil,
		},
		"the host thrashes, and kubelet starves": {
			map[string]string{
				"proc/pressure/memory":                                       full("43.21"),
				"sys/fs/cgroup/cgroup.controllers":                           "",
				"sys/fs/cgroup/runtime.slice/kubelet.service/cpu.pressure":   full("61.00"),
				"sys/fs/cgroup/runtime.slice/kubelet.service/io.pressure":    full("60.00"),
				"sys/fs/cgroup/runtime.slice/cpu.pressure":                   full("39.99"),
				"sys/fs/cgroup/runtime.slice/containerd.service/io.pressure": full("59.99"),
			},
			[]string{"CPUPressureStalled Fault /runtime.slice/kubelet.service", "IOPressureStalled Fault /runtime.slice/kubelet.service", "MemoryPressureStalled Fault /"},
		},
		"Linux 5.12, cpu.pressure has no line full": {
			map[string]string{
				"proc/pressure/memory": calm, "sys/fs/cgroup/unified/cgroup.procs": "",
				"sys/fs/cgroup/unified/system.slice/cpu.pressure": "some avg10=99.00 avg60=99.00 avg300=99.00 total=1\n", "sys/fs/cgroup/unified/system.slice/io.pressure": full("60.00"),
			},
			[]string{"CPUPressureStalled Inapplicable ", "IOPressureStalled Fault /system.slice"},
		},
		"strange": {map[string]string{"proc/pressure/memory": "full of it\n"}, []string{"CPUPressureStalled Inapplicable ", "IOPressureStalled Inapplicable ", "MemoryPressureStalled Unreadable "}},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			for path, text := range tc.files {
				write(t, filepath.Join(h.Root, path), text)
			}
			o := DefaultOptions()
			found, err := pressure{h, o.Daemons, o.Pressure}.find(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			compare(t, tc.want, found)
		})
	}
}

// compare holds evidence against lines "reason state entity".
func compare(t *testing.T, want []string, found []evidence.Evidence) {
	t.Helper()
	var got []string
	for _, e := range found {
		got = append(got, fmt.Sprintf("%s %s %s", e.Reason, e.State, e.Entity))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found %q\n want %q", got, want)
	}
}

func FuzzPressure(f *testing.F) {
	f.Add(calm)
	f.Add("some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n")
	f.Fuzz(func(t *testing.T, text string) {
		if line, _, err := parsePressure(text); err == nil && !strings.Contains(text, line) {
			t.Errorf("%q is nowhere in %q", line, text)
		}
	})
}

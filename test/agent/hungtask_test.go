package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/monitor/kernel"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A process that writes into a frozen filesystem waits in the kernel, which says so after a while.
func TestHungTask(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "dd")
	if !agenttest.Alone(t) {
		return
	}
	agenttest.SetMachine(
		t, agenttest.Setting{Path: "/proc/sys/kernel/hung_task_timeout_secs", Value: "1"},
		agenttest.Setting{Path: "/proc/sys/kernel/hung_task_warnings", Value: "-1"}, // Else there are ten since boot.
	)
	d := frozenDisk(t)
	w := agenttest.Watch(t, kernelLog(t), oneSecond(reason.AppBlocked))

	thaw := agenttest.Freeze(t, d.at)
	name := own("hung")
	write(t, d, name, thaw)
	w.Stands(reason.AppBlocked, name, "blocked for more than")
	thaw()
	w.Goes(reason.AppBlocked, name)
}

// Once the kernel has spent its warnings it says so no more, and the process is found waiting.
func TestHungTaskThatTheKernelDoesNotReport(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "dd")
	if !agenttest.Alone(t) {
		return
	}
	agenttest.SetMachine(t, agenttest.Setting{Path: "/proc/sys/kernel/hung_task_warnings", Value: "0"})
	d := frozenDisk(t)
	w := agenttest.Watch(t, lookingOften(t, "kernel/blocked"), oneSecond(reason.AppBlocked))

	thaw := agenttest.Freeze(t, d.at)
	name := own("hung")
	write(t, d, name, thaw)
	w.Stands(reason.AppBlocked, name, "kernel.hung_task_warnings")
	thaw()
	w.Goes(reason.AppBlocked, name)
}

// If it is the container runtime, only a reboot helps: here that its filesystem thaws. The kernel need not say so. One
// that is called so and is in no daemon's cgroup is any process.
func TestHungDaemon(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "dd")
	if !agenttest.Alone(t) {
		return
	}
	d := frozenDisk(t)
	w := agenttest.Watch(t, lookingOften(t, "kernel/hung"), agenttest.Sooner(reason.KernelDeadlock))
	group := daemonGroup(t)

	thaw := agenttest.Freeze(t, d.at)
	outside := write(t, d, "containerd", thaw)
	inside := write(t, d, "containerd", thaw)
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), fmt.Append(nil, inside), 0o600); err != nil {
		t.Fatal(err)
	}
	entity := fmt.Sprintf("containerd[%d]", inside)
	w.Stands(reason.KernelDeadlock, entity, "waits in the kernel")
	for _, s := range w.Snapshot().Standing {
		if s.Entity == fmt.Sprintf("containerd[%d]", outside) {
			t.Errorf("a process of no daemon's cgroup stands: %+v", s)
		}
	}
	thaw()
	w.Goes(reason.KernelDeadlock, entity)
}

func frozenDisk(t *testing.T) disk {
	t.Helper()
	d := newDisk(t, 64, "/mnt/frozen", "mkfs.ext4", "-q")
	d.mount()
	return d
}

// write has a process of some name write to a disk until it thaws.
func write(t *testing.T, d disk, name string, thaw func()) (pid int) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), named(t, "dd", name), "if=/dev/zero", "of="+filepath.Join(d.at, "file"), "bs=4k", "count=1")
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { thaw(); _ = writer.Wait() })
	return writer.Process.Pid
}

// lookingOften is a monitor of the kernel's, twice a second.
func lookingOften(t *testing.T, name string) []monitor.Monitor {
	t.Helper()
	for _, m := range kernel.Monitors(host.Host{}, kernel.DefaultOptions()) {
		if every := m.(monitor.Periodic); every.Name() == name {
			every.Period = 500 * time.Millisecond
			return []monitor.Monitor{every}
		}
	}
	t.Fatalf("no monitor %s", name)
	return nil
}

// daemonGroup is a cgroup by the name of a daemon's. In these namespaces no hierarchy is mounted.
func daemonGroup(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	if err := unix.Mount("cgroup2", top, "cgroup2", 0, ""); err != nil {
		t.Skipf("not run: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(top, unix.MNT_DETACH) })
	group := filepath.Join(top, agenttest.Cgroup(t, ".slice", top), "containerd.service")
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatal(err)
	}
	return group
}

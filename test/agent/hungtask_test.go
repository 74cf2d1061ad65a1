package agent

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A process that writes into a frozen filesystem waits in the kernel, which says so after a while.
func TestHungTask(t *testing.T) { hangs(t, own("hung"), reason.AppBlocked) }

// If it is the container runtime, nothing but a reboot mends it: here that its filesystem thaws.
func TestHungDaemon(t *testing.T) { hangs(t, "containerd", reason.KernelDeadlock) }

func hangs(t *testing.T, name string, id reason.ID) {
	t.Helper()
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "dd")
	if !agenttest.Alone(t) {
		return
	}
	agenttest.SetMachine(
		t, agenttest.Setting{Path: "/proc/sys/kernel/hung_task_timeout_secs", Value: "1"},
		agenttest.Setting{Path: "/proc/sys/kernel/hung_task_warnings", Value: "-1"}, // Else there are ten since boot.
	)
	d := newDisk(t, 64, "/mnt/frozen", "mkfs.ext4", "-q")
	d.mount()
	w := agenttest.Watch(t, kernelLog(t), oneSecond(id))

	thaw := agenttest.Freeze(t, d.at)
	writer := exec.CommandContext(t.Context(), named(t, "dd", name), "if=/dev/zero", "of="+filepath.Join(d.at, "file"), "bs=4k", "count=1") //nolint:gosec // G204: of the test.
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { thaw(); _ = writer.Wait() })
	w.Stands(id, name, "blocked for more than")
	thaw()
	w.Goes(id, name)
}

package agent

import (
	"os"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A frozen filesystem takes no write: whoever writes hangs, as with a volume that no longer answers.
func TestDiskProbeFailed(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "mkfs.xfs", "xfs_io")
	if !agenttest.Alone(t) {
		return
	}
	hung := newDisk(t, 64, "/mnt/hung", "mkfs.ext4", "-q")
	hung.mount()
	broken := newDisk(t, 320, "/mnt/broken", "mkfs.xfs", "-q")
	broken.mount()
	w := agenttest.Watch(t, watching(t, quick("/mnt/hung", "/mnt/broken"), "disk-probe"), agenttest.Sooner(reason.DiskProbeFailed))
	w.Goes(reason.DiskProbeFailed, hung.at) // It is well to begin with, and known to be.

	thaw := agenttest.Freeze(t, hung.at)
	w.Stands(reason.DiskProbeFailed, hung.at, "no answer since")
	run(t, "xfs_io", "-x", "-c", "shutdown", broken.at)
	// Though the other still hangs. A busy machine may have made it wait too long, too, before it was broken.
	w.Stands(reason.DiskProbeFailed, broken.at, "input/output error")
	thaw()
	w.Goes(reason.DiskProbeFailed, hung.at)
	broken.unmount()
	broken.mount()
	w.Goes(reason.DiskProbeFailed, broken.at)
	for _, at := range []string{hung.at, broken.at} {
		left, err := os.ReadDir(at)
		if err != nil {
			t.Error(err)
		}
		for _, entry := range left {
			if entry.Name() != "lost+found" {
				t.Errorf("the probe left %s in %s", entry.Name(), at)
			}
		}
	}
}

package agent

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

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

	thaw := freeze(t, hung.at)
	stands := w.Stands(reason.DiskProbeFailed, hung.at)
	if !strings.Contains(stands.Raw, "no answer since") {
		t.Errorf("stands on %q", stands.Raw)
	}
	run(t, "xfs_io", "-x", "-c", "shutdown", broken.at)
	stands = w.Stands(reason.DiskProbeFailed, broken.at) // though the other still hangs
	if !strings.Contains(stands.Raw, "input/output error") {
		t.Errorf("stands on %q", stands.Raw)
	}
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

// freeze freezes a filesystem until thaw is called, or the test ends.
func freeze(t *testing.T, at string) (thaw func()) {
	t.Helper()
	folder, err := os.Open(at) //nolint:gosec // G304: of the tests.
	if err != nil {
		t.Fatal(err)
	}
	const fiFreeze, fiThaw = 0xc0045877, 0xc0045878 // include/uapi/linux/fs.h
	if err := unix.IoctlSetInt(int(folder.Fd()), fiFreeze, 0); err != nil {
		t.Fatalf("freeze %s: %v", at, err)
	}
	frozen := true
	thaw = func() {
		if !frozen {
			return
		}
		if err := unix.IoctlSetInt(int(folder.Fd()), fiThaw, 0); err != nil {
			t.Errorf("thaw %s: %v", at, err)
		}
		frozen = false
		_ = folder.Close()
	}
	t.Cleanup(thaw)
	return thaw
}

package agent

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor/logs"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// reading watches the kernel's own log.
func reading(t *testing.T, ids ...reason.ID) *agenttest.Watched {
	t.Helper()
	return agenttest.Watch(t, logs.Monitors(host.Host{}, logs.DefaultOptions(), reason.Catalogue, ""), agenttest.Sooner(ids...))
}

// A disk that ends before its filesystem does.
func TestBlockDeviceIOError(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "losetup")
	w := reading(t, reason.BlockDeviceIOError)
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	device := strings.TrimSpace(run(t, "losetup", "--find", "--show", image))
	open, err := os.Open(device)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	run(t, "losetup", "--detach", device) // As soon as it is closed, at the latest with this process.
	if err := os.Truncate(image, 1<<20); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []int{unix.O_DIRECT, 0} { // The block layer says it, and the page cache.
		file, err := os.OpenFile(device, os.O_RDONLY|flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE) // aligned
		if err != nil {
			t.Fatal(err)
		}
		if n, err := file.ReadAt(page, 4<<20); err == nil || errors.Is(err, io.EOF) {
			t.Fatalf("read %d bytes where nothing is: %v", n, err)
		}
		_ = unix.Munmap(page)
		_ = file.Close()
		w.Stands(reason.BlockDeviceIOError, filepath.Base(device))
		w.Goes(reason.BlockDeviceIOError, filepath.Base(device))
	}
}

// ext4 finds itself damaged, and says so once more when it is mounted without a check.
func TestExt4Error(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4")
	if !agenttest.Alone(t) {
		return
	}
	d := newDisk(t, 64, "/mnt/data", "mkfs.ext4", "-q")
	d.mount("errors=remount-ro")
	w := reading(t, reason.Ext4Error, reason.Ext4Warning)
	ext4Error(t, d)
	w.Stands(reason.Ext4Error, d.device())
	w.Goes(reason.Ext4Error, d.device())
	d.unmount()
	d.mount()
	w.Stands(reason.Ext4Warning, d.device())
	w.Goes(reason.Ext4Warning, d.device())
}

// XFS shuts itself down.
func TestXfsError(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.xfs", "xfs_io")
	if !agenttest.Alone(t) {
		return
	}
	d := newDisk(t, 320, "/mnt/data", "mkfs.xfs", "-q")
	d.mount()
	w := reading(t, reason.XfsError)
	run(t, "xfs_io", "-x", "-c", "shutdown", d.at)
	w.Stands(reason.XfsError, d.device())
	w.Goes(reason.XfsError, d.device())
}

package agent

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A filesystem whose device has become smaller reads a file that lies beyond its end.
func TestBlockDeviceAccessBeyondEnd(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "losetup", "mkfs.ext4")
	if !agenttest.Alone(t) {
		return
	}
	w := reading(t, reason.BlockDeviceAccessBeyondEnd)
	d := newDisk(t, 16, t.TempDir(), "mkfs.ext4", "-q")
	d.mount()
	file := filepath.Join(d.at, "file")
	if err := os.WriteFile(file, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	d.unmount()
	d.mount()
	if err := os.Truncate(d.image, 2<<20); err != nil {
		t.Fatal(err)
	}
	device := d.device()
	run(t, "losetup", "--set-capacity", "/dev/"+device)
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE) // aligned
	if err != nil {
		t.Fatal(err)
	}
	beyond, err := os.OpenFile(file, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer beyond.Close()
	if _, err := beyond.ReadAt(page, 4<<20); !errors.Is(err, unix.EIO) {
		t.Fatalf("read where nothing is: %v", err)
	}
	w.Stands(reason.BlockDeviceAccessBeyondEnd, device)
	w.Goes(reason.BlockDeviceAccessBeyondEnd, device)
}

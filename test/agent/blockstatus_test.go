package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// The status that the block layer gives a request distinguishes the errors of a disk (block/blk-core.c, blk_errors).
func TestBlockDeviceStatus(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "losetup")
	if !agenttest.Alone(t) {
		return
	}
	of := map[syscall.Errno]reason.ID{
		unix.ENODEV: reason.BlockDeviceOffline, unix.ENOLINK: reason.BlockDeviceTransportError,
		unix.EILSEQ: reason.BlockDeviceProtectionError, unix.ENOSPC: reason.BlockDeviceSpaceExhausted,
		unix.EREMOTEIO: reason.BlockDeviceIOError, unix.EIO: reason.BlockDeviceIOError,
	}
	w := agenttest.Watch(t, kernelLog(t), agenttest.Sooner(reason.BlockDeviceOffline, reason.BlockDeviceTransportError,
		reason.BlockDeviceProtectionError, reason.BlockDeviceSpaceExhausted, reason.BlockDeviceIOError))
	file := newBadFile(t, 8)
	device := file.loop(t)
	disk, err := os.OpenFile(device, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE) // aligned
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disk.WriteAt(page, 0); err != nil {
		t.Fatalf("it does not even work without: %v", err)
	}
	for errno, id := range of {
		file.err.Store(int32(errno))
		stop := again(t, func() error {
			if _, err := disk.WriteAt(page, 4096); !errors.Is(err, errno) {
				return fmt.Errorf("%w, want %w", err, errno)
			}
			return nil
		})
		w.Stands(id, filepath.Base(device))
		stop()
		file.err.Store(0)
		w.Goes(id, filepath.Base(device))
	}
}

// again does something every so often until it is stopped: the kernel says the same no more than ten times in five seconds, whoever
// has it said.
func again(t *testing.T, do func() error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := do(); err != nil {
				t.Error(err)
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	return func() { cancel(); running.Wait() }
}

// btrfs cannot write to its disk, says so, and gives up.
func TestBtrfsError(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "losetup", "mkfs.btrfs")
	if kinds, err := os.ReadFile("/proc/filesystems"); err != nil || !strings.Contains(string(kinds), "\tbtrfs\n") {
		t.Skip("not run: it needs a kernel with btrfs")
	}
	if !agenttest.Alone(t) {
		return
	}
	w := agenttest.Watch(t, kernelLog(t), agenttest.Sooner(reason.BtrfsError))
	file := newBadFile(t, 128)
	device := file.loop(t)
	run(t, "mkfs.btrfs", "-q", device)
	at := "/mnt/data"
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, "mount", device, at)
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	if err := os.WriteFile(filepath.Join(at, "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file.err.Store(int32(unix.EIO))
	unix.Sync()
	w.Stands(reason.BtrfsError, filepath.Base(device), "errs: wr ")
	w.Goes(reason.BtrfsError, filepath.Base(device))
}

package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A small XFS whose free space is every other block: df shows half of it free.
func TestXFSSmallAverageClusterSize(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.xfs")
	if !agenttest.Alone(t) {
		return
	}
	d := newDisk(t, 320, "/mnt/data", "mkfs.xfs", "-q")
	d.mount()
	w := agenttest.Watch(t, watching(t, quick("/mnt/data"), "xfs-free-space"), agenttest.Sooner(reason.XFSSmallAverageClusterSize))
	w.Goes(reason.XFSSmallAverageClusterSize, d.at) // It is well to begin with, and known to be.

	comb := cutUp(t, d.at)
	w.Stands(reason.XFSSmallAverageClusterSize, d.at)
	noNewFiles(t, d.at)
	if err := os.Remove(comb); err != nil {
		t.Fatal(err)
	}
	w.Goes(reason.XFSSmallAverageClusterSize, d.at)
}

// cutUp fills a filesystem with one file and then punches a hole into every second block of it.
func cutUp(t *testing.T, at string) string {
	t.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(at, &stat); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(at, "comb"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fd, block := int(file.Fd()), stat.Bsize
	size := int64(stat.Bavail) * block * 96 / 100
	if err := unix.Fallocate(fd, 0, 0, size); err != nil {
		t.Fatalf("fill %s: %v", at, err)
	}
	for offset := int64(0); offset < size; offset += 2 * block {
		if err := unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, offset, block); err != nil {
			t.Fatalf("punch a hole at %d: %v", offset, err)
		}
	}
	return file.Name()
}

// noNewFiles holds that what the reason warns of comes true: no file can be created though a quarter is free.
func noNewFiles(t *testing.T, at string) {
	t.Helper()
	for i := range 100_000 {
		file, err := os.Create(filepath.Join(at, fmt.Sprint("file", i)))
		if err == nil {
			_ = file.Close()
			continue
		}
		var stat unix.Statfs_t
		if err := unix.Statfs(at, &stat); err != nil {
			t.Fatal(err)
		}
		t.Logf("after %d empty files: %v, with %d of %d blocks free", i, err, stat.Bavail, stat.Blocks)
		if !errors.Is(err, unix.ENOSPC) || stat.Bavail < stat.Blocks/4 {
			t.Errorf("want no space, with a quarter free")
		}
		return
	}
	t.Error("100,000 files found room")
}

package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor/storage"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// An error that ext4 finds in itself has the kernel turn it read-only; a check repairs it.
func TestReadonlyFilesystem(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "e2fsck")
	if !agenttest.Alone(t) {
		return
	}
	d := newDisk(t, 64, "/mnt/data", "mkfs.ext4", "-q")
	d.mount("errors=remount-ro")
	w := agenttest.Watch(t, watching(t, quick("/mnt/data"), "filesystems"), agenttest.Sooner(reason.ReadonlyFilesystem))

	ext4Error(t, d)
	stands := w.Stands(reason.ReadonlyFilesystem, d.at)
	if !strings.Contains(stands.Raw, "emergency_ro") && !strings.Contains(stands.Raw, " ro,") {
		t.Errorf("stands on %q, which does not say that the filesystem is read-only", stands.Raw)
	}
	d.unmount()
	run(t, "sh", "-c", "e2fsck -fy "+d.image+"; test $? -le 1") // 1: mended
	d.mount("errors=remount-ro")
	w.Goes(reason.ReadonlyFilesystem, d.at)

	// Kernels before 6.15 set the filesystem read-only and leave the mount, which is what fspick does, too.
	superblock(t, d.at, "ro")
	w.Stands(reason.ReadonlyFilesystem, d.at)
	superblock(t, d.at, "rw")
	w.Goes(reason.ReadonlyFilesystem, d.at)

	// It was writable before, and the node's own: it does not matter who did it.
	run(t, "mount", "-o", "remount,ro", d.at)
	w.Stands(reason.ReadonlyFilesystem, d.at)
	run(t, "mount", "-o", "remount,rw", d.at)
	w.Goes(reason.ReadonlyFilesystem, d.at)
}

// ext4Error has ext4 do as if it had found itself damaged.
func ext4Error(t *testing.T, d disk) {
	t.Helper()
	if err := os.WriteFile(filepath.Join("/sys/fs/ext4", d.device(), "trigger_fs_error"), []byte("1"), 0o200); err != nil {
		t.Fatal(err)
	}
}

// superblock changes a filesystem and not its mounts, unlike mount -o remount.
func superblock(t *testing.T, at, flag string) {
	t.Helper()
	fd, err := unix.Fspick(unix.AT_FDCWD, at, 0)
	if err != nil {
		t.Fatalf("fspick: %v", err)
	}
	defer unix.Close(fd)
	if err := unix.FsconfigSetFlag(fd, flag); err != nil {
		t.Fatalf("fsconfig %s: %v", flag, err)
	}
	if err := unix.FsconfigReconfigure(fd); err != nil {
		t.Fatalf("reconfigure: %v", err)
	}
}

// A pod's volume is not the node.
func TestVolumeReadonly(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4")
	if !agenttest.Alone(t) {
		return
	}
	kubelet := t.TempDir()
	stage := filepath.Join(kubelet, "plugins/kubernetes.io/csi/ebs.csi.aws.com/0a1b/globalmount")
	d := newDisk(t, 64, stage, "mkfs.ext4", "-q")
	d.mount("errors=remount-ro")
	pod := filepath.Join(kubelet, "pods/1/volumes/kubernetes.io~csi/pv/mount")
	if err := os.MkdirAll(pod, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, "mount", "--bind", stage, pod)
	t.Cleanup(func() { _ = unix.Unmount(pod, unix.MNT_DETACH) })
	w := agenttest.Watch(t, watching(t, quick(storage.Path(kubelet)), "filesystems"), agenttest.Sooner(reason.VolumeReadonly, reason.ReadonlyFilesystem))
	w.Goes(reason.VolumeReadonly, stage)
	run(t, "mount", "-o", "remount,ro", stage)
	w.Stands(reason.VolumeReadonly, stage)
	run(t, "mount", "-o", "remount,rw", stage)
	w.Goes(reason.VolumeReadonly, stage)

	ext4Error(t, d)
	w.Stands(reason.VolumeReadonly, stage)
	for _, s := range w.Snapshot().Standing {
		if s.Reason != reason.VolumeReadonly || s.Entity != stage {
			t.Errorf("stands, too: %+v", s)
		}
	}
	run(t, "umount", pod)
	d.unmount()
	w.Goes(reason.VolumeReadonly, stage)
}

// XFS shuts itself down where it cannot go on; a mount anew replays its log.
func TestXfsShutdown(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.xfs", "xfs_io")
	if !agenttest.Alone(t) {
		return
	}
	d := newDisk(t, 320, "/mnt/data", "mkfs.xfs", "-q")
	d.mount()
	w := agenttest.Watch(t, watching(t, quick("/mnt/data"), "filesystems"), agenttest.Sooner(reason.XfsShutdown))
	w.Goes(reason.XfsShutdown, d.at) // It is well to begin with, and known to be.

	run(t, "xfs_io", "-x", "-c", "shutdown", d.at)
	w.Stands(reason.XfsShutdown, d.at)
	d.unmount()
	d.mount()
	w.Goes(reason.XfsShutdown, d.at)
}

// A container sees one folder of a filesystem, not where the host has it mounted.
func TestXfsShutdownSeenFromAContainer(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.xfs", "xfs_io")
	if !agenttest.Alone(t) {
		return
	}
	d := newDisk(t, 320, "/mnt/data", "mkfs.xfs", "-q")
	d.mount()
	h := host.Host{Root: t.TempDir()}
	bind := func(path string) {
		for _, folder := range []string{path, h.Path(path)} {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		run(t, "mount", "--bind", path, h.Path(path))
		t.Cleanup(func() { _ = unix.Unmount(h.Path(path), unix.MNT_DETACH) })
	}
	bind("/proc")
	bind("/mnt/data/kubelet")
	w := agenttest.Watch(t, watchingAt(t, h, quick("/mnt/data/kubelet"), "filesystems"), agenttest.Sooner(reason.XfsShutdown))
	w.Goes(reason.XfsShutdown, d.at) // It is well to begin with, and known to be.

	run(t, "xfs_io", "-x", "-c", "shutdown -f", d.at) // -f keeps the new folder
	w.Stands(reason.XfsShutdown, d.at)
	run(t, "umount", h.Path("/mnt/data/kubelet"))
	d.unmount()
	d.mount()
	run(t, "mount", "--bind", "/mnt/data/kubelet", h.Path("/mnt/data/kubelet"))
	w.Goes(reason.XfsShutdown, d.at)
}

// What is read-only by nature or intention is well: an image, an overlay without a writable layer, a bind mount, a volume
// that is mounted so.
func TestReadonlyByIntention(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "mkfs.xfs", "mksquashfs")
	if !agenttest.Alone(t) {
		return
	}
	o := quick("/mnt/kubelet", "/mnt/data", "/mnt/ext4", "/mnt/xfs", "/mnt/absent")
	o.Probe.Patience = time.Minute // a busy disk is well, too
	folder := func(name string) string {
		path := filepath.Join("/mnt", name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newDisk(t, 64, folder("ext4"), "mkfs.ext4", "-q").mount("ro")
	newDisk(t, 320, folder("xfs"), "mkfs.xfs", "-q").mount("ro")
	newDisk(t, 64, folder("kubelet/plugins/staged"), "mkfs.ext4", "-q").mount("ro")
	newDisk(t, 64, folder("data"), "mkfs.ext4", "-q").mount()
	newDisk(t, 320, folder("kubelet/plugins/writable"), "mkfs.xfs", "-q").mount()
	run(t, "mksquashfs", folder("data"), "/mnt/image", "-quiet", "-no-progress")
	run(t, "mount", "-t", "squashfs", "-o", "loop", "/mnt/image", folder("squashfs"))
	run(t, "mount", "-t", "overlay", "none", "-o", "lowerdir="+folder("lower1")+":"+folder("lower2"), folder("overlay"))
	run(t, "mount", "-t", "tmpfs", "-o", "ro", "configmap", folder("kubelet/pods/1/volumes/kubernetes.io~configmap/c"))
	for from, to := range map[string]string{"data": "bound", "kubelet/plugins/writable": "kubelet/pods/1/volumes/kubernetes.io~csi/pv"} {
		run(t, "mount", "--bind", folder(from), folder(to))
		run(t, "mount", "-o", "remount,bind,ro", folder(to))
	}
	for range 2 { // Some faults are found by comparison with the look before.
		for _, m := range storage.Monitors(host.Host{}, o) {
			err := m.Look(t.Context(), func(e evidence.Evidence) {
				if e.State == evidence.Fault || e.State == evidence.Unreadable && e.Reason != reason.FilesystemFillingUp { // It takes an hour to detect.
					t.Errorf("%s: %+v", m.Name(), e)
				}
			})
			if err != nil {
				t.Errorf("%s: %v", m.Name(), err)
			}
		}
	}
}

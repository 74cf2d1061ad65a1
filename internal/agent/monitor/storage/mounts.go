package storage

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	mountfile "github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// mountinfo is that of the host's first process: a container's own says nothing of the host.
const mountinfo = "/proc/1/mountinfo"

// kinds are the types of filesystems on disks that are written to. Others (squashfs, overlay, ISO 9660, tmpfs) are always read-only, are not on a
// disk, or use one of these.
var kinds = []string{"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"}

// mounts reads what is mounted on a host.
type mounts struct {
	host host.Host
	// folders are those that the node cannot work without.
	folders []Path
}

// filesystem is a disk's filesystem, wherever it is mounted.
type filesystem struct {
	// at is where it is mounted: where the node works with it, else where it was first.
	at, kind, source string
	// device is the kernel's number of it, "259:3".
	device string
	// options are those of that mount, super those of the filesystem itself.
	options, super []string
	// folders are those of the node that are on it.
	folders []Path
}

// disks returns the filesystems on disks, in the order in which they were mounted.
func (m mounts) disks() ([]filesystem, error) {
	file, err := os.Open(m.host.Path(mountinfo))
	if err != nil {
		return nil, fmt.Errorf("read what is mounted: %w", err)
	}
	defer file.Close()
	all, err := mountfile.GetMountsFromReader(file, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", mountinfo, err)
	}
	return m.filesystems(all), nil
}

// filesystems merges the mounts of each filesystem.
func (m mounts) filesystems(all []*mountfile.Info) []filesystem {
	var disks []filesystem
	seen := map[string]bool{}
	for _, info := range all {
		device := number(info)
		if !slices.Contains(kinds, info.FSType) || seen[device] {
			continue
		}
		seen[device] = true
		disks = append(disks, filesystem{
			at: info.Mountpoint, kind: info.FSType, source: info.Source, device: device,
			options: strings.Split(info.Options, ","), super: strings.Split(info.VFSOptions, ","),
		})
	}
	for _, folder := range m.folders {
		mount := mountOf(all, folder)
		i := slices.IndexFunc(disks, func(disk filesystem) bool { return mount != nil && disk.device == number(mount) })
		if i < 0 {
			continue
		}
		if !disks[i].isNodes() {
			disks[i].at, disks[i].options = mount.Mountpoint, strings.Split(mount.Options, ",")
		}
		disks[i].folders = append(disks[i].folders, folder)
	}
	return disks
}

func number(info *mountfile.Info) string { return fmt.Sprintf("%d:%d", info.Major, info.Minor) }

// mountOf is the mount that a folder is on: the deepest above it, the last of several at the same place.
func mountOf(all []*mountfile.Info, folder Path) *mountfile.Info {
	var found *mountfile.Info
	depth := 0
	for _, info := range all {
		above := strings.TrimSuffix(info.Mountpoint, "/") + "/"
		if strings.HasPrefix(strings.TrimSuffix(string(folder), "/")+"/", above) && len(above) >= depth {
			found, depth = info, len(above)
		}
	}
	return found
}

// errNotVisible says that a path in the agent's container does not lead to the filesystem that it leads to on the host.
var errNotVisible = errors.New("not to be seen from here")

// reach finds a path to a filesystem: its mount point or, if the container does not have that, one of the folders. The error is the filesystem's
// own, or errNotVisible.
func (m mounts) reach(disk filesystem) (string, error) {
	var err error
	for _, folder := range append([]Path{Path(disk.at)}, disk.folders...) {
		path := m.host.Path(string(folder))
		if err = disk.shows(path); err == nil {
			return path, nil
		} else if errors.Is(err, syscall.EIO) {
			return "", err
		}
	}
	return "", err
}

// shows returns an error unless a path leads to the filesystem: in a container another may be mounted there. Files of btrfs have the device
// number of their subvolume.
func (f filesystem) shows(path string) error {
	var stat syscall.Stat_t
	err := syscall.Stat(path, &stat)
	switch {
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("%s: %w", path, errNotVisible)
	case err != nil:
		return fmt.Errorf("stat %s: %w", path, err)
	case f.kind != "btrfs" && f.device != fmt.Sprintf("%d:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev)):
		return fmt.Errorf("%s: %w", path, errNotVisible)
	}
	return nil
}

// isNodes says whether one of the node's own folders is on it.
func (f filesystem) isNodes() bool { return len(f.folders) > 0 }

// errorsReadonly says whether the kernel has made it read-only after an error. Then the filesystem is read-only and its mounts are not, while both
// are if it was mounted or remounted read-only on purpose. Since Linux 6.15 ext4 has an option that says so (emergency_ro).
func (f filesystem) errorsReadonly() bool {
	return slices.Contains(f.super, "emergency_ro") || slices.Contains(f.super, "shutdown") ||
		slices.Contains(f.super, "ro") && slices.Contains(f.options, "rw")
}

// readonly says whether nothing can be written to it, for any cause.
func (f filesystem) readonly() bool {
	return f.errorsReadonly() || f.readonlyItself() || slices.Contains(f.options, "ro")
}

// readonlyItself says whether the filesystem is read-only, and with it all of its mounts.
func (f filesystem) readonlyItself() bool { return slices.Contains(f.super, "ro") }

// String is its line of mountinfo in short.
func (f filesystem) String() string {
	return fmt.Sprintf("%s %s %s - %s %s %s", f.device, f.at, strings.Join(f.options, ","), f.kind, f.source, strings.Join(f.super, ","))
}

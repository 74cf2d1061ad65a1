// Package storage monitors the disks of a host: filesystems that are read-only, disks that do not answer. Only looks make StorageReady False; log
// lines about disks are warnings.
package storage

import (
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Monitors are all of storage.
func Monitors(h host.Host, o Options) []monitor.Monitor {
	mounts := mounts{host: h, folders: o.Folders}
	states := &states{mounts: mounts, writable: map[string]bool{}}
	space := &space{mounts: mounts, options: o.XFS}
	probe := &probe{mounts: mounts, options: o.Probe}
	delays := &delays{host: h, options: o.IODelays}
	volumes := &volumes{host: h, options: o.EBS}
	filling := newFilling(h, o)
	return []monitor.Monitor{
		monitor.Periodic{
			Title: "filesystems", IDs: []reason.ID{reason.ReadonlyFilesystem, reason.VolumeReadonly, reason.XfsShutdown},
			Period: o.Filesystems, Source: mountinfo, Find: states.find,
		},
		monitor.Periodic{
			Title: "xfs-free-space", IDs: []reason.ID{reason.XFSSmallAverageClusterSize},
			Period: o.XFS.Period, Source: "FS_IOC_GETFSMAP", Find: space.find,
		},
		monitor.Periodic{
			Title: "disk-probe", IDs: []reason.ID{reason.DiskProbeFailed},
			Period: o.Probe.Period, Source: "write, fsync and read", Find: probe.find,
		},
		monitor.Periodic{
			Title: "io-delays", IDs: []reason.ID{reason.IODelays},
			Period: o.IODelays.Period, Source: "/proc/*/stat", Find: delays.find,
		},
		monitor.Periodic{
			Title: "filling", IDs: []reason.ID{reason.FilesystemFillingUp}, Period: sampleInterval, Source: "statfs", Find: filling.find,
		},
		monitor.Periodic{
			Title: "ebs", IDs: exceeded, Period: o.EBS.Period, Source: "EBS's NVMe log page", Find: volumes.find,
		},
		newHealth(h).every(),
		newSMART(h).every(),
	}
}

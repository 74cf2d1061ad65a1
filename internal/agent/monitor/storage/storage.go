// Package storage watches the disks of a host. What a log line may mean is decided by a look at the thing itself: a
// filesystem that takes no writes, a disk that does not answer. Only looks make StorageReady False; lines are warnings.
package storage

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Options are what may be configured of it.
type Options struct {
	// Kubelet is the kubelet's folder: what is mounted below its pods and plugins belongs to pods.
	Kubelet string `yaml:"kubelet"`
	// Filesystems is the time between looks at what is mounted.
	Filesystems time.Duration `yaml:"filesystems"`
	XFS         XFS           `yaml:"xfs"`
	Probe       Probe         `yaml:"probe"`
	IODelays    IODelays      `yaml:"ioDelays"`
	EBS         EBS           `yaml:"ebs"`
}

// XFS is about the free space of XFS filesystems.
type XFS struct {
	Period time.Duration `yaml:"period"`
	// SmallestAverage is the mean size of a piece of free space, in blocks of the filesystem, below which it is a fault.
	SmallestAverage float64 `yaml:"smallestAverage"`
	// LeastFree is the share of the filesystem that must be free for it to be judged. One that is full is cut up, too; that
	// is the kubelet's DiskPressure.
	LeastFree float64 `yaml:"leastFree"`
	// Records bounds what one look reads of one filesystem: some 100 ns of CPU each.
	Records int `yaml:"records"`
}

// Probe is about writing to the disks and reading back.
type Probe struct {
	Period time.Duration `yaml:"period"`
	// Patience is how long a disk may take to answer. A look may last so long.
	Patience time.Duration `yaml:"patience"`
	// Folders are where it is written, one of each disk; those that are absent are left out. The file has no name: nothing
	// is ever left behind.
	Folders []string `yaml:"folders"`
}

// IODelays is about processes that wait for disks.
type IODelays struct {
	Period time.Duration `yaml:"period"`
	// Share of a period that a process may have waited.
	Share float64 `yaml:"share"`
}

// EBS is about volumes that are held back.
type EBS struct {
	Period time.Duration `yaml:"period"`
	// Share of a period that a volume may have been held back.
	Share float64 `yaml:"share"`
}

// DefaultOptions are the ones for a Kubernetes node. The shares of periods and the smallest average are those of the EKS
// agent (https://github.com/aws/eks-node-monitoring-agent, monitors/storage): 10 s and 50 s of 10 minutes, 16 blocks.
func DefaultOptions() Options {
	return Options{
		Kubelet:     "/var/lib/kubelet",
		Filesystems: 20 * time.Second,
		XFS:         XFS{Period: 5 * time.Minute, SmallestAverage: 16, LeastFree: 0.05, Records: 200_000},
		Probe: Probe{
			Period: 30 * time.Second, Patience: 10 * time.Second,
			Folders: []string{"/var/lib/kubelet", "/var/lib/containerd", "/var/lib", "/var/log"},
		},
		IODelays: IODelays{Period: 10 * time.Minute, Share: 1. / 60},
		EBS:      EBS{Period: 10 * time.Minute, Share: 1. / 12},
	}
}

// Monitors are all of storage.
func Monitors(h host.Host, o Options) []monitor.Monitor {
	mounts := mounts{host: h, kubelet: o.Kubelet, folders: o.Probe.Folders}
	states := &states{mounts: mounts, stat: newPatient[error](), writable: map[string]bool{}}
	space := &space{mounts: mounts, options: o.XFS, read: newPatient[reading]()}
	probe := &probe{host: h, options: o.Probe, list: newPatient[[]folder](), disks: newPatient[error]()}
	delays := &delays{host: h, options: o.IODelays}
	volumes := &volumes{host: h, options: o.EBS}
	return []monitor.Monitor{
		monitor.Every{
			Title: "filesystems", Of: []reason.ID{reason.PodVolumeReadonly, reason.ReadonlyFilesystem, reason.XfsShutdown},
			Period: o.Filesystems, Source: mountinfo, Find: states.find,
		},
		monitor.Every{
			Title: "xfs-free-space", Of: []reason.ID{reason.XFSSmallAverageClusterSize},
			Period: o.XFS.Period, Source: "FS_IOC_GETFSMAP", Find: space.find,
		},
		monitor.Every{
			Title: "disk-probe", Of: []reason.ID{reason.DiskProbeFailed},
			Period: o.Probe.Period, Source: "write, fsync and read", Find: probe.find,
		},
		monitor.Every{
			Title: "io-delays", Of: []reason.ID{reason.IODelays},
			Period: o.IODelays.Period, Source: "/proc/*/stat", Find: delays.find,
		},
		monitor.Every{
			Title: "ebs", Of: exceeded, Period: o.EBS.Period, Source: "EBS's NVMe log page", Find: volumes.find,
		},
	}
}

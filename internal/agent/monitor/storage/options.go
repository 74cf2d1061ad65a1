package storage

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// Options are what may be configured of storage.
type Options struct {
	// Folders are the folders that the node needs, by their real paths. The disks that contain them are the node's own: the agent
	// probes them, and their faults turn StorageReady False. Other disks contain volumes of pods or other data, and replacing the node
	// does not help them.
	Folders []Path `yaml:"folders"`
	// Filesystems is the time between checks of the mounted filesystems.
	Filesystems time.Duration `yaml:"filesystems"`
	XFS         XFS           `yaml:"xfs"`
	Probe       Probe         `yaml:"probe"`
	IODelays    IODelays      `yaml:"ioDelays"`
	Filling     Filling       `yaml:"filling"`
	EBS         EBS           `yaml:"ebs"`
}

// XFS is about the free space of the node's own XFS filesystems.
type XFS struct {
	// Period is the time between checks of the free space of XFS filesystems.
	Period time.Duration `yaml:"period"`
	// SmallestAverage is the average size of a free extent, in blocks, below which XFSSmallAverageClusterSize is reported.
	SmallestAverage Blocks `yaml:"smallestAverage"`
}

// Probe is about writing to the node's own disks and reading back, in the first folder of each that may be written to. The
// file has no name: nothing is ever left behind.
type Probe struct {
	// Period is the time between probes of a disk.
	Period time.Duration `yaml:"period"`
	// Patience is how long a disk may take to respond to a probe.
	Patience time.Duration `yaml:"patience"`
}

// IODelays is about processes that wait for disks.
type IODelays struct {
	// Period is the period over which the time that a process waits for disks is added up.
	Period time.Duration `yaml:"period"`
	// Most is how long a process may wait for disks in a period.
	Most time.Duration `yaml:"most"`
}

// Filling is about filesystems of the node's own that fill up.
type Filling struct {
	// Within is the remaining time from which FilesystemFillingUp is reported. The growth rate is measured over two hours at most, so
	// a value above six hours is a guess.
	Within time.Duration `yaml:"within"`
}

// EBS is about volumes that are held back.
type EBS struct {
	// Period is the time between checks of the counters of EBS volumes.
	Period time.Duration `yaml:"period"`
	// Most is how long a volume may be throttled in a period.
	Most time.Duration `yaml:"most"`
}

// DefaultOptions are the ones for a Kubernetes node. What is allowed in ten minutes and the smallest average are the EKS
// agent's (https://github.com/aws/eks-node-monitoring-agent, monitors/storage).
func DefaultOptions() Options {
	return Options{
		Folders:     []Path{"/var/lib/kubelet", "/var/lib/containerd", "/var/lib/containers", "/var/lib", "/var/log", "/"},
		Filesystems: 20 * time.Second,
		XFS:         XFS{Period: 5 * time.Minute, SmallestAverage: 16},
		Probe:       Probe{Period: 30 * time.Second, Patience: 10 * time.Second},
		IODelays:    IODelays{Period: 10 * time.Minute, Most: 10 * time.Second},
		Filling:     Filling{Within: 6 * time.Hour},
		EBS:         EBS{Period: 10 * time.Minute, Most: 50 * time.Second},
	}
}

// Path is an absolute path of the host.
type Path string

// UnmarshalText reads a configured one.
func (p *Path) UnmarshalText(text []byte) error {
	if !filepath.IsAbs(string(text)) {
		return fmt.Errorf("%q is no absolute path", text)
	}
	*p = Path(filepath.Clean(string(text)))
	return nil
}

// Blocks is a number of a filesystem's blocks.
type Blocks int

// UnmarshalText reads a configured one.
func (b *Blocks) UnmarshalText(text []byte) error {
	number, err := strconv.Atoi(string(text))
	if err != nil || number < 1 {
		return fmt.Errorf("%q is no number of blocks, 1 or more", text)
	}
	*b = Blocks(number)
	return nil
}

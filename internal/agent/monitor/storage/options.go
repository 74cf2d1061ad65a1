package storage

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// Options are what may be configured of storage.
type Options struct {
	// Kubelet is the kubelet's folder: what is mounted below its pods and plugins belongs to pods.
	Kubelet Path `yaml:"kubelet"`
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
	// SmallestAverage is the mean size of a piece of free space below which it is a fault.
	SmallestAverage Blocks `yaml:"smallestAverage"`
}

// Probe is about writing to the disks and reading back.
type Probe struct {
	Period time.Duration `yaml:"period"`
	// Patience is how long a disk may take to answer. A look may last so long.
	Patience time.Duration `yaml:"patience"`
	// Folders are where it is written, one of each disk; those that are absent are left out. The file has no name: nothing
	// is ever left behind. XFS filesystems that cannot be seen where the host mounts them are looked at there, too.
	Folders []Path `yaml:"folders"`
}

// IODelays is about processes that wait for disks.
type IODelays struct {
	Period time.Duration `yaml:"period"`
	// Most is what a process may have waited in a period.
	Most time.Duration `yaml:"most"`
}

// EBS is about volumes that are held back.
type EBS struct {
	Period time.Duration `yaml:"period"`
	// Most is what a volume may have been held back in a period.
	Most time.Duration `yaml:"most"`
}

// DefaultOptions are the ones for a Kubernetes node. What is allowed in ten minutes and the smallest average are the EKS
// agent's (https://github.com/aws/eks-node-monitoring-agent, monitors/storage).
func DefaultOptions() Options {
	return Options{
		Kubelet:     "/var/lib/kubelet",
		Filesystems: 20 * time.Second,
		XFS:         XFS{Period: 5 * time.Minute, SmallestAverage: 16},
		Probe: Probe{
			Period: 30 * time.Second, Patience: 10 * time.Second,
			Folders: []Path{"/var/lib/kubelet", "/var/lib/containerd", "/var/lib", "/var/log"},
		},
		IODelays: IODelays{Period: 10 * time.Minute, Most: 10 * time.Second},
		EBS:      EBS{Period: 10 * time.Minute, Most: 50 * time.Second},
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

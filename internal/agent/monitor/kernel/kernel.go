// Package kernel monitors the resources that the kernel allocates to a host's processes: PIDs, open files, memory, CPU and disk time; and the
// clock. What the kernel logs is the part of package logs.
package kernel

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	clocks "k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/serverclock"
)

// Options are what may be configured of these monitors.
type Options struct {
	// Daemons are the cgroups of the daemons that the node needs, as patterns (path.Match) relative to the root of the cgroup
	// hierarchy.
	Daemons []string `yaml:"daemons"`
	// Pods are the cgroups that contain all pods, as patterns like those of daemons.
	Pods []string `yaml:"pods"`
	// Threads is the percentage of the kernel's limit of threads from which ApproachingKernelPidMax is reported.
	Threads Percent `yaml:"threads"`
	// OpenFiles is the percentage of a limit of open files from which ApproachingMaxOpenFiles is reported.
	OpenFiles Percent `yaml:"openFiles"`
	// Zombies is the number of unreaped children of one parent from which ExcessiveZombieProcesses is reported.
	Zombies Count `yaml:"zombies"`
	// Variables is the number of environment variables of a process above which LargeEnvironment is reported.
	Variables Count `yaml:"variables"`
	// CronRuns is the number of runs of a cron job per hour above which RapidCron is reported.
	CronRuns Count `yaml:"cronRuns"`
	// Zram is the percentage of the host's memory used by a zram device from which ZramHighUsage is reported.
	Zram Percent `yaml:"zram"`
	// Pressure is the share of time, over a minute, from which waiting for each is too much.
	Pressure Pressure `yaml:"pressure"`
	// ClockSkew is the difference between the clocks of the host and the API server above which ClockSkew is reported.
	ClockSkew time.Duration `yaml:"clockSkew"`
	// ServerClock is what the API server's answers tell of its clock. Nil where none is asked.
	ServerClock *serverclock.Clock `yaml:"-"`
}

// Pressure has a threshold for each file of /proc/pressure.
type Pressure struct {
	// CPU is the percentage of the last minute spent waiting for a CPU (avg60) from which CPUPressureStalled is reported.
	CPU Percent `yaml:"cpu"`
	// IO is the percentage of the last minute spent waiting for disks (avg60) from which IOPressureStalled is reported.
	IO Percent `yaml:"io"`
	// Memory is the percentage of the last minute spent waiting for memory (avg60) from which MemoryPressureStalled is reported.
	Memory Percent `yaml:"memory"`
}

// DefaultOptions are those of the catalogue. The names of cgroups are systemd's, and kubelet's with either cgroup driver
// (pkg/kubelet/cm/cgroup_manager_linux.go); on Amazon Linux 2023 kubelet and containerd are in runtime.slice.
func DefaultOptions() Options {
	return Options{
		Daemons: []string{
			"system.slice", "runtime.slice", "podruntime.slice",
			"*.slice/kubelet.service", "*.slice/containerd.service", "*.slice/crio.service", "*.slice/k3s*.service", "*.slice/rke2-*.service",
		},
		Pods:    []string{"kubepods.slice", "kubepods"},
		Threads: 70, OpenFiles: 70, Zombies: 20, Variables: 1000, CronRuns: 12, Zram: 10,
		Pressure: Pressure{CPU: 40, IO: 60, Memory: 20}, ClockSkew: 5 * time.Second,
	}
}

// Percent is a share in hundredths, from 1 to 100.
type Percent int

// UnmarshalText reads a configured one.
func (p *Percent) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 100 {
		return fmt.Errorf("%q is no percentage from 1 to 100", text)
	}
	*p = Percent(n)
	return nil
}

// Count is a number from 1.
type Count int

// UnmarshalText reads a configured one.
func (c *Count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number from 1", text)
	}
	*c = Count(n)
	return nil
}

// Monitors returns the monitors of a host. The cheaper a look, the shorter its period: reading all of /proc costs a hundred times what the other
// looks do together.
func Monitors(h host.Host, o Options) []monitor.Monitor {
	hung := &hung{host: h, groups: slices.Concat(o.Daemons, daemonCgroups)}
	forks := &forks{cgroups: cgroups{host: h, patterns: slices.Concat(o.Daemons, o.Pods)}, fork: fork}
	return []monitor.Monitor{
		periodic(10*time.Second, "forks", forks.find, reason.ForkFailedOutOfPIDs),
		periodic(30*time.Second, "threads", threads{h, o.Threads}.find, reason.ApproachingKernelPidMax),
		periodic(30*time.Second, "files", files{h, o.Daemons, o.OpenFiles}.find, reason.ApproachingMaxOpenFiles),
		periodic(15*time.Second, "pressure", pressure{h, o.Daemons, o.Pressure}.find,
			reason.CPUPressureStalled, reason.IOPressureStalled, reason.MemoryPressureStalled),
		periodic(time.Minute, "hung", hung.find, reason.KernelDeadlock),
		periodic(time.Minute, "blocked", (&blocked{host: h}).find, reason.AppBlocked),
		periodic(time.Minute, "clock", clock{unix.Adjtimex}.find, reason.ClockUnsynchronized),
		periodic(time.Minute, "throttle", (&throttle{host: h}).find, reason.ThermalThrottling),
		periodic(time.Minute, "skew", skew{o.ServerClock, o.ClockSkew, clocks.RealClock{}}.find, reason.ClockSkew),
		periodic(time.Minute, "zram", zram{h, o.Zram}.find, reason.ZramHighUsage),
		periodic(5*time.Minute, "processes", processes{h, o.Zombies, o.Variables}.find, reason.ExcessiveZombieProcesses, reason.LargeEnvironment),
		periodic(10*time.Minute, "cron", cron{h, o.CronRuns}.find, reason.RapidCron),
	}
}

func periodic(period time.Duration, part string, find monitor.LookFunc, of ...reason.ID) monitor.Periodic {
	return monitor.Periodic{Title: "kernel/" + part, IDs: of, Period: period, Find: find}
}

// errFormat says that a file does not have the format that the kernel's documentation describes.
var errFormat = errors.New("not as expected")

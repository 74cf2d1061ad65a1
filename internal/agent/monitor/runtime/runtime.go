// Package runtime monitors the kubelet, the container runtime, and systemd, which starts both. It queries each of them, so that a fault stands as
// long as the answer shows it. What only the kubelet's log has is the part of package logs.
package runtime

import (
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kubeletfiles"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// Options are what may be configured of these monitors.
type Options struct {
	// KubeletHealthz is the URL of the kubelet's health endpoint (its healthzPort). Empty if the kubelet has none.
	KubeletHealthz string `yaml:"kubeletHealthz"`
	// Sockets are the sockets of container runtimes. A socket that has never existed is not reported.
	Sockets []string `yaml:"sockets"`
	// Patience is how long the agent waits for a response of the kubelet or the runtime.
	Patience time.Duration `yaml:"patience"`
	// IgnoreServices are systemd services whose failures and restarts are not reported, as patterns (path.Match) such as
	// "mine-*.service".
	IgnoreServices []string `yaml:"ignoreServices"`
	// SandboxProbe makes pod sandboxes to see whether that works.
	SandboxProbe SandboxProbe `yaml:"sandboxProbe"`
}

// SandboxProbe is how often and how a sandbox is made and removed again.
type SandboxProbe struct {
	// Period is the time between probes, each of which creates and removes a pod sandbox. There are no probes unless it is set.
	Period time.Duration `yaml:"period"`
	// Patience is how long the creation and the removal of the sandbox may take.
	Patience time.Duration `yaml:"patience"`
	// HostNetwork is true if the sandbox uses the host's network, so that the probe does not test the network plugin.
	HostNetwork bool `yaml:"hostNetwork"`
	// CgroupParent is the parent cgroup of the sandbox, in the format of the runtime's cgroup driver. Empty: the runtime decides.
	CgroupParent string `yaml:"cgroupParent"`
}

// DefaultOptions are the kubelet's own defaults, and where the runtimes that it knows listen
// (https://kubernetes.io/docs/setup/production-environment/container-runtimes/).
func DefaultOptions() Options {
	return Options{
		KubeletHealthz: "http://127.0.0.1:10248/healthz",
		Sockets:        []string{"/run/containerd/containerd.sock", "/run/crio/crio.sock", "/run/cri-dockerd.sock", "/run/k3s/containerd/containerd.sock"},
		Patience:       5 * time.Second,
		SandboxProbe:   SandboxProbe{Patience: time.Minute},
	}
}

// Monitors returns the monitors of a host. The period of a look is at least twice its timeout, so that its result does not expire before the next.
func Monitors(h host.Host, o Options) []monitor.Monitor {
	bus := systemd.New(h)
	runtimes := newRuntimes(h, o.Sockets)
	units := &units{bus: bus, ignore: o.IgnoreServices}
	kubelet := &kubelet{host: h, bus: bus, url: o.KubeletHealthz, patience: o.Patience, ignore: o.IgnoreServices}
	health := &health{runtimes: runtimes, patience: o.Patience}
	stuckPods := &stuckPods{host: h, runtimes: runtimes, patience: o.Patience}
	probe := &probe{runtimes: runtimes, options: o.SandboxProbe}
	certificate := &certificate{finder: kubeletfiles.Finder{Host: h}, clock: clock.RealClock{}}
	return []monitor.Monitor{
		monitor.Periodic{Title: "runtime/units", IDs: units.reasons(), Period: time.Minute, Source: "systemd's D-Bus", Find: units.find},
		monitor.Periodic{
			Title: "runtime/kubelet", IDs: kubelet.reasons(), Period: max(10*time.Second, 2*o.Patience),
			Source: "systemd's D-Bus and the kubelet's endpoint", Find: kubelet.find,
		},
		monitor.Periodic{
			Title: "runtime/certificate", IDs: []reason.ID{reason.KubeletClientCertificateExpiration}, Period: 5 * time.Minute,
			Source: "the kubelet's kubeconfig", Find: certificate.find,
		},
		monitor.Periodic{
			Title: "runtime/health", IDs: []reason.ID{reason.ContainerRuntimeUnhealthy, reason.NetworkPluginNotReady},
			Period: max(20*time.Second, 2*o.Patience), Source: "CRI Status", Find: health.find,
		},
		monitor.Periodic{
			Title: "runtime/stuck", IDs: []reason.ID{reason.PodStuckTerminating}, Period: time.Minute, Source: "/proc and CRI", Find: stuckPods.find,
		},
		monitor.Periodic{
			Title: "runtime/deprecations", IDs: []reason.ID{reason.DeprecatedContainerdConfiguration}, Period: time.Hour,
			Source: "containerd's introspection", Find: (&deprecations{runtimes: runtimes, patience: o.Patience}).find,
		},
		monitor.Periodic{
			Title: "runtime/probe", IDs: []reason.ID{reason.CRISandboxProbeFailed}, Period: probe.period(), Source: "CRI RunPodSandbox", Find: probe.find,
		},
	}
}

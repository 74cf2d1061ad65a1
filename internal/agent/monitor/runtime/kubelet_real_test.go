package runtime

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor/logs"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// The real kubelet runs static pods in the real containerd, and what it says goes to a real journal. Its verbosity is 2, as
// on EKS.
func TestKubelet(t *testing.T) {
	needContainerd(t)
	agenttest.Need(t, "mkfs.ext4", "fsfreeze", "dbus-daemon")
	program := kubeletProgram(t) // Built before the test is Alone, and found by it afterwards.
	if !agenttest.Alone(t) {
		return
	}
	c := startContainerd(t)
	k := startKubelet(t, c, program)
	o := ofContainerd(c)
	o.KubeletHealthz, o.Patience = DefaultOptions().KubeletHealthz, time.Second
	w := watch(t, host.Host{}, o, logs.Monitors(k.journal.Host, logs.DefaultOptions(), written(), "")...)

	k.beWell(c, w)
	k.failProbes(w)
	k.fallSilent(w)
	k.failToKill(w)
	k.failToCreate(w)
}

// beWell has a pod run, and sandboxes be probed beside it: the kubelet takes those for pods that it does not know.
func (k *realKubelet) beWell(c *containerd, w *agenttest.Watched) {
	k.t.Helper()
	c.network("ptp")
	client := cri.New(c.socket)
	defer client.Close()
	k.pod("well", "    livenessProbe: {httpGet: {host: 127.0.0.1, port: 10248, path: /healthz}, periodSeconds: 1}\n")
	await(k.t, "a container runs", func() bool {
		all, err := client.Containers(k.t.Context())
		return err == nil && len(all) == 1 && all[0].Running
	})
	p := probe{options: SandboxProbe{Patience: time.Minute, CgroupParent: c.group}}
	for range 20 {
		if err := p.checkOne(k.t.Context(), client); err != nil {
			k.t.Errorf("a probe beside the kubelet: %v", err)
		}
	}
	w.Goes(reason.KubeletUnhealthy, "")
	w.Goes(reason.ContainerRuntimeUnhealthy, c.socket)
	w.Goes(reason.NetworkPluginNotReady, "")
	for _, s := range w.Snapshot().Standing {
		if s.Reason == reason.FailedKillPod || s.Reason == reason.ContainerRuntimeFailed || s.Reason == reason.PodStuckTerminating {
			k.t.Errorf("a node that is well: %+v", s)
		}
	}
	// On a busy machine an answer may take longer than a second now and then.
	await(k.t, "nothing stands", func() bool { return len(w.Snapshot().Standing) == 0 })
}

func (k *realKubelet) failProbes(w *agenttest.Watched) {
	k.t.Helper()
	k.pod("live", "    livenessProbe: {httpGet: {host: 127.0.0.1, port: 9}, periodSeconds: 1}\n")
	k.pod("ready", "    readinessProbe: {httpGet: {host: 127.0.0.1, port: 9}, periodSeconds: 1}\n")
	w.Stands(reason.LivenessProbeFailures, "shop/live-node")
	w.Stands(reason.ReadinessProbeFailures, "shop/ready-node")
	k.remove("live")
	k.remove("ready")
	w.Goes(reason.LivenessProbeFailures, "shop/live-node")
	w.Goes(reason.ReadinessProbeFailures, "shop/ready-node")
}

func (k *realKubelet) fallSilent(w *agenttest.Watched) {
	k.t.Helper()
	k.signal(syscall.SIGSTOP)
	w.Stands(reason.KubeletUnhealthy, "")
	k.signal(syscall.SIGCONT)
	w.Goes(reason.KubeletUnhealthy, "")
}

// failToKill has a pod write to a file system that freezes.
func (k *realKubelet) failToKill(w *agenttest.Watched) {
	k.t.Helper()
	disk := disk(k.t)
	k.pod("stuck", "    command: [/bin/sh, -c, 'while :; do echo x >/disk/x; sleep 0.1; done']\n"+
		"    volumeMounts: [{name: disk, mountPath: /disk}]\n  volumes: [{name: disk, hostPath: {path: "+disk+"}}]\n")
	await(k.t, "the pod writes", func() bool { _, err := os.Stat(filepath.Join(disk, "x")); return err == nil })
	thaw := agenttest.Freeze(k.t, disk)
	k.remove("stuck")
	w.Stands(reason.PodStuckTerminating, "shop/stuck-node")
	w.Stands(reason.FailedKillPod, "shop/stuck-node")
	thaw()
	w.Goes(reason.PodStuckTerminating, "shop/stuck-node")
	w.Goes(reason.FailedKillPod, "shop/stuck-node")
}

// failToCreate lets all pods together have no process more.
func (k *realKubelet) failToCreate(w *agenttest.Watched) {
	k.t.Helper()
	k.limitPIDs("1")
	k.pod("late", "")
	w.Stands(reason.ContainerRuntimeFailed, "shop/late-node")
	k.limitPIDs("max")
	w.Goes(reason.ContainerRuntimeFailed, "shop/late-node")
}

// written are the reasons that the kubelet's log tells.
func written() []reason.Reason {
	return slices.DeleteFunc(slices.Clone(reason.Catalogue), func(r reason.Reason) bool {
		return !slices.Contains([]reason.ID{
			reason.LivenessProbeFailures, reason.ReadinessProbeFailures, reason.FailedKillPod, reason.ContainerRuntimeFailed,
		}, r.ID)
	})
}

// kubeletProgram has the kubelet built, at the version of go.mod. The path is that of the open file: Go's build cache may be
// below /tmp, in whose place containerd's test mounts another.
func kubeletProgram(t *testing.T) string {
	t.Helper()
	path, err := exec.CommandContext(t.Context(), "go", "tool", "-n", "kubelet").Output()
	if err != nil {
		t.Fatalf("build the kubelet: %v", err)
	}
	program, err := os.Open(strings.TrimSpace(string(path)))
	if err != nil {
		t.Fatalf("open the kubelet: %v", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return fmt.Sprintf("/proc/self/fd/%d", program.Fd())
}

// realKubelet is a kubelet at work without an API server.
type realKubelet struct {
	t       *testing.T
	process *os.Process
	// group is the cgroup below which it makes its own.
	group string
	// journal is a machine in whose journal it is kubelet.service.
	journal *systemdtest.Machine
}

const manifests = "/run/manifests"

func startKubelet(t *testing.T, c *containerd, program string) *realKubelet {
	t.Helper()
	k := &realKubelet{t: t, group: c.group, journal: systemdtest.Start(t)}
	said := k.said()
	settings(t)
	if err := os.Mkdir(manifests, 0o700); err != nil {
		t.Fatal(err)
	}
	// runtimeRequestTimeout is for how long it waits for a container to be killed, two minutes by default.
	config := fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: %s
containerRuntimeEndpoint: unix://%s
runtimeRequestTimeout: 10s
cgroupRoot: %s
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
enforceNodeAllocatable: []
evictionHard: {}
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
logging: {verbosity: 2}
`, manifests, c.socket, c.group)
	if err := os.WriteFile("/run/kubelet.yaml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "--config=/run/kubelet.yaml", "--hostname-override=node")
	command.Stdout, command.Stderr = said, said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	k.process = command.Process
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the kubelet:\n%s", k.journal.Run("journalctl", "--unit=kubelet.service", "--output=cat", "--lines=100", "--no-pager"))
		}
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = said.Close()
	})
	return k
}

// said is what the kubelet writes to, and a unit of its name takes to the journal: systemd itself is in namespaces where
// the kubelet finds no cgroups to work with.
func (k *realKubelet) said() *os.File {
	k.t.Helper()
	pipe := k.journal.Host.Path("/run/said")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		k.t.Fatal(err)
	}
	k.journal.Unit("kubelet.service", "[Service]\nExecStart=/bin/cat /run/said\nLogRateLimitIntervalSec=0\n")
	k.journal.Systemctl("start", "kubelet.service")
	said, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	// What the monitor of logs reads of a host beside its journal.
	for _, path := range []string{"/proc/stat", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(k.journal.Host.Path(path)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(k.journal.Host.Path(path), text, 0o600)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
	return said
}

// settings has the kubelet find the kernel set as it wants it, so that it does not set the machine's.
func settings(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10", "kernel/panic_on_oops": "1",
		"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
	} {
		file := "/run/" + filepath.Base(name)
		if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount(file, "/proc/sys/"+name, "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
	}
}

func (k *realKubelet) pod(name, more string) {
	k.t.Helper()
	text := fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: shop}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 1
  containers:
  - name: web
    image: %s
    imagePullPolicy: Never
%s`, name, pause, more)
	if err := os.WriteFile(filepath.Join(manifests, name+".yaml"), []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

func (k *realKubelet) remove(name string) {
	k.t.Helper()
	if err := os.Remove(filepath.Join(manifests, name+".yaml")); err != nil {
		k.t.Fatal(err)
	}
}

func (k *realKubelet) signal(s syscall.Signal) {
	k.t.Helper()
	if err := k.process.Signal(s); err != nil {
		k.t.Fatal(err)
	}
}

// limitPIDs limits how many processes and threads all pods together may have.
func (k *realKubelet) limitPIDs(limit string) {
	k.t.Helper()
	limited := false
	for _, top := range hierarchies() {
		limited = os.WriteFile(top+k.group+"/kubepods/pids.max", []byte(limit), 0o600) == nil || limited
	}
	if !limited {
		k.t.Fatal("no cgroup of the kubelet's limits PIDs")
	}
}

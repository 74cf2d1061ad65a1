package runtime

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// Pods whose processes were killed while they write to a file system that is frozen, as on a disk that hangs: one with a
// process of one thread, and one whose first thread is gone while another waits.
func TestPodStuckTerminating(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "fsfreeze")
	if !agenttest.Alone(t) {
		return
	}
	if err := syscall.Unmount("/sys", 0); err != nil {
		t.Fatal(err)
	}
	disk := disk(t)
	const single, threads = "9fb595e2-4a29-4c8e-baba-05b0decd3ce1", "b1c5d1a0-0c53-4b8e-9f3a-6f0e5f0a6f11"
	w := watch(t, host.Host{}, nothing())
	thaw := agenttest.Freeze(t, disk)

	shell := exec.Command("/bin/sh", "-c", `exec dd if=/dev/zero of="$1" bs=1 count=1`, "sh", filepath.Join(disk, "a"))
	self := exec.Command("/proc/self/exe")
	self.Env = append(os.Environ(), writes+"="+filepath.Join(disk, "b"))
	for uid, command := range map[string]*exec.Cmd{single: shell, threads: self} {
		start(t, command, "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod"+strings.ReplaceAll(uid, "-", "_")+".slice/cri-containerd-0.scope")
	}
	t.Cleanup(thaw) // Before the processes are waited for, which do not end as long as the disk is frozen.
	for _, command := range []*exec.Cmd{shell, self} {
		await(t, "a thread waits in the kernel", waitsForGood(command.Process.Pid))
	}
	found, err := killed(host.Host{})
	if err != nil || len(found) != 0 {
		t.Errorf("processes that wait and were not killed: %v, %v", found, err)
	}
	for _, command := range []*exec.Cmd{shell, self} {
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	w.Stands(reason.PodStuckTerminating, single)
	w.Stands(reason.PodStuckTerminating, threads)
	thaw()
	w.Goes(reason.PodStuckTerminating, single)
	w.Goes(reason.PodStuckTerminating, threads)
}

// disk is a small file system of its own.
func disk(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	image, mount := filepath.Join(folder, "image"), filepath.Join(folder, "disk")
	for _, err := range []error{os.WriteFile(image, nil, 0o600), os.Truncate(image, 16<<20), os.Mkdir(mount, 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, "mkfs.ext4", "-q", image)
	run(t, "mount", "-o", "loop", image, mount)
	t.Cleanup(func() { _ = exec.Command("umount", mount).Run() })
	return mount
}

func run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(arguments, " "), err, out)
	}
}

// start starts a command in a cgroup, as a pod's.
func start(t *testing.T, command *exec.Cmd, group string) {
	t.Helper()
	top := "/sys/fs/cgroup"
	if _, err := os.Stat(top + "/cgroup.procs"); err != nil {
		top += "/unified"
	}
	own := filepath.Join(top, agenttest.Cgroup(t, "", top))
	if err := os.MkdirAll(own+group, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	if err := os.WriteFile(own+group+"/cgroup.procs", []byte(strconv.Itoa(command.Process.Pid)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// waitsForGood tells, when it is asked again and again, whether a thread of a process waits in the kernel for good: on a busy machine
// it waits for its own program to be read, too, before it comes to the disk that is frozen.
func waitsForGood(pid int) func() bool {
	const forGood = 100 // looks
	looks := map[string]int{}
	return func() bool {
		before := looks
		looks = map[string]int{}
		for _, thread := range inState(pid, 'D') {
			looks[thread] = before[thread] + 1
			if looks[thread] >= forGood {
				return true
			}
		}
		return false
	}
}

// inState are the threads of a process that are in a state.
func inState(pid int, state byte) []string {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*")
	var in []string
	for _, task := range tasks {
		if s, err := readStat(task); err == nil && s.state == state {
			in = append(in, task)
		}
	}
	return in
}

// A pod's sandbox has died, and its container runs on: to the kubelet the pod has to go, and it does not.
func TestPodOutlivesItsSandbox(t *testing.T) {
	needContainerd(t)
	if !agenttest.Alone(t) {
		return
	}
	c := startContainerd(t)
	client := cri.New(c.socket)
	defer client.Close()
	w := watch(t, host.Host{}, ofContainerd(c))
	sandbox, err := client.Run(t.Context(), cri.NewSandbox{Namespace: "shop", Name: "web-0", UID: "u", CgroupParent: c.group, HostNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	c.container(sandbox, "web")
	s := &stuckPods{runtimes: newRuntimes(host.Host{}, []string{c.socket}), patience: time.Minute}
	if found, err := s.find(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("a pod that is well: %v, %v", found, err)
	}
	pid := c.sandboxPID(sandbox)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.Stands(reason.PodStuckTerminating, "shop/web-0")
	if err := client.Remove(t.Context(), sandbox); err != nil {
		t.Fatal(err)
	}
	w.Goes(reason.PodStuckTerminating, "shop/web-0")
}

// container makes and starts a container in a sandbox, by CRI's own library.
func (c *containerd) container(sandbox, name string) {
	c.t.Helper()
	conn, err := grpc.NewClient("unix://"+c.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	api := runtimeapi.NewRuntimeServiceClient(conn)
	made, err := api.CreateContainer(c.t.Context(), &runtimeapi.CreateContainerRequest{
		PodSandboxId: sandbox,
		Config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: name}, Image: &runtimeapi.ImageSpec{Image: pause},
			Linux: &runtimeapi.LinuxContainerConfig{SecurityContext: &runtimeapi.LinuxContainerSecurityContext{
				NamespaceOptions: &runtimeapi.NamespaceOption{Network: runtimeapi.NamespaceMode_NODE, Pid: runtimeapi.NamespaceMode_CONTAINER},
			}},
		},
		SandboxConfig: &runtimeapi.PodSandboxConfig{
			Metadata: &runtimeapi.PodSandboxMetadata{Namespace: "shop", Name: "web-0", Uid: "u"},
			Linux:    &runtimeapi.LinuxPodSandboxConfig{CgroupParent: c.group},
		},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := api.StartContainer(c.t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.GetContainerId()}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *containerd) sandboxPID(sandbox string) int {
	c.t.Helper()
	text, err := os.ReadFile("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" + sandbox + "/init.pid")
	if err != nil {
		c.t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		c.t.Fatal(err)
	}
	return pid
}

func TestOutlive(t *testing.T) {
	sandboxes := []cri.Sandbox{
		{ID: "s1", Namespace: "a", Name: "well", UID: "1"},
		{ID: "s2", Namespace: "a", Name: "done", UID: "2", Stopped: true},
		{ID: "s3", Namespace: "a", Name: "stuck", UID: "3", Stopped: true},
		{ID: "s4", Namespace: "a", Name: "again", UID: "4", Stopped: true},
		{ID: "s5", Namespace: "a", Name: "again", UID: "4"},
	}
	containers := []cri.Container{
		{ID: "c1", Sandbox: "s1", Name: "main", Running: true},
		{ID: "c2", Sandbox: "s2", Name: "main"},
		{ID: "c3", Sandbox: "s3", Name: "main", Running: true},
		{ID: "c4", Sandbox: "s4", Name: "main"},
		{ID: "c5", Sandbox: "s5", Name: "main", Running: true},
		{ID: "c6", Sandbox: "removed", Name: "main", Running: true},
	}
	want := map[string]string{"a/stuck": "container main (c3) runs on in sandbox s3, which was stopped"}
	if diff := cmp.Diff(want, outlive(sandboxes, containers)); diff != "" {
		t.Error(diff)
	}
}

// A host without a runtime has its processes looked at, and no more; of one that does not answer it is not known what it
// holds.
func TestStuckWithoutRuntime(t *testing.T) {
	h := kubeletHost(t)
	s := &stuckPods{host: h, runtimes: newRuntimes(h, []string{"/mute.sock"}), patience: time.Minute}
	if found, err := s.find(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("without a runtime: %v, %v", found, err)
	}
	if err := os.WriteFile(h.Path("/mute.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := s.find(t.Context()); err != nil || len(found) != 1 || found[0].State != evidence.Unreadable {
		t.Errorf("a socket that nobody listens at: %v, %v", found, err)
	}
}

package kernel

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
)

// task is a thread as /proc has it.
type task struct {
	pid, tid       int
	name, cgroup   string
	state          string
	start, ran     int
	wchan          string
	statusMissing  bool
	cgroupsMissing bool
}

func (k task) put(t *testing.T, h host.Host) {
	t.Helper()
	line := fmt.Sprintf("%d (%s) %s 1 %[1]d %[1]d 0 -1 4194560 98 0 0 0 0 0 0 0 20 0 2 0 %[4]d 2703360 217 18446744073709551615 4194304 4194305 1 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0\n", k.pid, k.name, k.state, k.start)
	at := filepath.Join(h.Root, "proc", fmt.Sprint(k.pid))
	own := filepath.Join(at, "task", fmt.Sprint(k.tid))
	if k.pid == k.tid {
		write(t, filepath.Join(at, "stat"), line)
	}
	if !k.cgroupsMissing {
		write(t, filepath.Join(at, "cgroup"), k.cgroup)
	}
	write(t, filepath.Join(own, "stat"), line)
	if !k.statusMissing {
		write(t, filepath.Join(own, "status"), fmt.Sprintf("Name:\t%s\nState:\t%s (x)\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t7\n", k.name, k.state, k.ran))
	}
	write(t, filepath.Join(own, "wchan"), k.wchan)
}

// A daemon's thread that waits through two looks is a deadlock, and nothing else is.
func TestHungDaemons(t *testing.T) {
	const kubelet, containerd = "0::/system.slice/kubelet.service\n", "12:pids:/system.slice/containerd.service\n0::/../../../runtime.slice/containerd.service\n"
	waiting := task{pid: 100, tid: 100, name: "kubelet", cgroup: kubelet, state: "D", start: 5, ran: 9, wchan: "xfs_log_commit"}
	second := func(change func(*task)) []task {
		after := waiting
		change(&after)
		return []task{waiting, after}
	}
	both := func(change func(*task)) []task { // from the beginning
		after := waiting
		change(&after)
		return []task{after, after}
	}
	other := waiting
	other.tid, other.name = 104, "kubelet"
	for name, tc := range map[string]struct {
		looks []task
		want  []string
	}{
		"waits on":                            {second(func(*task) {}), []string{"KernelDeadlock Fault kubelet[100]"}},
		"ran meanwhile, and waits again":      {second(func(k *task) { k.ran++ }), nil},
		"another task with that ID":           {second(func(k *task) { k.start++ }), nil},
		"sleeps":                              {second(func(k *task) { k.state = "S" }), nil},
		"containerd seen from a container":    {both(func(k *task) { k.name, k.cgroup = "containerd", containerd }), []string{"KernelDeadlock Fault containerd[100]"}},
		"a thread that is not the first":      {[]task{other, other}, []string{"KernelDeadlock Fault kubelet[100]"}},
		"a server is away (NFS)":              {both(func(k *task) { k.wchan = "rpc_wait_bit_killable" }), nil},
		"a server is away (FUSE)":             {both(func(k *task) { k.wchan = "request_wait_answer" }), nil},
		"where may not be read":               {both(func(k *task) { k.wchan = "0" }), []string{"KernelDeadlock Unreadable "}},
		"switches cannot be read":             {both(func(k *task) { k.statusMissing = true }), nil},
		"a shim":                              {both(func(k *task) { k.name, k.cgroup = "containerd-shim", containerd }), []string{"KernelDeadlock Inapplicable "}},
		"a pod's process of that name":        {both(func(k *task) { k.cgroup = "0::/kubepods.slice/kubepods-pod9fb595e2.slice/cri-containerd-87.scope\n" }), []string{"KernelDeadlock Inapplicable "}},
		"a container's of Docker":             {both(func(k *task) { k.cgroup = "0::/system.slice/docker-8738023dc614.scope\n" }), []string{"KernelDeadlock Inapplicable "}},
		"a cgroup below, made by a container": {both(func(k *task) { k.cgroup = "0::/kubepods.slice/x.slice/kubelet.service\n" }), []string{"KernelDeadlock Inapplicable "}},
		"someone's own systemd":               {both(func(k *task) { k.name, k.cgroup = "systemd", "0::/user.slice/user-0.slice/user@0.service/init.scope\n" }), []string{"KernelDeadlock Inapplicable "}},
		"systemd":                             {both(func(k *task) { k.name, k.cgroup = "systemd", "0::/init.scope\n" }), []string{"KernelDeadlock Fault systemd[100]"}},
		"ended meanwhile":                     {both(func(k *task) { k.cgroupsMissing = true }), []string{"KernelDeadlock Inapplicable "}},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			look := hung{host: h, groups: append(DefaultOptions().Daemons, daemonCgroups...)}
			var found []evidence.Evidence
			for i, k := range tc.looks {
				if k.tid != k.pid {
					first := k
					first.tid, first.state = k.pid, "S"
					first.put(t, h)
				}
				k.put(t, h)
				var err error
				if found, err = look.find(t.Context()); err != nil {
					t.Fatal(err)
				}
				if i == 0 && len(found) > 0 && found[0].State == evidence.Fault {
					t.Errorf("one look says %v", found)
				}
			}
			compare(t, tc.want, found)
		})
	}
	if _, err := (&hung{host: host.Host{Root: t.TempDir()}}).find(t.Context()); err == nil {
		t.Error("a host without /proc is well")
	}
}

package kernel

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// daemonCommands are the command names (proc_pid_comm(5)) of processes without which no pod starts or ends. A shim or a mount helper in the
// same cgroup serves one pod.
var daemonCommands = []string{
	"kubelet", "kubelite", "k0s", "k3s", "k3s-agent", "k3s-server", "rke2", "containerd", "crio", "dockerd", "cri-dockerd", "systemd",
}

// daemonCgroups are their cgroups beside those that are configured: of systemd itself, of Docker, and of Talos.
var daemonCgroups = []string{"init.scope", "*.slice/docker.service", "*.slice/cri-docker.service", "podruntime/kubelet", "podruntime/runtime"}

// hung looks for daemons that are blocked in the kernel. What the kernel's own detector logs is no evidence: it stops after ten reports
// (kernel.hung_task_warnings), may be off (kernel.hung_task_timeout_secs), and logs command names, which any process may have. A process of a
// pod is never in a daemon's cgroup.
type hung struct {
	host   host.Host
	groups []string // patterns, below the root of the hierarchy
	// before are the tasks that were blocked at the last look.
	before map[string]wait
}

// wait identifies one wait of a task: it differs once the task has run, or the PID is another task's.
type wait struct{ start, switches string }

func (h *hung) find(context.Context) ([]evidence.Evidence, error) {
	var found []evidence.Evidence
	now := map[string]wait{}
	daemons := 0
	err := walk(h.host.Path("/proc"), func(p process) {
		name, pid := string(p.name), strconv.Itoa(p.pid)
		if !slices.Contains(daemonCommands, name) || !h.host.InCgroup(pid, h.groups) {
			return
		}
		daemons++
		found = append(found, h.tasks(name, pid, now)...)
	})
	if err != nil {
		return nil, err
	}
	h.before = now
	if daemons == 0 {
		return []evidence.Evidence{inapplicable(reason.KernelDeadlock, "/proc", "none of the node's daemons runs in a cgroup that the agent knows (kernel.daemons)")}, nil
	}
	return found, nil
}

// tasks are the threads of a daemon that have been blocked since the last look; all that are blocked are added to now.
func (h *hung) tasks(name, pid string, now map[string]wait) (found []evidence.Evidence) {
	folder := "/proc/" + pid + "/task"
	tasks, err := os.ReadDir(h.host.Path(folder))
	if err != nil {
		return nil // It has ended.
	}
	for _, task := range tasks {
		at := h.host.Path(folder + "/" + task.Name())
		_, start, waits := readWait(at)
		if !waits {
			continue
		}
		is := wait{start, switches(at)}
		now[task.Name()] = is
		if is.switches == "" || h.before[task.Name()] != is {
			continue
		}
		where, known := waitChannel(at)
		switch entity := name + "[" + pid + "]"; {
		case !known:
			found = append(found, unreadable(reason.KernelDeadlock, folder, fmt.Sprintf("%s waits in the kernel, and where may not be read (wchan)", entity)))
		case !killable(where):
			found = append(found, fault(reason.KernelDeadlock, entity, folder, fmt.Sprintf("thread %s waits in the kernel, in %s, and has not run since the look before", task.Name(), where)))
		}
	}
	return found
}

// readWait returns a task's name, when it was started, in ticks since boot, and whether it is in uninterruptible sleep (proc_pid_stat(5)).
func readWait(folder string) (name, start string, waits bool) {
	text, err := os.ReadFile(folder + "/stat")
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndex(text, []byte(") "))
	if err != nil || begin < 0 || end < begin {
		return "", "", false
	}
	words := strings.Fields(string(text[end+2:]))
	const state, started = 0, 22 - 3
	if len(words) <= started || words[state] != "D" {
		return "", "", false
	}
	return string(text[begin+1 : end]), words[started], true
}

// switches are a task's counts of context switches (proc_pid_status(5)); empty if they cannot be read.
func switches(folder string) string {
	text, err := os.ReadFile(folder + "/status")
	if err != nil {
		return ""
	}
	var counts []string
	for line := range strings.Lines(string(text)) {
		if name, count, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "voluntary_ctxt_switches") {
			counts = append(counts, strings.TrimSpace(count))
		}
	}
	return strings.Join(counts, " ")
}

// waitChannel is the function of the kernel in which a task waits (proc_pid_wchan(5)); it reads 0 without the privilege to see it.
func waitChannel(folder string) (where string, known bool) {
	text, err := os.ReadFile(folder + "/wchan")
	return string(text), err == nil && len(text) > 0 && string(text) != "0"
}

// killable says whether a task that waits in a function of the kernel can be killed although its state is D: in a file system whose server
// is away (NFS, FUSE), which is one volume's, and in vfork; or is frozen with its cgroup. The kernel's own detector leaves these out as well.
func killable(where string) bool {
	return strings.HasSuffix(where, "_killable") || slices.Contains([]string{"request_wait_answer", "kernel_clone", "_do_fork", "__refrigerator"}, where)
}

package logs

import (
	"os"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/cgroup"
)

// The kernel's rate limit of the lines that name the cgroup of a killed process (oom_rs in oom_kill_process of mm/oom_kill.c).
const (
	ratelimitBurst    = 10
	ratelimitInterval = 5 * time.Second
)

// oomKills finds out which container a process was in that the kernel killed because it was out of memory. The line of a kill has only the
// process's PID and its name, which the process chooses itself. Its cgroup is in a line before, which the kernel leaves out above a rate
// limit; or, where a whole cgroup is killed (memory.oom.group), in a line between the first kill and the others.
type oomKills struct {
	host host.Host
	// pid is the process that the last line with a cgroup names, and container its container; empty if it is in no pod.
	pid, container string
	// group is the container whose cgroup was killed as a whole, and groupAt when.
	group   string
	groupAt time.Time
	// lineTimes are the times of the last lines with a cgroup, oldest first.
	lineTimes [ratelimitBurst]time.Time
}

// note reads a line of the kernel.
func (k *oomKills) note(text string, at time.Time) {
	switch {
	case strings.HasPrefix(text, "oom-kill:constraint="):
		k.pid, k.container, k.group = killedPID(text), k.containerOf(cgroupFields(text)), ""
		copy(k.lineTimes[:], k.lineTimes[1:])
		k.lineTimes[ratelimitBurst-1] = at
	case strings.HasPrefix(text, "Tasks in /") && strings.HasSuffix(text, " are going to be killed due to memory.oom.group set"):
		k.group, k.groupAt = k.containerOf(text), at
	}
}

// of is the container of the process that a line says was killed; empty if that is unknown, or if it is in no pod.
func (k *oomKills) of(text string, at time.Time) string {
	_, rest, _ := strings.Cut(text, ": Killed process ")
	pid, _, _ := strings.Cut(rest, " ")
	switch {
	case pid == k.pid:
		return k.container
	case at.Sub(k.lineTimes[0]) > ratelimitInterval && at.Sub(k.groupAt) < ratelimitInterval: // Another kill would have had a line with a cgroup.
		return k.group
	}
	return ""
}

// killedPID is the PID in a line with a cgroup, in which it follows the process's name.
func killedPID(text string) string {
	pid, _, _ := strings.Cut(text[strings.LastIndex(text, ",pid=")+1:], ",")
	return strings.TrimPrefix(pid, "pid=")
}

// cgroupFields is the part of a line from the cgroup whose limit was reached to that of the process. The cpuset's name before it may be any
// text without slashes; all other names that a container can choose are below its own cgroup.
func cgroupFields(text string) string {
	limit, node := strings.Index(text, ",oom_memcg=/"), strings.Index(text, ",global_oom,task_memcg=/")
	switch {
	case limit < 0 && node < 0:
		return ""
	case limit < 0, node >= 0 && node < limit:
		return text[node:]
	}
	return text[limit:]
}

// containerOf is the container of a cgroup, as namespace/pod/container.
func (k *oomKills) containerOf(path string) string {
	uid, id := cgroup.Pod(path)
	if uid == "" {
		return ""
	}
	return truncate(containerName(k.host, uid, id), maxEntity)
}

// containerName is a container's name by the names of its log and of its pod's logs
// (https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kuberuntime/legacy.go and helpers.go), or as much as they tell.
func containerName(h host.Host, uid, id string) string {
	if id != "" {
		for _, file := range names(h, "/var/log/containers") {
			whose, is := strings.CutSuffix(file, "-"+id+".log")
			if parts := strings.Split(whose, "_"); is && len(parts) == 3 {
				return parts[1] + "/" + parts[0] + "/" + parts[2]
			}
		}
		id = "/" + id[:12]
	}
	for _, folder := range names(h, "/var/log/pods") {
		whose, is := strings.CutSuffix(folder, "_"+uid)
		if namespace, pod, both := strings.Cut(whose, "_"); is && both {
			return namespace + "/" + pod + id
		}
	}
	return uid + id
}

// names are those in a folder; none if it cannot be read.
func names(h host.Host, path string) []string {
	folder, err := os.Open(h.Path(path))
	if err != nil {
		return nil
	}
	defer folder.Close()
	all, _ := folder.Readdirnames(-1) // What was read before an error is used.
	return all
}

package logs

import (
	"os"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/cgroup"
)

// The kernel says of no more kills whose they are (oom_kill_process of mm/oom_kill.c: oom_rs), nor within less than this.
const (
	mostChosen   = 10
	chosenWithin = 5 * time.Second
)

// kills tell which container a process was in that the kernel killed for want of memory. The line of a kill has no more than the
// process's number and name, which the process chooses itself. Its cgroup stands in a line before, which the kernel leaves out where
// there are too many; or, where a cgroup is killed whole (memory.oom.group), in a line between the first kill and the others.
type kills struct {
	host host.Host
	// pid is whom the last line of such a kind says to be killed, and container where that is; empty if it is none of a pod's.
	pid, container string
	// group is the container that was killed whole at a time.
	group   string
	groupAt time.Time
	// chosen are when the last such lines were, oldest first.
	chosen [mostChosen]time.Time
}

// note takes in a line of the kernel's.
func (k *kills) note(text string, at time.Time) {
	switch {
	case strings.HasPrefix(text, "oom-kill:constraint="):
		k.pid, k.container, k.group = chosenPID(text), k.named(chosenCgroup(text)), ""
		copy(k.chosen[:], k.chosen[1:])
		k.chosen[mostChosen-1] = at
	case strings.HasPrefix(text, "Tasks in /") && strings.HasSuffix(text, " are going to be killed due to memory.oom.group set"):
		k.group, k.groupAt = k.named(text), at
	}
}

// of is the container that a kill was in, by its line. Empty if that is not known, or if it is none of a pod's.
func (k *kills) of(text string, at time.Time) string {
	_, rest, _ := strings.Cut(text, ": Killed process ")
	pid, _, _ := strings.Cut(rest, " ")
	switch {
	case pid == k.pid:
		return k.container
	case at.Sub(k.chosen[0]) > chosenWithin && at.Sub(k.groupAt) < chosenWithin: // Another kill would have had its line.
		return k.group
	}
	return ""
}

// chosenPID is the process's number. It stands after the name.
func chosenPID(text string) string {
	pid, _, _ := strings.Cut(text[strings.LastIndex(text, ",pid=")+1:], ",")
	return strings.TrimPrefix(pid, "pid=")
}

// chosenCgroup is what begins with the cgroup whose limit was reached, and goes on with that of the process. Before them stands a
// cpuset's name, of any text but slashes; what else a container may name is below its own cgroup.
func chosenCgroup(text string) string {
	limit, node := strings.Index(text, ",oom_memcg=/"), strings.Index(text, ",global_oom,task_memcg=/")
	switch {
	case limit < 0 && node < 0:
		return ""
	case limit < 0, node >= 0 && node < limit:
		return text[node:]
	}
	return text[limit:]
}

// named is what a cgroup's container is called: namespace/pod/container.
func (k *kills) named(path string) string {
	uid, id := cgroup.Pod(path)
	if uid == "" {
		return ""
	}
	return clip(containerName(k.host, uid, id), maxEntity)
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
	all, _ := folder.Readdirnames(-1) // What was read before an error will do.
	return all
}

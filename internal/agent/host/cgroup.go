package host

import (
	"os"
	"path"
	"slices"
	"strings"
)

// InCgroup says whether a process is in one of some cgroups, by patterns as in path.Match below the root of the hierarchy. A process
// of a pod is never in one that is the node's own, whatever its name. It is false of a process that has ended.
func (h Host) InCgroup(pid string, patterns []string) bool {
	text, err := os.ReadFile(h.Path("/proc/" + pid + "/cgroup"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if slices.ContainsFunc(patterns, func(pattern string) bool {
			is, _ := path.Match(pattern, groupOf(line)) // A malformed pattern matches nothing.
			return is
		}) {
			return true
		}
	}
	return false
}

// groupOf is the cgroup of a line of /proc/PID/cgroup, below the root (cgroups(7)). A reader in a cgroup namespace of its own sees
// the way there from its own: "/../../system.slice/kubelet.service".
func groupOf(line string) string {
	parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
	group := strings.TrimPrefix(parts[len(parts)-1], "/")
	for strings.HasPrefix(group, "../") {
		group = group[len("../"):]
	}
	return group
}

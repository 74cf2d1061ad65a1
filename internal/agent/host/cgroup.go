package host

import (
	"os"
	"path"
	"slices"
	"strings"
)

// InCgroup reports whether the cgroup of a process matches one of the patterns (path.Match, relative to the root of the hierarchy). It
// identifies the node's own daemons: a process of a pod is never in their cgroups, whatever its name. It is false if the process has ended.
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

// groupOf returns the cgroup in a line of /proc/PID/cgroup, relative to the root (cgroups(7)). A reader in its own cgroup namespace sees
// the path relative to its own cgroup: "/../../system.slice/kubelet.service".
func groupOf(line string) string {
	parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
	group := strings.TrimPrefix(parts[len(parts)-1], "/")
	for strings.HasPrefix(group, "../") {
		group = group[len("../"):]
	}
	return group
}

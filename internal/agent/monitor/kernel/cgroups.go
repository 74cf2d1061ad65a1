package kernel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// cgroups are those of a host that match one of some patterns.
type cgroups struct {
	host     host.Host
	patterns []string
}

// below returns them as paths below the root of a hierarchy, such as "/system.slice", sorted; none if there is no such hierarchy.
func (c cgroups) below(root string) []string {
	if root == "" {
		return nil
	}
	var found []string
	for _, pattern := range c.patterns {
		// A malformed pattern matches nothing.
		dirs, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, dir := range dirs {
			found = append(found, strings.TrimPrefix(dir, root))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// root is where a hierarchy is mounted: that of cgroup v2 if there is no other, or else the first of those names. Empty if there is none.
func (c cgroups) root(names ...string) string {
	marks := []string{"/sys/fs/cgroup/cgroup.controllers"}
	for _, name := range names {
		marks = append(marks, "/sys/fs/cgroup/"+name+"/cgroup.procs")
	}
	for _, mark := range marks {
		if _, err := os.Stat(c.host.Path(mark)); err == nil {
			return c.host.Path(filepath.Dir(mark))
		}
	}
	return ""
}

// pids are the values of a cgroup's PID controller.
type pids struct {
	// current is the number of processes and threads in it and below, limit the highest number, negative if there is no limit.
	current, limit int64
	// refused is how many forks this limit has refused, or, before Linux 6.11 and in v1, how many were refused to processes directly in the
	// cgroup, by the limit of any cgroup above (commit 73e75e6fc352).
	refused int64
}

// readPids reads a cgroup's files. In version 2 the plain pids.events counts for the cgroups below, too: a pod at a limit of
// its own would show in the one that holds all pods.
func readPids(dir string) (pids, error) {
	var p pids
	current, err := os.ReadFile(filepath.Join(dir, "pids.current"))
	if err != nil {
		return p, err
	}
	limit, err := os.ReadFile(filepath.Join(dir, "pids.max"))
	if err != nil {
		return p, err
	}
	events, err := os.ReadFile(filepath.Join(dir, "pids.events.local"))
	if errors.Is(err, os.ErrNotExist) {
		events, err = os.ReadFile(filepath.Join(dir, "pids.events"))
	}
	if err != nil {
		return p, err
	}
	return parsePids(string(current), string(limit), string(events))
}

// parsePids reads them as Documentation/admin-guide/cgroup-v2.rst has them.
func parsePids(current, limit, events string) (p pids, err error) {
	if p.current, err = strconv.ParseInt(strings.TrimSpace(current), 10, 64); err != nil {
		return p, fmt.Errorf("pids.current: %w", err)
	}
	p.limit = -1
	if limit = strings.TrimSpace(limit); limit != "max" {
		if p.limit, err = strconv.ParseInt(limit, 10, 64); err != nil {
			return p, fmt.Errorf("pids.max: %w", err)
		}
	}
	for line := range strings.Lines(events) {
		if count, is := strings.CutPrefix(strings.TrimSpace(line), "max "); is {
			if p.refused, err = strconv.ParseInt(count, 10, 64); err != nil {
				return p, fmt.Errorf("pids.events: %w", err)
			}
		}
	}
	return p, nil
}

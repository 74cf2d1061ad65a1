package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// files compares the numbers of open files with their limits: of the host, where systemd since version 240 sets a limit that is never
// reached, and of each daemon that a node needs. Processes of pods are left out.
type files struct {
	host      host.Host
	daemons   []string
	threshold Percent
}

func (f files) find(context.Context) ([]evidence.Evidence, error) {
	used, limit, raw, err := f.all()
	if err != nil {
		return nil, err
	}
	var found []evidence.Evidence
	if f.threshold.reached(used, limit) {
		found = append(found, fault(reason.ApproachingMaxOpenFiles, "", "/proc/sys/fs/file-nr", raw))
	}
	c := cgroups{host: f.host, patterns: f.daemons}
	root := c.root("unified", "systemd")
	for _, path := range c.below(root) {
		text, err := os.ReadFile(filepath.Join(root, path, "cgroup.procs"))
		if err != nil {
			continue // Gone meanwhile.
		}
		for pid := range strings.FieldsSeq(string(text)) {
			faults, err := f.of(pid)
			if err != nil {
				return found, fmt.Errorf("count the open files of PID %s in cgroup %s: %w", pid, path, err)
			}
			found = append(found, faults...)
		}
	}
	return found, nil
}

// all returns the host's open files and their limit (Documentation/admin-guide/sysctl/fs.rst: file-nr).
func (f files) all() (used, limit int64, raw string, err error) {
	words, err := fields(f.host, "/proc/sys/fs/file-nr", 3)
	if err != nil {
		return 0, 0, "", err
	}
	used, err = strconv.ParseInt(words[0], 10, 64)
	if err == nil {
		limit, err = strconv.ParseInt(words[2], 10, 64)
	}
	if err != nil {
		return 0, 0, "", fmt.Errorf("read /proc/sys/fs/file-nr: %w", err)
	}
	return used, limit, strings.Join(words, " "), nil
}

// of returns evidence of one process; none if it has ended.
func (f files) of(pid string) ([]evidence.Evidence, error) {
	if pid == "0" { // one that the agent's PID namespace does not have (Documentation/admin-guide/cgroup-v2.rst)
		return nil, errors.New("the agent does not share the host's PID namespace")
	}
	dir := f.host.Path("/proc/" + pid)
	limits, err := os.ReadFile(filepath.Join(dir, "limits"))
	if hasEnded(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	limit, err := openLimit(string(limits))
	if err != nil {
		return nil, err
	}
	used, err := openFiles(filepath.Join(dir, "fd"))
	if hasEnded(err) || err == nil && !f.threshold.reached(used, limit) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	name, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil {
		return nil, nil //nolint:nilerr // It has ended meanwhile.
	}
	return []evidence.Evidence{fault(reason.ApproachingMaxOpenFiles, fmt.Sprintf("%s[%s]", strings.TrimSpace(string(name)), pid),
		"/proc/"+pid+"/fd", fmt.Sprintf("%d open files, RLIMIT_NOFILE %d", used, limit))}, nil
}

// hasEnded says whether an error of reading a process's files is that it has ended.
func hasEnded(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// openFiles counts the entries of a folder /proc/PID/fd. Since Linux 6.2 the folder's size is their number, which takes no privilege.
func openFiles(dir string) (int64, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	if info.Size() > 0 {
		return info.Size(), nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	return int64(len(names)), err
}

// openLimit is the soft limit of a file /proc/PID/limits (proc_pid_limits(5)).
func openLimit(limits string) (int64, error) {
	for line := range strings.Lines(limits) {
		value, is := strings.CutPrefix(line, "Max open files")
		words := strings.Fields(value)
		switch {
		case !is || len(words) == 0:
		case words[0] == "unlimited":
			return math.MaxInt64, nil
		default:
			return strconv.ParseInt(words[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%w: no line Max open files in %q", errFormat, limits)
}

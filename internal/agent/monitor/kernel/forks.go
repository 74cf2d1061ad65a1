package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// forks looks whether processes and threads can be started: on the node at all, and in the cgroups it cannot do without.
type forks struct {
	cgroups cgroups
	fork    func() error
	// before is what each cgroup had refused at the last look.
	before map[string]int64
}

func (f *forks) find(context.Context) ([]evidence.Evidence, error) {
	var found []evidence.Evidence
	if err := f.fork(); errors.Is(err, syscall.EAGAIN) {
		// The limits of the kernel, or of a cgroup around the agent, which has a dozen threads and meets none alone.
		found = append(found, fault(reason.ForkFailedOutOfPIDs, "/", "fork", "fork: "+err.Error()))
	}
	root := f.cgroups.root("pids")
	if root == "" {
		return found, nil // The fork has told what there is to tell.
	}
	now := map[string]int64{}
	for _, path := range f.cgroups.below(root) {
		p, err := readPids(filepath.Join(root, path))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
			continue // Gone meanwhile, or without the controller.
		}
		if err != nil {
			return found, fmt.Errorf("read the PID limit of cgroup %s: %w", path, err)
		}
		before, known := f.before[path]
		if !known {
			before = p.refused
		}
		now[path] = p.refused
		if raw := p.exhausted(before); raw != "" {
			found = append(found, fault(reason.ForkFailedOutOfPIDs, path, "pids.current, pids.max, pids.events", raw))
		}
	}
	f.before = now
	return found, nil
}

// exhausted says in what way a cgroup can take no more, having refused so many before; empty if it can.
func (p pids) exhausted(before int64) string {
	full := p.limit >= 0 && p.current >= p.limit
	if !full && p.refused <= before {
		return ""
	}
	limit := "max"
	if p.limit >= 0 {
		limit = fmt.Sprint(p.limit)
	}
	return fmt.Sprintf("pids.current %d, pids.max %s, pids.events max %d (%d at the look before)", p.current, limit, p.refused, before)
}

// fork starts a process that executes a file without a name, which there is not. The process ends in the kernel; any error but
// EAGAIN (fork(2)) says that it could be started, or that forks are forbidden to the agent, which says nothing.
func fork() error {
	_, err := syscall.ForkExec("", []string{"naosu-agent"}, nil)
	return err
}

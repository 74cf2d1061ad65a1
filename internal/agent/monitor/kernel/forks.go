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

// forks checks whether processes and threads can be started: on the node at all, and in the cgroups of the daemons that a node needs.
type forks struct {
	cgroups cgroups
	fork    func() error
	// before is how many forks each cgroup had refused at the last look.
	before map[string]int64
}

func (f *forks) find(context.Context) ([]evidence.Evidence, error) {
	var found []evidence.Evidence
	if err := f.fork(); errors.Is(err, syscall.EAGAIN) {
		// A limit of the kernel, or of a cgroup above the agent's; the agent itself has a dozen threads.
		found = append(found, fault(reason.ForkFailedOutOfPIDs, "/", "fork", "fork: "+err.Error()))
	}
	root := f.cgroups.root("pids")
	if root == "" {
		return found, nil // The fork has succeeded or failed; there is no more evidence.
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

// exhausted says why a cgroup can have no more processes, given how many forks it had refused before; empty if it can.
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

// fork starts a process that executes a file that does not exist, so that it ends in the kernel. An error other than EAGAIN (fork(2)) means
// that it could be started, or that the agent may not fork, which says nothing of the node.
func fork() error {
	_, err := syscall.ForkExec("", []string{"naosu-agent"}, nil)
	return err
}

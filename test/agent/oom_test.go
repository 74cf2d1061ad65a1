package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A process that takes more memory than its cgroup may have is killed by the kernel, which says so.
func TestMemoryCgroupOOM(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "tail")
	group := memoryCgroup(t, "33554432")
	w := agenttest.Watch(t, kernelLog(t), oneSecond(reason.OOMKilling))

	victim := own("oom")
	hog := exec.CommandContext(t.Context(), "/bin/sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$2" /dev/zero`, //nolint:gosec // G204: of the test.
		"sh", group, named(t, "tail", victim)) // tail waits for the end of the line, which never comes.
	if out, err := hog.CombinedOutput(); err == nil || hog.ProcessState.ExitCode() >= 0 {
		t.Fatalf("it was not killed: %v: %s", err, out)
	}
	w.Stands(reason.OOMKilling, victim, "Memory cgroup out of memory: Killed process")
	w.Goes(reason.OOMKilling, victim)
}

// memoryCgroup makes a cgroup with a limit on memory, of whichever version the machine has.
func memoryCgroup(t *testing.T, bytes string) string {
	t.Helper()
	top, limits := "/sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}
	if _, err := os.Stat(top); err != nil {
		top, limits = "/sys/fs/cgroup", []string{"memory.max", "memory.swap.max"}
	}
	group := filepath.Join(top, agenttest.Cgroup(t, "", top))
	for _, limit := range limits {
		value := bytes
		if limit == "memory.swap.max" {
			value = "0"
		}
		if err := os.WriteFile(filepath.Join(group, limit), []byte(value), 0o600); err != nil && limit != "memory.swap.max" {
			t.Skipf("not run: it needs a memory cgroup: %v", err)
		}
	}
	return group
}

package failover

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
)

// starvedPercent is how much of one core a starved process gets.
const starvedPercent = 2

// starve has a process run for little of the time, by the quota of a cgroup, until feed.
func (p *process) starve(t *testing.T) (feed func()) {
	t.Helper()
	top := t.TempDir()
	quota, text := "cpu.cfs_quota_us", strconv.Itoa(starvedPercent*1000) // Of a period of 100 ms.
	err := unix.Mount("cgroup", top, "cgroup", 0, "cpu")
	if err != nil { // The machine has only cgroup v2.
		quota, text = "cpu.max", strconv.Itoa(starvedPercent*1000)+" 100000"
		err = unix.Mount("cgroup2", top, "cgroup2", 0, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(top, unix.MNT_DETACH) })
	group := filepath.Join(top, agenttest.Cgroup(t, fmt.Sprintf("starved%d", p.Process.Pid), top))
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(group, quota), text)
	write(filepath.Join(group, "cgroup.procs"), strconv.Itoa(p.Process.Pid))
	feed = func() {
		if !p.hasEnded() {
			write(filepath.Join(top, "cgroup.procs"), strconv.Itoa(p.Process.Pid))
		}
	}
	t.Cleanup(feed)
	return feed
}

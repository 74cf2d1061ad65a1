package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/monitor/logs"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// An agent that may not read the kernel's log sees the same in the journal, where lines by hand are none either.
func TestKernelLogInJournal(t *testing.T) {
	m := systemdtest.Start(t)
	for _, path := range []string{"/proc/stat", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(m.Host.Path(path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.Host.Path(path), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := agenttest.Watch(t, logs.Monitors(m.Host, logs.DefaultOptions(), reason.Catalogue, ""), oneSecond(reason.AppCrash))
	log, err := os.OpenFile("/dev/kmsg", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("not run: it needs to write to the kernel's log: %v", err)
	}
	defer log.Close()
	spoofed, real := own("sp"), own("kj")
	// journald takes what seems to be a program's name off a process's line.
	if _, err := fmt.Fprintf(log, "<6>x: traps: %s[1] trap by hand ip:0 sp:0 error:0\n", spoofed); err != nil {
		t.Fatal(err)
	}
	crash(t, real, nullPointer)
	w.Stands(reason.AppCrash, real)
	if all := m.Run("journalctl", "_TRANSPORT=kernel", "--output=cat"); !strings.Contains(all, "traps: "+spoofed) {
		t.Errorf("the line by hand is not in the journal")
	}
	for _, s := range w.Snapshot().Standing {
		if s.Entity == spoofed {
			t.Errorf("a line by hand stands: %+v", s)
		}
	}
	w.Goes(reason.AppCrash, real)
}

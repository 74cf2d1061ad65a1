package logs

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// journald starts a real systemd with a journal, and runs the monitor on it for a unit.
func journald(t *testing.T, unit string) (*systemdtest.Machine, *listener) {
	t.Helper()
	m := systemdtest.Start(t)
	for _, path := range []string{"/proc/stat", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, m.Host, path, string(text))
	}
	heard := newListener()
	follow(t, m.Host, unit, heard)
	return m, heard
}

func follow(t *testing.T, h host.Host, unit string, heard *listener) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	reasons := []reason.Reason{{
		ID: "Sick", Needs: reason.Needs{Count: 1, Within: time.Hour},
		Matches: []reason.Match{{Log: "unit:" + unit, Pattern: `(?:says (?P<entity>\w+)|Failed with result)`}},
	}}
	running.Go(func() {
		if err := New(h, DefaultOptions(), reasons, "").Run(ctx, heard.emit); err != nil {
			t.Error(err)
		}
	})
}

// A real journald: what a unit says, what PID 1 says of it, and not what others say of it; through rotation and vacuuming.
func TestUnitInRealJournal(t *testing.T) {
	m, heard := journald(t, "sick.service")
	m.Unit("sick.service", "[Service]\nEnvironment=WORD=one\nExecStart=/bin/sh -c 'echo says $WORD; exit 1'\n")
	m.Unit("other.service", `[Service]
ExecStart=/bin/sh -c 'echo says other; printf "MESSAGE=says spoofed\\nUNIT=sick.service\\n" | logger --journald'
`)
	m.Systemctl("start", "--wait", "other.service")
	m.Run("journalctl", "--sync")
	if said := m.Run("journalctl", "UNIT=sick.service", "--output=cat"); !strings.Contains(said, "says spoofed") {
		t.Fatalf("the spoofed line is not there: %s", said)
	}
	m.Systemctl("start", "--wait", "sick.service")
	heard.await(t, func() bool { return len(heard.saw(evidence.Fault)) == 2 })
	m.Run("journalctl", "--rotate")
	m.Unit("sick.service", "[Service]\nExecStart=/bin/sh -c 'echo says two; exit 1'\n")
	m.Systemctl("start", "--wait", "sick.service")
	heard.await(t, func() bool { return len(heard.saw(evidence.Fault)) == 4 })
	// What is vacuumed before it is read is lost, and reported as such: which line that is depends on the machine's load.
	faults := func() []string {
		return slices.DeleteFunc(heard.saw(evidence.Fault), func(told string) bool { return !strings.HasPrefix(told, "Sick") })
	}
	m.Run("journalctl", "--rotate", "--vacuum-files=1")
	m.Unit("sick.service", "[Service]\nExecStart=/bin/sh -c 'echo says three $(head -c 3000 /dev/zero | tr \"\\\\0\" x)'\n") // long enough to be packed
	m.Systemctl("start", "--wait", "sick.service")
	heard.await(t, func() bool { return len(faults()) == 5 })
	expect(t, "told", faults(), []string{"Sick", "Sick", "Sick one", "Sick three", "Sick two"})

	pendingLines := newListener()
	follow(t, m.Host, "sick.service", pendingLines)
	pendingLines.await(t, func() bool { return slices.Contains(pendingLines.saw(evidence.Fault), "Sick three") })
}

// A service that says too much: journald drops its lines, says so some time later, and it is told.
func TestSuppressedLines(t *testing.T) {
	m, heard := journald(t, "loud.service")
	m.Unit("loud.service", "[Service]\nLogRateLimitIntervalSec=1s\nLogRateLimitBurst=5\n"+
		"ExecStart=/bin/sh -c 'seq 1000; while sleep 1.1; do echo and on; done'\n")
	m.Systemctl("start", "loud.service")
	heard.await(t, func() bool { return slices.Contains(heard.saw(evidence.Fault), "LogLinesLost journal") })
}

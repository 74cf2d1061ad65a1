package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/monitor/logs"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kmsg"
)

// kernelLog is the monitor of lines on the machine's real kernel log, from now on: what earlier tests did is still in it.
func kernelLog(t *testing.T) []monitor.Monitor {
	t.Helper()
	return kernelLogAt(t, host.Host{})
}

// kernelLogAt is the same on a host with files of the test's, whose /dev and /proc are the machine's.
func kernelLogAt(t *testing.T, h host.Host) []monitor.Monitor {
	t.Helper()
	boot, err := h.Boot()
	if err != nil {
		t.Fatal(err)
	}
	log, err := kmsg.Open("/dev/kmsg", boot.At, 0, clock.RealClock{})
	if err != nil {
		t.Skipf("not run: it needs the kernel's log: %v", err)
	}
	defer log.Close()
	var next uint64
	for {
		r, err := log.Buffered()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		next = r.Seq + 1
	}
	folder := t.TempDir()
	mark := fmt.Sprintf(`{"boot": %q, "logs": {"kernel": {"seq": %d}}}`, boot.ID, next)
	if err := os.WriteFile(filepath.Join(folder, "logs.json"), []byte(mark), 0o600); err != nil {
		t.Fatal(err)
	}
	o := logs.DefaultOptions()
	o.Kernel = logs.Device
	return logs.Monitors(h, o, reason.Catalogue, folder)
}

// named makes a program run under another name, which the kernel calls it by.
func named(t *testing.T, program, name string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("not run: it needs %s", program)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// own is a name that no other test uses.
func own(kind string) string { return agenttest.Own(kind + "-") }

// oneSecond has a reason hold after as many lines as the catalogue requires, and end after a second without one.
func oneSecond(id reason.ID) func(*reason.Reason) {
	return func(r *reason.Reason) {
		if r.ID == id {
			r.Clears.Quiet = time.Second
		}
	}
}

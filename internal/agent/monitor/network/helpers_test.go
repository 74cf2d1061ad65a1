package network

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// run is a shell's commands, each of which must succeed.
func run(t *testing.T, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
}

// nic makes a link as a node's card is: with a carrier, the other end of which is the link's name with a p.
func nic(t *testing.T, name string) {
	t.Helper()
	run(
		t, "ip link add "+name+" type veth peer name "+name+"p", "ip link set "+name+"p up", "ip link set "+name+" up",
		"until ip -oneline link show "+name+" | grep -q 'state UP'; do :; done", // The kernel notes a carrier within a second.
	)
}

// hostWith is a host of these files, with the /proc and /sys of the test's own namespaces.
func hostWith(t *testing.T, files map[string]string) host.Host {
	t.Helper()
	h := host.Host{Root: t.TempDir()}
	for _, system := range []string{"/proc", "/sys"} {
		if err := os.MkdirAll(h.Path(system), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount(system, h.Path(system), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(h.Path(system), unix.MNT_DETACH) })
	}
	for name, text := range files {
		write(t, h, name, text)
	}
	return h
}

func write(t *testing.T, h host.Host, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.Path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	whole := h.Path(name) + ".new" // As in /proc and /sys, no reader sees half a file.
	if err := os.WriteFile(whole, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(whole, h.Path(name)); err != nil {
		t.Fatal(err)
	}
}

// quiet is one look of each monitor that must find no fault, and be able to read all there is.
func quiet(t *testing.T, monitors ...monitor.Monitor) {
	t.Helper()
	for _, m := range monitors {
		err := m.Look(t.Context(), func(e evidence.Evidence) {
			if e.State == evidence.Fault || e.State == evidence.Unreadable {
				t.Errorf("%s tells of %s %s: %s: %s", m.Name(), e.State, e.Reason, e.Entity, e.Raw)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

// watch weighs what monitors tell of reasons that stand and go at once.
func watch(t *testing.T, ids []reason.ID, monitors ...monitor.Monitor) *agenttest.Watched {
	t.Helper()
	return agenttest.Watch(t, monitors, agenttest.Sooner(ids...))
}

// alone holds that nothing stands for another entity.
func alone(t *testing.T, w *agenttest.Watched, entity string) {
	t.Helper()
	for _, s := range w.Snapshot().Standing {
		if s.Entity != entity {
			t.Errorf("only %s is at fault, and this stands: %+v", entity, s)
		}
	}
}

// briefly makes monitors of looks look every 20 ms.
func briefly(m monitor.Monitor) monitor.Monitor {
	switch m := m.(type) {
	case monitor.Periodic:
		m.Period = brief
		return m
	case linkMonitor:
		m.Period = brief
		return m
	}
	return m
}

// states are what one look tells of each reason, as "Fault InterfaceNotUp eth1".
func states(t *testing.T, m monitor.Monitor) []string {
	t.Helper()
	var all []string
	_ = m.Look(t.Context(), func(e evidence.Evidence) {
		all = append(all, strings.TrimSpace(string(e.State)+" "+string(e.Reason)+" "+e.Entity))
	})
	slices.Sort(all)
	return all
}

// hostOf is a host of these files alone.
func hostOf(t *testing.T, files map[string]string) host.Host {
	t.Helper()
	h := host.Host{Root: t.TempDir()}
	for name, text := range files {
		write(t, h, name, text)
	}
	return h
}

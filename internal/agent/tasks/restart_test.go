package tasks

import (
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

func TestRestart(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("well.service", "[Service]\nExecStart=/bin/sleep infinity\n")
	m.Unit("sick.service", "[Service]\nType=notify\nExecStart=/bin/false\n")
	m.Unit("brief.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n")
	bus := systemd.New(m.Host)
	defer bus.Close()
	s := &Restarts{Bus: bus}
	began := func() time.Time {
		found, err := bus.Service(t.Context(), "well.service")
		if err != nil {
			t.Fatal(err)
		}
		at, err := bus.Began(t.Context(), found)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	run := func(service string, since time.Time, want, says string) {
		t.Helper()
		if state, message := s.run(t.Context(), service, since); state != want || !strings.Contains(message, says) {
			t.Errorf("%s: %s, %q; want %s, %q", service, state, message, want, says)
		}
	}
	run("well.service", time.Time{}, kube.Done, "and is active")
	first := began()
	run("well.service", time.Time{}, kube.Done, "and is active")
	second := began()
	if !second.After(first) {
		t.Errorf("it was begun at %v, and before at %v", second, first)
	}
	// An agent that has ended meanwhile undertook it before the service was begun: it is not done twice.
	run("well.service", first, kube.Done, "and is active")
	if reread := began(); !reread.Equal(second) {
		t.Errorf("it was begun again at %v", reread)
	}
	// It undertook it, and ended before it asked systemd.
	run("well.service", time.Now(), kube.Done, "and is active")
	if reread := began(); !reread.After(second) {
		t.Error("it was not restarted")
	}
	run("sick.service", time.Time{}, kube.Failed, `ended with "failed"`)
	run("brief.service", time.Time{}, kube.Failed, "it does not run")
	run("absent.service", time.Time{}, kube.Failed, "this host has no absent.service")
}

// A job that an earlier run of the agent began is waited for, not begun again.
func TestRestartUnderWay(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("slow.service", "[Service]\nType=notify\nNotifyAccess=all\nExecStart=/bin/sh -c 'sleep 2; systemd-notify --ready; sleep infinity'\n")
	bus := systemd.New(m.Host)
	defer bus.Close()
	undertaken := time.Now()
	m.Systemctl("restart", "--no-block", "slow.service")
	if state, message := (&Restarts{Bus: bus}).run(t.Context(), "slow.service", undertaken); state != kube.Done {
		t.Errorf("%s, %q", state, message)
	}
	if log := m.Run("systemctl", "show", "-p", "NRestarts,Result,ActiveState", "slow.service"); !strings.Contains(log, "ActiveState=active") {
		t.Errorf("it is %s", log)
	}
	if jobs := m.Run("journalctl", "-u", "slow.service", "--no-pager", "-o", "cat"); strings.Count(jobs, "Starting ") != 1 {
		t.Errorf("it was started more than once:\n%s", jobs)
	}
}

func TestRestartWithoutSystemd(t *testing.T) {
	s := &Restarts{Bus: systemd.New(host.Host{Root: t.TempDir()})}
	if state, message := s.run(t.Context(), "kubelet.service", time.Time{}); state != kube.Failed || !strings.Contains(message, "no systemd here") {
		t.Errorf("%s, %q", state, message)
	}
}

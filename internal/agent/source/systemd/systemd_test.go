package systemd_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

func TestServices(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("sick.service", "[Service]\nExecStart=/bin/sh -c 'exit 3'\n")
	m.Systemctl("start", "--wait", "sick.service")
	m.Run("systemd-run", "--unit=passing.service", "/bin/sleep", "infinity")
	bus := systemd.New(m.Host)
	defer bus.Close()

	sick, err := bus.Service(t.Context(), "sick.service")
	if err != nil {
		t.Fatal(err)
	}
	if sick.Active != "failed" || sick.Load != "loaded" {
		t.Errorf("a failed service: %+v", sick)
	}
	if result, err := bus.Result(t.Context(), sick); err != nil || result != "exit-code" {
		t.Errorf("its result is %q, %v", result, err)
	}
	if status, err := bus.Status(t.Context(), sick); err != nil || status != 3 {
		t.Errorf("its status is %d, %v", status, err)
	}
	if since, err := bus.Since(t.Context(), sick); err != nil || since.Year() < 2020 {
		t.Errorf("it is so since %v, %v", since, err)
	}
	if absent, err := bus.Service(t.Context(), "absent.service"); err != nil || absent.Load != "not-found" {
		t.Errorf("a service that is not there: %+v, %v", absent, err)
	}
	services, err := bus.Services(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	transient := map[string]bool{}
	for _, s := range services {
		if transient[s.Name], err = bus.Transient(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
	if !transient["passing.service"] || transient["sick.service"] || len(transient) < 3 {
		t.Errorf("transient, by service: %v", transient)
	}
}

// The bus starts again, and the next question is answered.
func TestBusRestarts(t *testing.T) {
	m := systemdtest.Start(t)
	bus := systemd.New(m.Host)
	defer bus.Close()
	if _, err := bus.Services(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Systemctl("restart", "dbus.service")
	_, first := bus.Services(t.Context())
	if _, second := bus.Services(t.Context()); second != nil {
		t.Errorf("after the bus restarted: %v, then %v", first, second)
	}
}

func TestAbsent(t *testing.T) {
	bus := systemd.New(host.Host{Root: t.TempDir()})
	if _, err := bus.Services(context.Background()); !errors.Is(err, systemd.ErrAbsent) {
		t.Errorf("without a bus: %v", err)
	}
}

func TestRestart(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("well.service", "[Service]\nExecStart=/bin/sleep infinity\n")
	m.Unit("sick.service", "[Service]\nType=notify\nExecStart=/bin/false\n")
	m.Systemctl("start", "well.service")
	bus := systemd.New(m.Host)
	defer bus.Close()
	well, err := bus.Service(t.Context(), "well.service")
	if err != nil {
		t.Fatal(err)
	}
	before, err := bus.Began(t.Context(), well)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := bus.Restart(t.Context(), "well.service"); err != nil || result != "done" {
		t.Errorf("restarted: %q, %v", result, err)
	}
	if after, err := bus.Began(t.Context(), well); err != nil || !after.After(before) {
		t.Errorf("it was begun at %v, and before at %v (%v)", after, before, err)
	}
	if result, err := bus.Restart(t.Context(), "sick.service"); err != nil || result != "failed" {
		t.Errorf("one that does not start: %q, %v", result, err)
	}
	if result, err := bus.Restart(t.Context(), "absent.service"); err == nil {
		t.Errorf("one that is not there: %q", result)
	}
	m.Unit("slow.service", "[Service]\nType=notify\nExecStart=/bin/sleep infinity\nTimeoutStartSec=infinity\n")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for slow := (systemd.Service{}); slow.Job == 0 && t.Context().Err() == nil; {
			slow, _ = bus.Service(t.Context(), "slow.service")
		}
	}()
	if result, err := bus.Restart(ctx, "slow.service"); !errors.Is(err, context.Canceled) {
		t.Errorf("one that takes for ever: %q, %v", result, err)
	}
}

// What the agent's pod has is enough: systemd lets root do so, and asks for no capability of it.
func TestRestartWithoutCapabilities(t *testing.T) {
	agenttest.Need(t, "setpriv", "busctl")
	m := systemdtest.Start(t)
	m.Unit("well.service", "[Service]\nExecStart=/bin/sleep infinity\n")
	said := m.Run(
		"setpriv", "--bounding-set=-all", "--inh-caps=-all", "busctl", "--system", "call",
		"org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "RestartUnit", "ss", "well.service", "replace",
	)
	if !strings.Contains(said, "/org/freedesktop/systemd1/job/") {
		t.Errorf("it is refused: %s", said)
	}
}

package network

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

func policiesOf(h host.Host) monitor.Periodic { return policies(h, systemd.New(h)) }

// startController starts a process of the policy agent's name, with an argument, and returns what ends it.
func startController(t *testing.T, argument string) (end func()) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "controller")
	run(t, "cp $(command -v sh) "+binary)
	process := exec.CommandContext(t.Context(), binary, "-c", "sleep infinity & wait", "controller", argument)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	}
}

func TestNPANotRunning(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	defer startController(t, "--leader-elect")() // another's
	end := startController(t, "--enable-network-policy=true")
	w := watch(t, []reason.ID{reason.NPANotRunning}, briefly(policiesOf(hostWith(t, map[string]string{policyLog: ""}))))
	w.Goes(reason.NPANotRunning, "")
	end()
	w.Stands(reason.NPANotRunning, "")
	defer startController(t, "--enable-network-policy=true")()
	w.Goes(reason.NPANotRunning, "")
}

// On EKS Auto Mode they are services. Each starts again at once, as a crash loop does, until systemd has had enough.
func TestDaemonsOfAutoMode(t *testing.T) {
	m := systemdtest.Start(t)
	const service = "[Unit]\nStartLimitBurst=6\nStartLimitIntervalSec=1h\n[Service]\nRestart=on-failure\nRestartSec=0\nExecStart=/bin/sleep infinity\n"
	write(t, m.Host, ipamdLog, "")
	m.Unit("ipamd.service", service)
	m.Unit("aws-network-policy-agent.service", service)
	m.Systemctl("start", "ipamd.service", "aws-network-policy-agent.service")

	soonQuiet := func(r *reason.Reason) { r.Clears.Quiet = min(r.Clears.Quiet, time.Second) }
	for _, daemon := range []struct {
		unit                 string
		monitor              monitor.Periodic
		notRunning, restarts reason.ID
	}{
		{"ipamd.service", addressesOf(m.Host), reason.IPAMDNotRunning, reason.IPAMDRepeatedlyRestart},
		{"aws-network-policy-agent.service", policiesOf(m.Host), reason.NPANotRunning, reason.NPARepeatedlyRestart},
	} {
		w := agenttest.Watch(t, []monitor.Monitor{briefly(daemon.monitor)}, agenttest.Sooner(daemon.notRunning), soonQuiet)
		w.Goes(daemon.notRunning, "")
		for range 5 {
			kill(m, daemon.unit)
		}
		w.Stands(daemon.restarts, "")
		w.Goes(daemon.restarts, "")
		kill(m, daemon.unit)
		w.Stands(daemon.notRunning, "")
		m.Systemctl("reset-failed", daemon.unit)
		m.Systemctl("start", daemon.unit)
		w.Goes(daemon.notRunning, "")
	}
}

// kill kills a service's process and waits until systemd has dealt with it.
func kill(m *systemdtest.Machine, unit string) {
	m.Run("sh", "-c", `before=$(systemctl show -P MainPID "$0"); kill -9 "$before"
		until now=$(systemctl show -P MainPID "$0"); state=$(systemctl show -P ActiveState "$0")
			[ "$state" = failed ] || { [ "$now" != "$before" ] && [ "$state" = active ]; }
		do :; done`, unit)
}

func TestNoDaemons(t *testing.T) {
	h := hostOf(t, nil)
	write(t, h, "/run/dbus/system_bus_socket", "") // No systemd answers.
	want := []string{"Inapplicable NPANotRunning", "Inapplicable NPARepeatedlyRestart"}
	if diff := cmp.Diff(want, states(t, policiesOf(h))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	write(t, h, vpcLogs+"/network-policy-agent.log", "")
	if got, unknown := states(t, policiesOf(h)), []string{"Unreadable NPANotRunning", "Unreadable NPARepeatedlyRestart"}; !slices.Equal(got, unknown) {
		t.Errorf("where it may be, and systemd does not answer: %q, not %q", got, unknown)
	}
	if err := os.Remove(h.Path("/run/dbus/system_bus_socket")); err != nil {
		t.Fatal(err)
	}
	write(t, h, aPod, "") // A pod without the agent's container: VPC CNIs before 1.14.
	if got := states(t, policiesOf(h)); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

package systemdtest_test

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
)

func TestMachine(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("sick.service", "[Service]\nExecStart=/bin/false\n")
	m.Systemctl("start", "--wait", "sick.service")
	m.Run("journalctl", "--sync")
	if log := m.Run("journalctl", "-u", "sick.service", "--no-pager"); !strings.Contains(log, "Failed with result 'exit-code'") {
		t.Errorf("the journal does not say that the unit failed:\n%s", log)
	}
	if units := m.Run("systemctl", "list-units", "--no-pager"); strings.Contains(units, "containerd") {
		t.Errorf("it runs the machine's own services:\n%s", units)
	}
}

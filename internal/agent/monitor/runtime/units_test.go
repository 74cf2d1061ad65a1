package runtime

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

const (
	failing = "[Service]\nExecStart=/bin/sh -c 'exit 3'\n"
	lasting = "[Service]\nExecStart=/bin/sleep infinity\n"
	// flapping ends and is started again, for ever.
	flapping = "[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStart=/bin/sleep 0.1\nRestart=always\nRestartSec=100ms\n"
)

func TestServiceFailedToStart(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("sick.service", failing)
	w := watch(t, m.Host, nothing())
	m.Systemctl("start", "--wait", "sick.service")
	w.Stands(reason.ServiceFailedToStart, "sick.service")
	m.Unit("sick.service", lasting)
	m.Systemctl("start", "sick.service")
	w.Goes(reason.ServiceFailedToStart, "sick.service")
}

// A kubelet that flaps too quickly is given up by systemd, in words that differ from version to version; its state does not.
func TestKubeletFailed(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("kubelet.service", "[Unit]\nStartLimitIntervalSec=60\nStartLimitBurst=3\n"+failing+"Restart=on-failure\nRestartSec=10ms\n")
	w := watch(t, m.Host, nothing())
	m.Systemctl("start", "kubelet.service")
	w.Stands(reason.KubeletFailed, "")
	m.Unit("kubelet.service", lasting)
	m.Systemctl("reset-failed", "kubelet.service")
	m.Systemctl("start", "kubelet.service")
	w.Goes(reason.KubeletFailed, "")
}

func TestRepeatedRestart(t *testing.T) {
	of := map[string]struct {
		reason reason.ID
		entity string
	}{
		kubeletService:    {reason.KubeletRepeatedRestart, ""},
		containerdService: {reason.ContainerdRepeatedRestart, ""},
		"chronyd.service": {reason.ServiceRepeatedRestart, "chronyd.service"},
	}
	m := systemdtest.Start(t)
	for name := range of {
		m.Unit(name, flapping)
		m.Systemctl("start", name)
	}
	w := watch(t, m.Host, nothing())
	for _, told := range of {
		w.Stands(told.reason, told.entity)
	}
	for name := range of {
		m.Unit(name, lasting)
		m.Systemctl("restart", name)
	}
	for _, told := range of {
		w.Goes(told.reason, told.entity)
	}
}

// What people do to services, and what services do by themselves when all is well, raises nothing.
func TestQuietUnits(t *testing.T) {
	m := systemdtest.Start(t)
	units := &units{bus: systemd.New(m.Host), ignore: []string{"known-*.service"}}
	t.Cleanup(units.bus.Close)
	m.Unit("kubelet.service", lasting+"Restart=always\n")
	m.Unit("inactive.service", lasting)
	m.Unit("once.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n")
	m.Unit("stays.service", "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n")
	m.Unit("java.service", "[Service]\nExecStart=/bin/sh -c 'trap \"exit 143\" TERM; : >/run/java; while :; do sleep 0.1; done'\n")
	m.Unit("known-sick.service", failing)
	m.Unit("wanting.service", lasting+"[Unit]\nWants=absent.service\n")
	for _, name := range []string{"kubelet", "once", "stays", "java", "wanting"} {
		m.Systemctl("start", name+".service")
	}
	m.Run("sh", "-c", "until [ -e /run/java ]; do sleep 0.02; done")
	quiet(t, units, "at the first look")
	m.Systemctl("restart", "kubelet.service")
	m.Systemctl("stop", "java.service")
	m.Systemctl("stop", "wanting.service")
	m.Systemctl("start", "--wait", "known-sick.service")
	m.Systemctl("start", "once.service")
	m.Run("sh", "-c", "systemd-run --unit=passing.service --wait /bin/false || :")
	quiet(t, units, "after a person was at work")
	if java, err := units.bus.Service(t.Context(), "java.service"); err != nil || java.Active != "failed" {
		t.Errorf("the service that ends with 143 was to be in the state failed: %+v, %v", java, err)
	}
}

func quiet(t *testing.T, u *units, when string) {
	t.Helper()
	found, err := u.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		if e.State != evidence.Inapplicable || e.Reason != reason.ContainerdRepeatedRestart {
			t.Errorf("%s: %+v", when, e)
		}
	}
}

// Each restart counts, and a person's start begins the count anew.
func TestRestarted(t *testing.T) {
	u := &units{}
	if told := u.restarted("a.service", 7); len(told) != 0 {
		t.Errorf("the first look, which cannot tell when they were: %v", told)
	}
	u.restarts = map[string]uint32{"a.service": 7}
	var counts []int
	for _, count := range []uint32{7, 9, 2, 0, 1000} {
		counts = append(counts, len(u.restarted("a.service", count)))
	}
	counts = append(counts, len(u.restarted("new.service", 1)))
	if diff := cmp.Diff([]int{0, 2, 2, 0, maxRestarts, 1}, counts); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutSystemd(t *testing.T) {
	u := &units{bus: systemd.New(host.Host{Root: t.TempDir()})}
	found, err := u.find(t.Context())
	var told []reason.ID
	for _, e := range found {
		if e.State == evidence.Inapplicable {
			told = append(told, e.Reason)
		}
	}
	if err != nil || !slices.Equal(told, u.reasons()) {
		t.Errorf("a host without systemd: %v, %v", found, err)
	}
}

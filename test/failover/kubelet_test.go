package failover

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/lab/nodes"
)

const kubeletService = "kubelet.service"

// kubeletUnit is the kubelet's unit: its process plays the kubelet's ports in the machine's network namespace.
const kubeletUnit = `[Service]
NetworkNamespacePath=%s
Environment=%s=%s:10250
ExecStart=%s
Restart=on-failure
`

// kubeletRestarted stops the kubelets of two workers for good, as story 2 does, with systemctl. The policy of one consents to the restart of a
// kubelet that was stopped, that of the other only to the restart of one that failed, which then happens. No pod of either is evicted.
func (b *fixture) kubeletRestarted(t *testing.T) {
	t.Helper()
	if err := unix.Mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, ""); err != nil { // Alone's /sys has none.
		t.Fatal(err)
	}
	healed, left := b.machines[1], b.machines[2]
	b.consent(t, healed, "KubeletFailed", "KubeletStopped")
	b.consent(t, left, "KubeletFailed")
	ofHealed, ofLeft := healed.startSystemd(t), left.startSystemd(t)
	b.watched(t)
	before := b.uids(t)
	began := time.Now()
	ofLeft.stop(t)
	ofHealed.stop(t)
	var unready time.Duration
	eventually(t, "the kubelet runs again, and its node is Ready", func() error {
		if unready == 0 && condition(b.get(t, healed)) != corev1.ConditionTrue {
			unready = time.Since(began)
		}
		if diff := cmp.Diff(before, b.uids(t)); diff != "" {
			t.Fatalf("pods have changed (-before +now):\n%s", diff)
		}
		if err := ofHealed.runs(t); err != nil {
			return err
		}
		return b.heartbeatAfter(t, healed, began)
	})
	t.Logf("measured kubelet-restart: %.1f s; found not ready after %.1f s (0: it was not)", time.Since(began).Seconds(), unready.Seconds())
	eventually(t, "the other's agent reports that its kubelet was stopped", func() error {
		if said := reported(b.get(t, left)); !strings.Contains(said, "False KubeletStopped") {
			return errors.New(said)
		}
		return nil
	})
	during(t, seen, func() {
		if state := ofLeft.active(); state != "inactive" {
			t.Fatalf("without consent, %s of %s is %s", kubeletService, left.node.Name, state)
		}
	})
	var all v1alpha1.RemediationList
	if err := b.client.List(t.Context(), &all); err != nil || len(all.Items) != 1 || all.Items[0].Spec.Node.Name != healed.node.Name {
		t.Errorf("the Remediations: %+v, %v", all.Items, err)
	}
	ofLeft.units.Systemctl("start", kubeletService)
	if err := ofLeft.runs(t); err != nil {
		t.Error(err)
	}
	eventually(t, "the other's kubelet reports", func() error { return b.heartbeatAfter(t, left, began) })
	began = time.Now()
	ofLeft.crash(t)
	eventually(t, "the kubelet that failed runs again, and its node is Ready", func() error {
		if err := ofLeft.runs(t); err != nil {
			return err
		}
		return b.heartbeatAfter(t, left, began)
	})
	t.Logf("a kubelet that failed ran again after %.1f s", time.Since(began).Seconds())
	ofHealed.end(t)
	ofLeft.end(t)
	b.watched(t)
	if diff := cmp.Diff(before, b.uids(t)); diff != "" {
		t.Errorf("pods have changed (-before +now):\n%s", diff)
	}
}

// consent creates a policy that has the kubelet of a machine restarted at once for some reasons.
func (b *fixture) consent(t *testing.T, m *machine, reasons ...string) {
	t.Helper()
	b.create(t, &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "kubelet-" + m.node.Name}, Spec: v1alpha1.NodeRepairPolicySpec{
		Mode: v1alpha1.ModeAuto, NodeSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: m.node.Labels[corev1.LabelHostname]}},
		Rules: []v1alpha1.RepairRule{{
			Name: "kubelet", Condition: "ContainerRuntimeReady", Status: metav1.ConditionFalse, Reasons: reasons, Action: v1alpha1.ActionRestartService, Service: kubeletService,
		}},
		NodeStartupGracePeriod: &metav1.Duration{},
		// The repair of one is still verified when that of the other begins.
		Budgets: v1alpha1.Budgets{Zone: new(intstr.FromInt32(2)), Group: new(intstr.FromInt32(2)), Cluster: new(intstr.FromInt32(2))},
	}})
}

// reported is what the agent reports of the container runtime and the kubelet.
func reported(node *corev1.Node) string {
	for _, c := range node.Status.Conditions {
		if c.Type == "ContainerRuntimeReady" {
			return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
		}
	}
	return "nothing"
}

// heartbeatAfter is an error unless a node is Ready, as its kubelet has reported after a time.
func (b *fixture) heartbeatAfter(t *testing.T, m *machine, after time.Time) error {
	t.Helper()
	for _, c := range b.get(t, m).Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && c.LastHeartbeatTime.After(after) {
			return nil
		}
	}
	return fmt.Errorf("the kubelet of %s does not report", m.node.Name)
}

// systemd is a machine's, with the kubelet's unit.
type systemd struct {
	*machine
	units *systemdtest.Machine
}

// startSystemd gives a machine a systemd that runs the kubelet, and restarts its agent beside it.
func (m *machine) startSystemd(t *testing.T) *systemd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	namespace := m.file(t, "net-"+m.node.Name, nil)
	if err := unix.Mount(fmt.Sprintf("/proc/%d/ns/net", m.holder.Process.Pid), namespace, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(namespace, unix.MNT_DETACH) })
	s := &systemd{machine: m, units: systemdtest.Start(t)}
	m.port.kill()
	s.units.Unit(kubeletService, fmt.Sprintf(kubeletUnit, namespace, portKeeper, m.address, self))
	s.units.Systemctl("start", kubeletService)
	m.agent.end(t)
	m.root = s.units.Host.Root
	m.fill(t)
	if err := os.MkdirAll(filepath.Join(m.root, "var/lib/kubelet"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.startAgent(t)
	return s
}

// active is systemd's ActiveState of the kubelet's unit.
func (s *systemd) active() string {
	return strings.TrimSpace(s.units.Run("systemctl", "show", "--property=ActiveState", "--value", kubeletService))
}

// stop stops the unit, and with it the lab's kubelet; containers run on.
func (s *systemd) stop(t *testing.T) {
	t.Helper()
	s.units.Systemctl("stop", kubeletService)
	s.state(t, nodes.KubeletDown)
}

// crash kills the unit's process until systemd gives up, and stops the lab's kubelet; containers run on.
func (s *systemd) crash(t *testing.T) {
	t.Helper()
	s.state(t, nodes.KubeletDown)
	eventually(t, "systemd gives up", func() error {
		state := s.active()
		if state == "active" {
			s.units.Systemctl("kill", "--signal=KILL", kubeletService)
		}
		if state != "failed" {
			return fmt.Errorf("%s is %s", kubeletService, state)
		}
		return nil
	})
}

// runs is an error unless the unit is active. Then the lab's kubelet runs, too.
func (s *systemd) runs(t *testing.T) error {
	t.Helper()
	if state := s.active(); state != "active" {
		return fmt.Errorf("%s is %s; the agent reports %s", kubeletService, state, reported(s.get(t, s.machine)))
	}
	s.state(t, nodes.On)
	return nil
}

// end gives the machine back its kubelet and agent without systemd.
func (s *systemd) end(t *testing.T) {
	t.Helper()
	s.agent.end(t)
	s.units.Systemctl("stop", kubeletService)
	s.startPort(t)
	s.root = filepath.Join(s.folder, "root")
	s.startAgent(t)
}

package reporting

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// slow is a service that is ready once its gate is written to, and records each start.
const slow = `[Service]
Type=notify
NotifyAccess=all
ExecStart=/bin/sh -c 'echo start >>/run/starts; read x </run/gate; systemd-notify --ready; exec sleep infinity'
`

// TestWork is a whole agent at work: the binary, in a network namespace, beside a systemd of the test's, with the token of its pod.
func TestWork(t *testing.T) {
	agenttest.Need(t, "ip", "nsenter", "/lib/systemd/systemd", "dbus-daemon", "systemctl")
	if !agenttest.Alone(t) {
		return
	}
	m := newMachine(t, "n1")
	units := m.serviced()
	env := testbed.Fresh(t, controlplane.Options{BindAddress: serverAddress, Flags: testbed.WithoutKubelets()})
	apply(t, env.AdminConfig(), "access.yaml")
	apply(t, env.AdminConfig(), "policy.yaml")
	node(t, env.Client, m.name)
	m.kubeconfig = kubeconfig(t, env.AdminConfig(), strings.Replace(env.AdminConfig().Host, "127.0.0.1", serverAddress, 1), token(t, env.Client, m.name))
	m.start()
	m.shows(env, corev1.ConditionTrue, "NoFault")
	testbed.Eventually(t, func() error {
		if said := strings.Count(m.log.String(), "watch the Remediations of node n1"); said != 1 {
			return fmt.Errorf("that there are no Remediations was said %d times\n%s", said, m.log)
		}
		return nil
	})
	m.stop()
	c := defined(t, env)
	m.start()
	m.drills(env, c)
	m.restarts(env, c, units)
	m.killed(env, c, units)
	m.stop()
}

// serviced gives the machine a systemd, and the agent a host whose it is.
func (m *machine) serviced() *systemdtest.Machine {
	m.t.Helper()
	if err := unix.Mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, ""); err != nil { // Alone's /sys has none.
		m.t.Fatal(err)
	}
	units := systemdtest.Start(m.t)
	units.Unit("containerd.service", "[Service]\nExecStart=/bin/sleep infinity\n")
	units.Unit("slow.service", slow)
	for _, system := range []string{"/proc", "/sys", "/dev"} {
		if err := os.MkdirAll(units.Host.Path(system), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := unix.Mount(system, units.Host.Path(system), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			m.t.Fatal(err)
		}
		m.t.Cleanup(func() { _ = unix.Unmount(units.Host.Path(system), unix.MNT_DETACH) })
	}
	config := filepath.Join(m.t.TempDir(), "agent.yaml")
	text := "work: {services: [containerd.service, slow.service]}\nreasons: {InterfaceNotUp: {needs: {for: 2s}}, SoftLockup: {severity: fatal, needs: {count: 2}}}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.flags = []string{"--host-root", units.Host.Root, "--config", config}
	return units
}

// reports waits until the agent's last word on a Remediation.
func (m *machine) reports(c client.Client, r *v1alpha1.Remediation) v1alpha1.AgentReport {
	m.t.Helper()
	return m.says(c, r, v1alpha1.AgentDone, v1alpha1.AgentFailed, v1alpha1.AgentRefused)
}

func (m *machine) says(c client.Client, r *v1alpha1.Remediation, any ...v1alpha1.AgentState) v1alpha1.AgentReport {
	m.t.Helper()
	testbed.Eventually(m.t, func() error {
		if err := c.Get(m.t.Context(), client.ObjectKeyFromObject(r), r); err != nil {
			return err
		}
		if said := r.Status.Agent; said == nil || !slices.Contains(any, said.State) {
			return fmt.Errorf("of %s the agent says %+v\n%s", r.Name, said, m.log)
		}
		return nil
	})
	m.t.Logf("%s: %+v", r.Name, *r.Status.Agent)
	return *r.Status.Agent
}

func (m *machine) node(env *testbed.Environment) *corev1.Node {
	m.t.Helper()
	n, err := env.Client.CoreV1().Nodes().Get(m.t.Context(), m.name, metav1.GetOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}

// drills tries the chain, and looks on that the node's real conditions and Events have no part in it.
func (m *machine) drills(env *testbed.Environment, c client.Client) {
	n := m.node(env)
	conditions := m.watched(env)
	for _, reason := range []string{"InterfaceNotUp", "SoftLockup"} {
		r := drill(m.name, n.UID)
		r.Name, r.Spec.Drill.Reason = strings.ToLower(reason), reason
		said := m.reports(c, made(m.t, c, r))
		if said.State != v1alpha1.AgentDone || len(said.Hops) != 4 || said.Version == "" {
			m.t.Errorf("%s: %+v", reason, said)
			continue
		}
		for i, name := range []v1alpha1.HopName{v1alpha1.HopFault, v1alpha1.HopDetect, v1alpha1.HopEvidence, v1alpha1.HopReport} {
			if hop := said.Hops[i]; hop.Name != name || hop.By == "" || i > 0 && hop.At.Time.Before(said.Hops[i-1].At.Time) {
				m.t.Errorf("%s: hop %d is %+v", reason, i, hop)
			}
		}
		if e := said.Evidence; e.Status != metav1.ConditionFalse || e.Reason != reason || !strings.Contains(e.Message, "drill "+r.Spec.Drill.Nonce) {
			m.t.Errorf("%s: the evidence is %+v", reason, e)
		}
	}
	if seen := slices.Compact(conditions()); !slices.Equal(seen, []string{"True NoFault"}) {
		m.t.Errorf("meanwhile NetworkingReady was %q", seen)
	}
	list, err := env.Client.CoreV1().Events("default").List(m.t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + m.name})
	if err != nil || slices.ContainsFunc(list.Items, func(e corev1.Event) bool { return e.Reason == "InterfaceNotUp" || e.Reason == "SoftLockup" }) {
		m.t.Errorf("the node's Events tell of it: %+v, %v", list.Items, err)
	}
	if knows, err := m.knows("eth1"); knows || err != nil {
		m.t.Errorf("the agent holds that eth1 is down (%v)", err)
	}
	r := drill(m.name, n.UID)
	r.Name, r.Spec.Drill.Reason = "disk", "DiskProbeFailed"
	if said := m.reports(c, made(m.t, c, r)); said.State != v1alpha1.AgentRefused || !strings.Contains(said.Message, "no harmless fault for this reason") {
		m.t.Errorf("of a disk: %+v", said)
	}
}

// watched records every state of NetworkingReady, until the function that it returns is called, which returns them.
func (m *machine) watched(env *testbed.Environment) func() []string {
	m.t.Helper()
	var seen []string
	var following sync.WaitGroup
	w, err := env.Client.CoreV1().Nodes().Watch(m.t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + m.name})
	if err != nil {
		m.t.Fatal(err)
	}
	following.Go(func() {
		for event := range w.ResultChan() {
			if n, is := event.Object.(*corev1.Node); is {
				for _, c := range n.Status.Conditions {
					if c.Type == "NetworkingReady" {
						seen = append(seen, string(c.Status)+" "+c.Reason)
					}
				}
			}
		}
	})
	return func() []string { w.Stop(); following.Wait(); return seen }
}

// restarts has services restarted that may be, and others not.
func (m *machine) restarts(env *testbed.Environment, c client.Client, units *systemdtest.Machine) {
	n := m.node(env)
	units.Systemctl("start", "containerd.service")
	before := units.Run("systemctl", "show", "--property=InvocationID", "containerd.service")
	for _, service := range []string{"containerd.service", "dbus.service"} {
		r := restart(m.name, n.UID, service)
		r.Status = acting()
		said, want := m.reports(c, made(m.t, c, r)), v1alpha1.AgentDone
		if service == "dbus.service" {
			want = v1alpha1.AgentRefused
		}
		if said.State != want || !strings.Contains(said.Message, service) {
			m.t.Errorf("%s: %+v", service, said)
		}
	}
	if after := units.Run("systemctl", "show", "--property=InvocationID", "containerd.service"); after == before {
		m.t.Errorf("it was not restarted: %s", after)
	}
}

// killed ends the agent while a service that it has restarted is starting. Its next run waits for that, and does not restart
// it again.
func (m *machine) killed(env *testbed.Environment, c client.Client, units *systemdtest.Machine) {
	if err := unix.Mkfifo(units.Host.Path("/run/gate"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	starts := func() string {
		noted, _ := os.ReadFile(units.Host.Path("/run/starts"))
		return string(noted)
	}
	r := restart(m.name, m.node(env).UID, "slow.service")
	r.Status = acting()
	m.says(c, made(m.t, c, r), v1alpha1.AgentAccepted)
	testbed.Eventually(m.t, func() error {
		if starts() == "" {
			return fmt.Errorf("the service is not begun\n%s", m.log)
		}
		return nil
	})
	_ = m.agent.Process.Signal(syscall.SIGKILL)
	_ = m.agent.Wait() // it was killed
	m.start()
	gate, err := os.OpenFile(units.Host.Path("/run/gate"), os.O_WRONLY, 0) // Waits for the service.
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := gate.WriteString("open\n"); err != nil {
		m.t.Error(err)
	}
	_ = gate.Close()
	if said := m.reports(c, r); said.State != v1alpha1.AgentDone {
		m.t.Errorf("the agent that was started again says %+v", said)
	}
	if noted := starts(); noted != "start\n" {
		m.t.Errorf("the service was started so often:\n%s", noted)
	}
}

package reporting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// patience ends waits for what will not come. How soon something came is logged and not judged: it is the machine's doing too.
const patience = testbed.Patience

const serverAddress, nodeAddress = "10.77.0.1", "10.77.0.2"

// machine is a network namespace with a way to the API server and two links of its own, and the agent that watches it.
type machine struct {
	t          *testing.T
	name       string
	pid        string
	binary     string
	kubeconfig string
	state      string
	flags      []string // more of the agent's
	agent      *exec.Cmd
	log        *log
}

// log is what an agent prints.
type log struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

// newMachine makes the namespace. It goes with the process that holds it.
func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	holder := exec.CommandContext(t.Context(), "sleep", "infinity")
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	m := &machine{t: t, name: name, pid: strconv.Itoa(holder.Process.Pid), state: t.TempDir(), binary: program.Need(t, "naosu-agent"), log: &log{}}
	sh(t, "ip", "link", "add", "api0", "type", "veth", "peer", "name", "api0", "netns", m.pid)
	sh(t, "ip", "address", "add", serverAddress+"/30", "dev", "api0")
	sh(t, "ip", "link", "set", "api0", "up")
	m.ip("link", "set", "lo", "up")
	m.ip("address", "add", nodeAddress+"/30", "dev", "api0")
	m.ip("link", "set", "api0", "up")
	for _, i := range []string{"1", "2"} {
		m.ip("link", "add", "eth"+i, "type", "veth", "peer", "name", "peer"+i)
		m.ip("link", "set", "peer"+i, "up")
		m.ip("link", "set", "eth"+i, "up")
	}
	return m
}

func sh(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}

// ip runs it in the machine's namespace.
func (m *machine) ip(args ...string) {
	m.t.Helper()
	sh(m.t, append([]string{"nsenter", "-t", m.pid, "-n", "ip"}, args...)...)
}

// start runs the agent.
func (m *machine) start() {
	m.t.Helper()
	args := []string{"-t", m.pid, "-n", m.binary, "--node-name", m.name, "--kubeconfig", m.kubeconfig, "--state", m.state}
	m.agent = exec.CommandContext(m.t.Context(), "nsenter", append(args, m.flags...)...)
	m.agent.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	m.agent.Stdout, m.agent.Stderr = m.log, m.log
	if err := m.agent.Start(); err != nil {
		m.t.Fatal(err)
	}
}

// stop ends the agent as a kubelet would.
func (m *machine) stop() {
	m.t.Helper()
	if err := m.agent.Process.Signal(syscall.SIGTERM); err != nil {
		m.t.Error(err)
	}
	if err := m.agent.Wait(); err != nil {
		m.t.Errorf("the agent ended with %v\n%s", err, m.log)
	}
}

// knows says whether the agent's evidence, as it keeps it, has a link down.
func (m *machine) knows(link string) (bool, error) {
	data, err := os.ReadFile(filepath.Join(m.state, "evidence.json"))
	if err != nil {
		return false, err
	}
	var kept struct {
		Entries []struct {
			Reason, Entity string
			Since          time.Time
		}
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		return false, err
	}
	for _, e := range kept.Entries {
		if e.Reason == "InterfaceNotUp" && e.Entity == link && !e.Since.IsZero() {
			return true, nil
		}
	}
	return false, nil
}

// shows waits until the Node's NetworkingReady has a status, and, if one is given, a reason.
func (m *machine) shows(env *testbed.Environment, status corev1.ConditionStatus, why string) corev1.NodeCondition {
	m.t.Helper()
	var found corev1.NodeCondition
	defer func() {
		if m.t.Failed() {
			m.t.Logf("the agent says:\n%s", m.log)
		}
	}()
	testbed.Eventually(m.t, func() error {
		n, err := env.Client.CoreV1().Nodes().Get(m.t.Context(), m.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range n.Status.Conditions {
			if c.Type == "NetworkingReady" {
				found = c
			}
		}
		if found.Status != status || why != "" && found.Reason != why {
			return fmt.Errorf("NetworkingReady is %s, %s: %s", found.Status, found.Reason, found.Message)
		}
		return nil
	})
	return found
}

// events are how many Events a reason and link have, by the message's beginning.
func (m *machine) events(env *testbed.Environment, link string) ([]corev1.Event, error) {
	list, err := env.Client.CoreV1().Events("default").List(m.t.Context(), metav1.ListOptions{FieldSelector: "reason=InterfaceNotUp,involvedObject.name=" + m.name})
	if err != nil {
		return nil, err
	}
	var found []corev1.Event
	for _, e := range list.Items {
		if strings.HasPrefix(e.Message, link+": ") {
			found = append(found, e)
		}
	}
	return found, nil
}

// TestInterfaceNotUp is a whole agent: the binary, in a network namespace, with the token of its pod on a lab node.
func TestInterfaceNotUp(t *testing.T) {
	agenttest.Need(t, "ip", "nsenter")
	if !agenttest.Alone(t) {
		return
	}
	m := newMachine(t, "n1")
	env := testbed.Fresh(t, controlplane.Options{BindAddress: serverAddress, Flags: testbed.WithoutKubelets()})
	apply(t, env.AdminConfig(), "access.yaml")
	apply(t, env.AdminConfig(), "policy.yaml")
	node(t, env.Client, m.name)
	server := strings.Replace(env.AdminConfig().Host, "127.0.0.1", serverAddress, 1)
	m.kubeconfig = kubeconfig(t, env.AdminConfig(), server, token(t, env.Client, m.name))

	m.start()
	m.shows(env, corev1.ConditionTrue, "NoFault")

	down := time.Now()
	m.ip("link", "set", "eth1", "down")
	fault := m.shows(env, corev1.ConditionFalse, "InterfaceNotUp")
	t.Logf("False %.1f s after the link was set down: %s", time.Since(down).Seconds(), fault.Message)
	lines := reason.Parse(fault.Message)
	if len(lines) != 1 || lines[0].Reason != "InterfaceNotUp" || lines[0].Entity != "eth1" || lines[0].Since.Before(down.Truncate(time.Second)) {
		t.Errorf("the message tells %+v", lines)
	}

	// A restart of the agent changes nothing: the evidence is kept, and a repairer's clock runs on.
	m.stop()
	m.start()
	m.ip("link", "set", "eth2", "down")
	testbed.Eventually(t, func() error {
		c := m.shows(env, corev1.ConditionFalse, "InterfaceNotUp")
		again := reason.Parse(c.Message)
		if len(again) < 2 {
			return errors.New("the agent that was started again has not told of eth2 yet")
		}
		if !c.LastTransitionTime.Equal(&fault.LastTransitionTime) || again[0] != lines[0] {
			t.Errorf("after a restart the transition is at %v and it tells %+v; they were %v and %+v", c.LastTransitionTime, again[0], fault.LastTransitionTime, lines[0])
		}
		return nil
	})
	m.ip("link", "set", "eth2", "up")
	m.awaits("eth2", false)

	up := time.Now()
	m.ip("link", "set", "eth1", "up")
	m.shows(env, corev1.ConditionTrue, "NoFault")
	t.Logf("True %.1f s after the link was set up", time.Since(up).Seconds())

	// A fault that comes and goes while the API server is away is reported when it is back.
	if err := env.StopComponent(t.Context(), controlplane.APIServer); err != nil {
		t.Fatal(err)
	}
	m.ip("link", "set", "eth2", "down")
	m.awaits("eth2", true)
	m.ip("link", "set", "eth2", "up")
	m.awaits("eth2", false)
	m.ip("link", "set", "eth1", "down")
	m.awaits("eth1", true)
	if err := env.StartComponent(t.Context(), controlplane.APIServer); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	m.shows(env, corev1.ConditionFalse, "InterfaceNotUp")
	t.Logf("False again %.1f s after the API server's return", time.Since(back).Seconds())
	for link, want := range map[string]int{"eth1": 2, "eth2": 2} {
		testbed.Eventually(t, func() error {
			if found, err := m.events(env, link); err != nil || len(found) != want {
				return fmt.Errorf("%d events of %s, want %d (%w)\n%s", len(found), link, want, err, m.log)
			}
			return nil
		})
	}
	m.stop()
}

// awaits waits until the agent holds, or holds no more, that a link is down.
func (m *machine) awaits(link string, down bool) {
	m.t.Helper()
	testbed.Eventually(m.t, func() error {
		if knows, err := m.knows(link); err != nil || knows != down {
			return fmt.Errorf("the agent holds that %s is down: %v (%w)\n%s", link, knows, err, m.log)
		}
		return nil
	})
}

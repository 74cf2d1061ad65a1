package failover

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/test/program"
)

// machine is a node's network namespace and what runs in it.
type machine struct {
	*fixture
	node    corev1.Node
	address string // the node's InternalIP
	link    string // its link's end at the bridge
	folder  string
	root    string   // what the agent takes for the host's root
	holder  *process // keeps the namespace
	port    *process // plays the kubelet's port; nil if nothing listens there
	agent   *process
}

// newMachine is a node's, booted and without an agent.
func newMachine(t *testing.T, b *fixture, node corev1.Node) *machine {
	t.Helper()
	m := &machine{fixture: b, node: node, folder: t.TempDir()}
	m.root = filepath.Join(m.folder, "root")
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			m.address = a.Address
		}
	}
	m.boot(t)
	return m
}

// boot makes the namespace, with the kubelet's port.
func (m *machine) boot(t *testing.T) {
	t.Helper()
	m.link = fmt.Sprintf("node%d", m.links)
	m.links++
	holder := exec.CommandContext(m.ctx, "sleep", "infinity")
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	m.holder = m.start(t, holder)
	sh(t, "ip", "link", "add", m.link, "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(m.holder.Process.Pid))
	sh(t, "ip", "link", "set", m.link, "master", bridge, "up")
	m.sh(t, "ip", "link", "set", "lo", "up")
	m.sh(t, "ip", "address", "add", m.address+"/16", "dev", "eth0")
	m.sh(t, "ip", "link", "set", "eth0", "up")
	m.fill(t)
	m.startPort(t)
}

// fill makes what the agent sees of the host: its boot, and else next to nothing.
func (m *machine) fill(t *testing.T) {
	t.Helper()
	for file, text := range map[string]string{
		filepath.Join(m.root, "proc/sys/kernel/random/boot_id"): m.node.Status.NodeInfo.BootID + "\n",
		filepath.Join(m.root, "proc/stat"):                      "btime 1700000000\n",
		filepath.Join(m.folder, "state/.keep"):                  "",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// command is a program in the namespace.
func (m *machine) command(args ...string) *exec.Cmd {
	return exec.CommandContext(m.ctx, "nsenter", append([]string{"-t", strconv.Itoa(m.holder.Process.Pid), "-n"}, args...)...)
}

func (m *machine) sh(t *testing.T, args ...string) {
	t.Helper()
	sh(t, m.command(args...).Args...)
}

// startPort has the kubelet's port accept connections.
func (m *machine) startPort(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := m.command(self)
	cmd.Env = append(os.Environ(), portKeeper+"="+m.address+":10250")
	m.port = m.start(t, cmd)
	eventually(t, "the kubelet's port of "+m.node.Name+" is open", func() error {
		if len(m.port.log.lines(0)) == 0 {
			return fmt.Errorf("nothing listens")
		}
		return nil
	})
}

// startAgent runs the agent, with the token of its pod and a stream to each replica.
func (m *machine) startAgent(t *testing.T) {
	t.Helper()
	var addresses []string
	for _, r := range m.replicas {
		addresses = append(addresses, r.on.beats())
	}
	m.startAgentTo(t, addresses...)
}

// startAgentTo runs it with other addresses of the replicas.
func (m *machine) startAgentTo(t *testing.T, addresses ...string) {
	t.Helper()
	cmd := m.command(program.Need(t, "naosu-agent"), "--node-name", m.node.Name, "--kubeconfig", m.kubeconfig(t, m.node.Name, m.agentToken(t, m.node)),
		"--state", filepath.Join(m.folder, "state"), "--host-root", m.root, "--heartbeat-address", strings.Join(addresses, ","),
		"--heartbeat-token-file", m.heartbeatToken(t, m.node), "--heartbeat-ca-file", m.authority(t))
	m.agent = m.start(t, cmd)
}

// powerOff ends a machine as the loss of power does: nothing that it held says goodbye.
func (m *machine) powerOff(t *testing.T) {
	t.Helper()
	m.network.drop(t, m.everything()...)
	m.state(t, nodes.Off)
	for _, p := range m.runs() {
		p.kill()
	}
	m.replicas = slices.DeleteFunc(m.replicas, func(r *replica) bool { return r.on == m })
}

// reboot starts a machine whose power is back, with its agent. A process that was left in its old namespace must not answer for it.
func (m *machine) reboot(t *testing.T) {
	t.Helper()
	_ = exec.CommandContext(m.ctx, "ip", "link", "delete", m.link).Run() // It is gone with the namespace if nothing was left in that.
	m.node = *m.get(t, m)
	m.boot(t)
	m.startAgent(t)
}

// runs are the processes of the machine, the one that keeps its namespace last.
func (m *machine) runs() []*process {
	var all []*process
	for _, r := range m.replicas {
		if r.on == m {
			all = append(all, r.process)
		}
	}
	return append(all, m.agent, m.port, m.holder)
}

// pause pauses all processes of a machine, and its kubelet; its kernel goes on.
func (m *machine) pause(t *testing.T) {
	t.Helper()
	m.state(t, nodes.CutOff)
	for _, p := range m.runs() {
		p.signal(t, syscall.SIGSTOP)
	}
}

func (m *machine) resume(t *testing.T) {
	t.Helper()
	for _, p := range m.runs() {
		p.signal(t, syscall.SIGCONT)
	}
	m.state(t, nodes.On)
}

// state brings the node's simulated kubelet and containers into a state.
func (m *machine) state(t *testing.T, s nodes.State) {
	t.Helper()
	if _, err := m.lab.Fault(lab.Target{Node: m.node.Name}, s); err != nil {
		t.Fatal(err)
	}
}

// stopKubelet ends the kubelet; containers run on, and the kernel refuses connections to its port.
func (m *machine) stopKubelet(t *testing.T) {
	t.Helper()
	m.state(t, nodes.KubeletDown)
	m.port.kill()
}

func (m *machine) startKubelet(t *testing.T) {
	t.Helper()
	m.startPort(t)
	m.state(t, nodes.On)
}

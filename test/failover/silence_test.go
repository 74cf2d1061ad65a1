package failover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/nodeliveness"
	"github.com/naosu-dev/naosu/lab/nodes"
)

const (
	// unseen is for how long a fault lasts in which a node stays alive or is not watched: longer than silence takes, and than an inquiry.
	unseen = 7 * time.Second
	// seen is for how long it lasts after it was seen what the controller takes the node for.
	seen = 2 * time.Second
)

// fault is one in which no pod may be deleted.
type fault struct {
	name   string
	strike func(t *testing.T, m *machine)
	// state is what the controller then takes nodes for, and count how many; empty if all stay alive, or if it cannot say.
	state nodeliveness.State
	count int
	// lasts is how long after that it lasts.
	lasts time.Duration
	heal  func(t *testing.T, m *machine)
}

// faults are of one worker's machine, or of the controller.
var faults = []fault{
	{
		name: "agents stopped and killed", state: nodeliveness.NotWatched, count: 2, lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.agent.end(t); m.other().agent.kill() },
		heal:   func(t *testing.T, m *machine) { m.startAgent(t); m.other().startAgent(t) },
	},
	{
		name: "agent paused", state: nodeliveness.Reachable, count: 1, lasts: seen,
		strike: func(t *testing.T, m *machine) { m.agent.signal(t, syscall.SIGSTOP) },
		heal:   func(t *testing.T, m *machine) { m.agent.signal(t, syscall.SIGCONT) },
	},
	{
		name: "kubelet stopped", lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.stopKubelet(t) },
		heal:   func(t *testing.T, m *machine) { m.startKubelet(t) },
	},
	{
		// The kernel refuses connections, which is an answer.
		name: "kubelet stopped and agent paused", state: nodeliveness.Reachable, count: 1, lasts: seen,
		strike: func(t *testing.T, m *machine) { m.stopKubelet(t); m.agent.signal(t, syscall.SIGSTOP) },
		heal:   func(t *testing.T, m *machine) { m.startKubelet(t); m.agent.signal(t, syscall.SIGCONT) },
	},
	{
		name: "cut off from the API server", lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.calls()...); m.state(t, nodes.CutOff) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t); m.state(t, nodes.On) },
	},
	{
		name: "cut off from the controller", state: nodeliveness.Reachable, count: 1, lasts: seen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.sends(), m.receives()) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		name: "heartbeats lost", state: nodeliveness.Reachable, count: 1, lasts: seen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.sends()) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		// The agent's kernel sends nothing new while nothing is acknowledged.
		name: "acknowledgements lost", state: nodeliveness.Reachable, count: 1, lasts: seen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.receives()) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		name: "a tenth of all packets lost", lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.some(10)...) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		name: "two machines cut off", state: nodeliveness.Correlated, count: 2, lasts: seen,
		strike: func(t *testing.T, m *machine) {
			m.network.drop(t, append(m.everything(), m.other().everything()...)...)
			m.state(t, nodes.CutOff)
			m.other().state(t, nodes.CutOff)
		},
		heal: func(t *testing.T, m *machine) {
			m.network.drop(t)
			m.state(t, nodes.On)
			m.other().state(t, nodes.On)
		},
	},
	{
		name: "the controller's machine cut off", lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.own.everything()...) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		name: "controller starved of CPU", lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.starve(t) },
		heal:   func(_ *testing.T, m *machine) { m.feed() },
	},
	{
		name: "stream delayed", state: nodeliveness.Reachable, count: 1, lasts: seen,
		strike: func(t *testing.T, m *machine) {
			m.agent.end(t)
			eventually(t, "the old stream has ended", func() error { return m.counts(t, nodeliveness.NotWatched, 1) })
			m.startAgentTo(t, m.delay.address)
			m.watched(t)
			m.delay.by(time.Minute)
		},
		heal: func(t *testing.T, m *machine) { m.delay.by(0); m.agent.end(t); m.startAgent(t) },
	},
	{
		name: "controller paused", lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.naosu.signal(t, syscall.SIGSTOP) },
		heal:   func(t *testing.T, m *machine) { m.naosu.signal(t, syscall.SIGCONT) },
	},
}

// TestSilence breaks one machine after another in ways in which no pod may be replaced, the last of which naosu heals, and
// then takes one's power.
func TestSilence(t *testing.T) {
	if !alone(t) {
		return
	}
	b := newFixture(t)
	b.watched(t)
	for i, f := range faults {
		if !t.Run(f.name, func(t *testing.T) { b.harmless(t, f, b.machines[i%len(b.machines)]) }) {
			return // What follows needs a cluster that is as it was.
		}
	}
	if !t.Run("kubelet stopped for good", b.kubeletRestarted) {
		return
	}
	t.Run("power off", func(t *testing.T) { b.powerOff(t, b.machines[0]) })
}

// other is another worker than m.
func (m *machine) other() *machine {
	if m == m.machines[0] {
		return m.machines[1]
	}
	return m.machines[0]
}

// harmless strikes a machine, and sees that no pod is deleted, before all is well again or later.
func (b *fixture) harmless(t *testing.T, f fault, m *machine) {
	t.Helper()
	before := b.uids(t)
	untouched := func() {
		t.Helper()
		if diff := cmp.Diff(before, b.uids(t)); diff != "" {
			t.Fatalf("pods have changed (-before +now):\n%s", diff)
		}
	}
	f.strike(t, m)
	if f.state != "" {
		eventually(t, fmt.Sprintf("%d nodes are %s", f.count, f.state), func() error { untouched(); return b.counts(t, f.state, f.count) })
	}
	during(t, f.lasts, untouched)
	f.heal(t, m)
	b.watched(t)
	untouched()
	if declared := b.declared(t); len(declared) > 0 {
		t.Errorf("declared silent: %v", declared)
	}
}

// powerOff takes a machine's power: its pods are replaced while Kubernetes still takes it for ready, and no others are.
func (b *fixture) powerOff(t *testing.T, m *machine) {
	t.Helper()
	lost := map[string]bool{}
	before := b.uids(t)
	for _, p := range b.pods(t, "") {
		if p.Spec.NodeName == m.node.Name {
			lost[string(p.UID)] = true
		}
	}
	if len(lost) == 0 {
		t.Fatal("no pod runs there")
	}
	began := time.Now()
	m.powerOff(t)
	eventually(t, "six pods are bound to other nodes", func() error {
		bound := 0
		for _, p := range b.pods(t, "") {
			if p.Spec.NodeName != "" && p.Spec.NodeName != m.node.Name && p.DeletionTimestamp == nil {
				bound++
			}
		}
		if bound != 6 {
			return fmt.Errorf("%d are", bound)
		}
		return nil
	})
	took := time.Since(began)
	if ready := condition(b.get(t, m)); ready != corev1.ConditionTrue {
		t.Errorf("Ready of the node is %s: its pods were replaced no sooner than Kubernetes would begin to", ready)
	}
	t.Logf("from power off to %d replacements bound: %.1f s", len(lost), took.Seconds())
	if declared := b.declared(t); !cmp.Equal(declared, []string{m.node.Name}) {
		t.Errorf("declared silent: %v, want %s", declared, m.node.Name)
	}
	now := b.uids(t)
	for uid := range before {
		if !lost[uid] && now[uid] != before[uid] {
			t.Errorf("%s, which ran elsewhere, is %q", before[uid], now[uid])
		}
	}
	// The machine boots again.
	m.network.drop(t)
	m.state(t, nodes.On)
	eventually(t, "the node is declared silent no more", func() error {
		if declared := b.declared(t); len(declared) > 0 {
			return fmt.Errorf("declared are %v", declared)
		}
		return nil
	})
}

// uids are story 2's pods with their nodes, and whether they end.
func (b *fixture) uids(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, p := range b.pods(t, "") {
		all[string(p.UID)] = p.Name + " on " + p.Spec.NodeName
		if p.DeletionTimestamp != nil {
			all[string(p.UID)] += ", terminating"
		}
	}
	return all
}

func (b *fixture) get(t *testing.T, m *machine) *corev1.Node {
	t.Helper()
	var node corev1.Node
	if err := b.client.Get(t.Context(), client.ObjectKey{Name: m.node.Name}, &node); err != nil {
		t.Fatal(err)
	}
	return &node
}

// declared are the nodes that the controller has declared silent, by their annotation or taint.
func (b *fixture) declared(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, m := range b.all() {
		node := b.get(t, m)
		is := node.Annotations[failoverpolicy.SilentAnnotation] != ""
		for _, taint := range node.Spec.Taints {
			is = is || taint.Key == failoverpolicy.SilentTaint.Key
		}
		if is {
			names = append(names, node.Name)
		}
	}
	return names
}

// watched waits until the controller judges nodes, and takes all of them for alive.
func (b *fixture) watched(t *testing.T) {
	t.Helper()
	eventually(t, "all nodes are watched and alive", func() error {
		b.restarted(t)
		return b.counts(t, nodeliveness.Alive, len(b.all()))
	})
}

// counts is an error unless the controller takes so many nodes for a state.
func (b *fixture) counts(t *testing.T, state nodeliveness.State, want int) error {
	t.Helper()
	body, err := get(t, "http://"+b.own.address+":8080/metrics")
	if err != nil {
		return err
	}
	if line := fmt.Sprintf("naosu_failover_nodes{liveness=%q} %d\n", state, want); !strings.Contains(body, line) {
		var all []string
		for line := range strings.SplitSeq(body, "\n") {
			if strings.HasPrefix(line, "naosu_failover_nodes{") {
				all = append(all, line)
			}
		}
		return errors.New(strings.Join(all, ", "))
	}
	return nil
}

// restarted starts the controller again if it has ended, as one that has lost its Lease does.
func (b *fixture) restarted(t *testing.T) {
	t.Helper()
	select {
	case <-b.naosu.ended:
		t.Log("the controller has lost its Lease, and is started again")
		b.startController(t)
	default:
	}
}

// during calls check again and again for a time.
func during(t *testing.T, d time.Duration, check func()) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), often, d, true, func(context.Context) (bool, error) { check(); return false, nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

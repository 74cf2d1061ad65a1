package failover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/nodeliveness"
	"github.com/naosu-dev/naosu/lab/nodes"
)

const (
	// unseen is for how long a fault lasts in which a node stays alive or is not watched: longer than silence takes, and than an inquiry.
	unseen = 7 * time.Second
	// seen is for how long it lasts after it was seen what the controller takes the node for.
	seen = 2 * time.Second
	// starved is for how long the controller gets too little CPU.
	starved = 30 * time.Second
)

// fault is one in which no pod may be deleted.
type fault struct {
	name   string
	strike func(t *testing.T, m *machine)
	// until is an error until the fault has shown what it is to show; nil if all stay alive, or if nobody can say.
	until func(t *testing.T, m *machine) error
	// lasts is how long after that it lasts.
	lasts time.Duration
	heal  func(t *testing.T, m *machine)
}

// faults are of two workers' machines, side by side where one does not disturb the other, or of the replica that leads.
var faults = []fault{
	{
		name: "agents stopped and killed", until: taken(nodeliveness.NotWatched, 2), lasts: unseen,
		strike: func(t *testing.T, m *machine) { m.agent.end(t); m.other().agent.kill() },
		heal:   func(t *testing.T, m *machine) { m.startAgent(t); m.other().startAgent(t) },
	},
	{
		// The kernel of the second accepts connections that nobody takes.
		name: "agent paused, and another machine's processes", until: taken(nodeliveness.Reachable, 2), lasts: seen,
		strike: func(t *testing.T, m *machine) { m.agent.signal(t, syscall.SIGSTOP); m.other().pause(t) },
		heal:   func(t *testing.T, m *machine) { m.agent.signal(t, syscall.SIGCONT); m.other().resume(t) },
	},
	{
		name: "kubelet stopped, another cut off from the API server, a tenth of a third's packets lost", lasts: unseen,
		strike: func(t *testing.T, m *machine) {
			m.stopKubelet(t)
			m.network.drop(t, append(m.other().calls(), m.host().some(10)...)...)
			m.other().state(t, nodes.CutOff)
		},
		heal: func(t *testing.T, m *machine) {
			m.startKubelet(t)
			m.network.drop(t)
			m.other().state(t, nodes.On)
		},
	},
	{
		// The kernel of the first refuses connections, which is an answer.
		name: "kubelet stopped and agent paused, and another cut off from the controller", until: taken(nodeliveness.Reachable, 2), lasts: seen,
		strike: func(t *testing.T, m *machine) {
			m.stopKubelet(t)
			m.agent.signal(t, syscall.SIGSTOP)
			m.network.drop(t, m.other().sends(), m.other().receives())
		},
		heal: func(t *testing.T, m *machine) {
			m.startKubelet(t)
			m.agent.signal(t, syscall.SIGCONT)
			m.network.drop(t)
		},
	},
	{
		// The second's kernel sends nothing new while nothing is acknowledged.
		name: "heartbeats lost, and acknowledgements to another", until: taken(nodeliveness.Reachable, 2), lasts: seen,
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.sends(), m.other().receives()) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		name: "two machines cut off", until: taken(nodeliveness.Correlated, 2), lasts: seen,
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
		strike: func(t *testing.T, m *machine) { m.network.drop(t, m.leader(t).on.everything()...) },
		heal:   func(t *testing.T, m *machine) { m.network.drop(t) },
	},
	{
		name: "controller starved of CPU", lasts: starved,
		strike: func(t *testing.T, m *machine) { m.restore = m.leader(t).starve(t) },
		heal:   func(_ *testing.T, m *machine) { m.restore() },
	},
	{
		// A machine that is overloaded: its kernel answers.
		name: "agent and the kubelet's port starved of CPU", lasts: unseen,
		strike: func(t *testing.T, m *machine) {
			agent, port := m.agent.starve(t), m.port.starve(t)
			m.restore = func() { agent(); port() }
		},
		heal: func(_ *testing.T, m *machine) { m.restore() },
	},
	{
		name: "streams delayed", until: taken(nodeliveness.Reachable, 1), lasts: seen,
		strike: func(t *testing.T, m *machine) {
			m.agent.end(t)
			eventually(t, "the old stream has ended", func() error { return m.counts(t, nodeliveness.NotWatched, 1) })
			var relays []string
			for _, r := range m.replicas {
				relays = append(relays, r.delay.address)
			}
			m.startAgentTo(t, relays...)
			m.watched(t)
			m.delayed(time.Minute)
		},
		heal: func(t *testing.T, m *machine) { m.delayed(0); m.agent.end(t); m.startAgent(t) },
	},
	{
		// When it goes on, it does not know yet that another leads.
		name: "controller paused until another leads", until: func(t *testing.T, m *machine) error {
			if r, _ := m.leading(t); r == nil {
				return errors.New("none leads")
			}
			return nil
		}, lasts: seen,
		strike: func(t *testing.T, m *machine) {
			paused := m.leader(t).process
			paused.suspend(t)
			m.restore = func() {
				paused.signal(t, syscall.SIGCONT)
				eventually(t, "it ends, as it has lost the Lease", func() error {
					if !paused.hasEnded() {
						return errors.New("it runs")
					}
					return nil
				})
			}
		},
		heal: func(_ *testing.T, m *machine) { m.restore() },
	},
}

// taken is that the controller takes so many nodes for a state. One of two may be watched no longer: on a slow machine, its agent, which had heard nothing
// for long in the fault before, gave up its stream just before it was cut off.
func taken(state nodeliveness.State, count int) func(*testing.T, *machine) error {
	return func(t *testing.T, m *machine) error {
		t.Helper()
		err := m.counts(t, state, count)
		if err != nil && count > 1 && state != nodeliveness.NotWatched {
			err = errors.Join(m.counts(t, state, count-1), m.counts(t, nodeliveness.NotWatched, 1))
		}
		return err
	}
}

// moreVariable is the variable of the environment with which TestSilence also takes the power of machines with 30 pods that are replaced, and with 110, as
// many as a node runs by default, and stops an instance that has a volume. hack/failover sets it.
const moreVariable = "NAOSU_FAILOVER_MORE"

// TestSilence breaks one machine after another in ways in which no pod may be replaced, the last of which naosu heals, and
// then takes the power of one, and of the one on which the controller that leads runs.
func TestSilence(t *testing.T) {
	if !alone(t) {
		return
	}
	b := newFixture(t)
	b.watched(t)
	for i, f := range faults {
		if !t.Run(f.name, func(t *testing.T) { b.harmless(t, f, b.machines[1+i%2]) }) {
			return // What follows needs a cluster that is as it was.
		}
	}
	if !t.Run("kubelet stopped for good", b.kubeletRestarted) {
		return
	}
	off := b.machines[1]
	if !t.Run("power off", func(t *testing.T) { b.powerOff(t, off, "power-off"); off.reboot(t); b.watched(t) }) {
		return
	}
	if os.Getenv(moreVariable) != "" {
		for _, pods := range []int{30, 110} {
			ok := t.Run(fmt.Sprintf("power off with %d pods", pods), func(t *testing.T) {
				b.addPods(t, off, pods)
				b.watched(t)
				b.powerOff(t, off, fmt.Sprintf("power-off-of-%d", pods))
				off.reboot(t)
				b.watched(t)
			})
			if !ok {
				return
			}
		}
		b.removePods(t)
		if !t.Run("instance with a volume stopped", b.volumeReleased) {
			return
		}
	}
	b.lead(t, b.host())
	t.Run("power off where the controller leads", func(t *testing.T) { b.powerOff(t, b.host(), "power-off-of-the-leader") })
}

// other is the other worker that does not run a controller.
func (m *machine) other() *machine {
	if m == m.machines[1] {
		return m.machines[2]
	}
	return m.machines[1]
}

// delayed has what the relays pass on delayed.
func (b *fixture) delayed(by time.Duration) {
	for _, r := range b.replicas {
		r.delay.by(by)
	}
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
		for _, m := range b.machines {
			if p := b.database(t, m); p == nil || !kube.IsPodReady(p) {
				t.Fatalf("the database on %s is not ready", m.node.Name)
			}
		}
	}
	f.strike(t, m)
	if f.until != nil {
		eventually(t, "what the fault is to show", func() error { untouched(); return f.until(t, m) })
	}
	during(t, f.lasts, untouched)
	f.heal(t, m)
	b.watched(t)
	untouched()
	if declared := b.declared(t); len(declared) > 0 {
		t.Errorf("declared silent: %v", declared)
	}
}

// powerOff takes a machine's power: its pods are replaced while Kubernetes still takes it for ready, and no others are. How long it takes until all
// replacements are bound is logged as a figure for hack/failover.
func (b *fixture) powerOff(t *testing.T, m *machine, figure string) {
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
	deletions, declarations := b.deletions(), b.declarations()
	began := time.Now()
	m.powerOff(t)
	eventually(t, "all pods are bound to other nodes", func() error {
		bound := 0
		for _, p := range b.pods(t, "") {
			if p.Spec.NodeName != "" && p.Spec.NodeName != m.node.Name && p.DeletionTimestamp == nil {
				bound++
			}
		}
		if bound != len(before) {
			return fmt.Errorf("%d are", bound)
		}
		return nil
	})
	took := time.Since(began)
	if ready := condition(b.get(t, m)); ready != corev1.ConditionTrue {
		t.Errorf("Ready of the node is %s: its pods were replaced no sooner than Kubernetes would begin to", ready)
	}
	eventually(t, "the database there is not ready", func() error {
		if p := b.database(t, m); p == nil || kube.IsPodReady(p) {
			return errors.New("it is gone or ready")
		}
		return nil
	})
	t.Logf("measured %s: %.1f s, %d pods", figure, took.Seconds(), len(lost))
	if declared := b.declared(t); !cmp.Equal(declared, []string{m.node.Name}) {
		t.Errorf("declared silent: %v, want %s", declared, m.node.Name)
	}
	// What is done twice would be done by now, or when the machine boots again.
	during(t, seen, func() { b.replaced(t, before, lost) })
	m.network.drop(t)
	m.state(t, nodes.On)
	eventually(t, "the node is declared silent no more, and its old pods have ended", func() error {
		if declared, all := b.declared(t), b.pods(t, ""); len(declared) > 0 || len(all) != len(before) {
			return fmt.Errorf("declared are %v, and there are %d pods", declared, len(all))
		}
		return nil
	})
	eventually(t, "its kubelet has set the database ready again", func() error {
		if p := b.database(t, m); p == nil || !kube.IsPodReady(p) {
			return errors.New("it is not ready")
		}
		return nil
	})
	b.replaced(t, before, lost)
	if did, declared := b.deletions()-deletions, b.declarations()-declarations; did != len(lost) || declared != 1 {
		t.Errorf("%d deletions, want %d; declared silent %d times", did, len(lost), declared)
	}
}

// replaced fails unless there is one new pod for each that was lost, and the others are as they were.
func (b *fixture) replaced(t *testing.T, before map[string]string, lost map[string]bool) {
	t.Helper()
	now := b.uids(t)
	for uid := range before {
		if !lost[uid] && now[uid] != before[uid] {
			t.Errorf("%s, which ran elsewhere, is %q", before[uid], now[uid])
		}
	}
	fresh := 0
	for uid := range now {
		if before[uid] == "" {
			fresh++
		}
	}
	if fresh != len(lost) {
		t.Errorf("%d pods are new, want %d", fresh, len(lost))
	}
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

// during calls check again and again for a time.
func during(t *testing.T, d time.Duration, check func()) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), often, d, true, func(context.Context) (bool, error) { check(); return false, nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

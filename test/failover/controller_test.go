package failover

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/nodeliveness"
	"github.com/naosu-dev/naosu/test/program"
)

// replica is one of the controller's, on a machine.
type replica struct {
	*process
	on *machine
	// delay leads to where it receives heartbeats.
	delay *delay
}

// startControllers runs a replica on each of some machines: the first leads.
func (b *fixture) startControllers(t *testing.T, on ...*machine) {
	t.Helper()
	for _, m := range on {
		r := &replica{on: m, delay: newDelay(t, m.beats())}
		b.replicas = append(b.replicas, r)
		r.start(t)
	}
}

// beats is where a replica on the machine receives heartbeats.
func (m *machine) beats() string { return net.JoinHostPort(m.address, beats) }

// start runs the replica on its machine, and waits until it says that it is ready.
func (r *replica) start(t *testing.T) {
	t.Helper()
	b := r.on.fixture
	cmd := r.on.command(program.Need(t, "naosu"), "controller", "--health-address", r.on.address+":8081",
		"--metrics-address", r.on.address+":8080", "--metrics-secure=false", "--heartbeat-address", r.on.beats())
	cmd.Env = append(append(os.Environ(), b.aws...), "KUBECONFIG="+b.kubeconfig(t, controller, b.token(t, controller, "")), "AWS_EC2_METADATA_DISABLED=true")
	r.process = b.start(t, cmd)
	b.controllers = append(b.controllers, r.process)
	eventually(t, "the controller is ready", func() error {
		if r.hasEnded() {
			t.Fatal("the controller has ended")
		}
		_, err := get(t, "http://"+r.on.address+":8081/readyz")
		return err
	})
}

// restarted starts the replicas again that have ended, as those that have lost the Lease do.
func (b *fixture) restarted(t *testing.T) {
	t.Helper()
	for _, r := range b.replicas {
		if r.hasEnded() {
			t.Logf("the controller on %s has lost the Lease, and is started again", r.on.node.Name)
			r.start(t)
		}
	}
}

// metrics are what a replica reports.
func (r *replica) metrics(t *testing.T) (string, error) {
	t.Helper()
	return get(t, "http://"+r.on.address+":8080/metrics")
}

const nodesMetric = "naosu_failover_nodes{"

// leading is the replica that leads, which alone reports what nodes are taken for, and what it reports; nil if none does.
func (b *fixture) leading(t *testing.T) (*replica, string) {
	t.Helper()
	for _, r := range b.replicas {
		if body, err := r.metrics(t); err == nil && strings.Contains(body, nodesMetric) {
			return r, body
		}
	}
	return nil, ""
}

// leader is the replica that leads, as soon as one does.
func (b *fixture) leader(t *testing.T) *replica {
	t.Helper()
	var leads *replica
	eventually(t, "a replica leads", func() error {
		if leads, _ = b.leading(t); leads == nil {
			return errors.New("none does")
		}
		return nil
	})
	return leads
}

// counts is an error unless the replica that leads takes so many nodes for a state.
func (b *fixture) counts(t *testing.T, state nodeliveness.State, want int) error {
	t.Helper()
	_, body := b.leading(t)
	if line := fmt.Sprintf("%sliveness=%q} %d\n", nodesMetric, state, want); !strings.Contains(body, line) {
		return errors.New(strings.Join(linesOf(body, nodesMetric), ", "))
	}
	return nil
}

// witnessed is an error unless each replica could confirm the silence of each node.
func (b *fixture) witnessed(t *testing.T) error {
	t.Helper()
	const metric = "naosu_failover_nodes_witnessed "
	for _, r := range b.replicas {
		body, err := r.metrics(t)
		if err != nil {
			return err
		}
		if !strings.Contains(body, fmt.Sprintf("%s%d\n", metric, len(b.all()))) {
			return fmt.Errorf("to the replica on %s: %s", r.on.node.Name, linesOf(body, metric))
		}
	}
	return nil
}

// linesOf are those lines of a text that begin so.
func linesOf(text, prefix string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, prefix) {
			all = append(all, line)
		}
	}
	return all
}

// watched waits until all replicas could confirm the silence of all nodes, and the one that leads takes all of them for alive.
func (b *fixture) watched(t *testing.T) {
	t.Helper()
	eventually(t, "all nodes are watched and alive", func() error {
		b.restarted(t)
		if err := b.witnessed(t); err != nil {
			return err
		}
		return b.counts(t, nodeliveness.Alive, len(b.all()))
	})
}

// lead has the replica on a machine lead, as a rollout does that ends the other, and waits until all is well.
func (b *fixture) lead(t *testing.T, on *machine) {
	t.Helper()
	if leads := b.leader(t); leads.on != on {
		leads.end(t)
		if b.leader(t).on != on {
			t.Fatalf("the replica on %s does not lead", on.node.Name)
		}
		leads.start(t)
	}
	b.watched(t)
}

// deletions are the pods of silent nodes that replicas have deleted, as often as they say so.
func (b *fixture) deletions() int { return b.logged("Pod of a silent node deleted") }

// declarations are how often replicas have declared a node silent.
func (b *fixture) declarations() int { return b.logged("Node is silent") }

// logged is how often replicas have logged a message.
func (b *fixture) logged(message string) (times int) {
	for _, c := range b.controllers {
		for _, line := range c.log.lines(0) {
			if strings.Contains(line, fmt.Sprintf("msg=%q", message)) {
				times++
			}
		}
	}
	return times
}

package nodeliveness

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A node whose port no other node reaches while it lives is never silent, and few probes are made to find that out.
func TestBaseline(t *testing.T) {
	n := newNetwork(2, 30)
	n.machine("n7").deaf = true
	n.pass(2 * time.Minute)
	tries := map[types.UID]int{}
	for _, p := range n.probes {
		tries[p.Target]++
	}
	if got := tries[uid("n7")]; got != maxTries {
		t.Errorf("%d tries for n7", got)
	}
	if got := tries[uid("n8")]; got != witnesses {
		t.Errorf("%d tries for n8", got)
	}
	if got := n.Witnessed(n.now); got != 29 {
		t.Errorf("%d nodes are witnessed", got)
	}
	n.machine("n7").off = true
	n.pass(20 * time.Second)
	if got := n.state("n7"); got != Unconfirmed {
		t.Errorf("n7 is %s", got)
	}
	zones := map[string]int{}
	for uid := range n.nodes[uid("n8")].baseline {
		zones[n.nodes[uid].Zone]++
	}
	if zones["z0"] != 2 || zones["z1"] != 2 {
		t.Errorf("the witnesses of n8 are in %v", zones)
	}
	before := len(n.probes)
	n.pass(baselineInterval)
	if more := len(n.probes) - before; more > 30*witnesses+2*maxTries+witnesses*30 {
		t.Errorf("%d probes in five minutes", more)
	}
}

// A witness that could not try when it was asked is asked again after a minute.
func TestBusyWitness(t *testing.T) {
	n := newNetwork(1, 3)
	n.machine("n2").busy = true
	n.pass(20 * time.Second)
	if got := n.Witnessed(n.now); got != 1 {
		t.Errorf("while n2 can open no connection, %d nodes are witnessed, want n2 itself", got)
	}
	n.machine("n2").busy = false
	n.pass(failedRetry)
	if got := n.Witnessed(n.now); got != 3 {
		t.Errorf("then %d nodes are witnessed, want 3", got)
	}
}

// Where a witness is gone, another is looked for at once.
func TestReplacedWitness(t *testing.T) {
	n := newNetwork(2, 5)
	n.pass(time.Minute)
	*n.machine("n4") = machine{name: "n6", zone: "z1", kubelet: true} // Beside n2, the only one of its zone.
	n.pass(20 * time.Second)
	if got := n.Witnessed(n.now); got != 5 {
		t.Errorf("%d nodes are witnessed, want 5", got)
	}
}

// A witness that has not reached a node for long is none: what separates the two may have come since.
func TestOldBaseline(t *testing.T) {
	n := newNetwork(1, 3)
	n.pass(20 * time.Second)
	n.machine("n2").busy = true
	n.pass(baselineLasts - baselineInterval)
	if got := n.Witnessed(n.now); got != 3 {
		t.Errorf("soon after n2 has reached the others, %d nodes are witnessed, want 3", got)
	}
	n.pass(2 * baselineInterval)
	if got := n.Witnessed(n.now); got != 1 {
		t.Errorf("long after n2 has reached the others, %d nodes are witnessed, want n2 itself", got)
	}
	n.machine("n3").off = true
	n.pass(20 * time.Second)
	if got := n.state("n3"); got != Unconfirmed {
		t.Errorf("n3 is %s", got)
	}
}

// A node is witnessed where its silence would be confirmed: not before the first answers, and not by the nodes of one zone where there are more.
func TestWitnessed(t *testing.T) {
	for name, test := range map[string]struct {
		zones, nodes int
		change       func(*network)
		want         int
	}{
		"all":                     {zones: 2, nodes: 6, want: 6},
		"one zone":                {zones: 1, nodes: 3, want: 3},
		"two nodes":               {zones: 1, nodes: 2, want: 0},
		"the others in one zone":  {zones: 2, nodes: 4, change: func(n *network) { n.machine("n4").zone = "z0" }, want: 4},
		"one that none can reach": {zones: 2, nodes: 6, change: func(n *network) { n.machine("n2").deaf = true }, want: 5},
	} {
		n := newNetwork(test.zones, test.nodes)
		n.pass(tick)
		if got := n.Witnessed(n.now); got != 0 {
			t.Errorf("%s: %d nodes are witnessed at first", name, got)
		}
		if test.change != nil {
			test.change(n)
		}
		n.pass(time.Minute)
		if got := n.Witnessed(n.now); got != test.want {
			t.Errorf("%s: %d nodes are witnessed, want %d", name, got, test.want)
		}
	}
}

// After a start, the agents of one zone may be connected before those of the others: nodes get witnesses in two zones though.
func TestLateZone(t *testing.T) {
	n := newNetwork(2, 12)
	late := func(is bool) {
		for _, m := range n.machines {
			m.cut = is && m.zone == "z1"
		}
	}
	late(true)
	n.pass(3 * time.Second)
	late(false)
	n.pass(time.Minute)
	if got := n.Witnessed(n.now); got != 12 {
		t.Errorf("%d nodes are witnessed, want 12", got)
	}
}

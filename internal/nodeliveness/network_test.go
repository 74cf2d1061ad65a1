package nodeliveness

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	tick        = 250 * time.Millisecond
	silentAfter = 4 * time.Second
)

// machine is a node as it really is.
type machine struct {
	name, zone string
	// off: nothing of it answers. paused: its agent neither sends nor answers. cut: its agent and the controller do not reach each other.
	// deaf: its kubelet's port is blocked for all others. busy: its agent can open no connection.
	// notReady: its Node is not ready.
	off, paused, cut, deaf, busy, notReady bool
	// kubelet says that its Lease is renewed every 10 s, and received.
	kubelet bool
	ended   Ended
	// phase is the step of each second in which it sends its heartbeat, and late how many steps later that is received.
	phase, late int
	underWay    []int // the steps in which heartbeats that were sent are received

	connected   bool
	beat, lease time.Time
	// quiet and back are when the last time of no heartbeats that was long enough for silence began and ended.
	quiet, back time.Time
}

func (m *machine) beats() bool   { return !m.off && !m.paused && !m.cut && m.ended == Open }
func (m *machine) answers() bool { return !m.off && !m.deaf }

// network is nodes, the Detector that follows them, and the time.
type network struct {
	Detector
	now      time.Time
	steps    int
	machines []*machine
	probes   []Probe
	// reached is when a witness last reached a silent node.
	reached map[types.UID]time.Time
	delay   int // ticks until answers come
	pending []pendingProbe
}

// pendingProbe is a probe that is answered at a step.
type pendingProbe struct {
	due int
	Probe
}

func uid(name string) types.UID { return types.UID("uid-" + name) }

// newNetwork has nodes named n1, n2 and so on, one zone after the other, which have sent heartbeats for a minute.
func newNetwork(zones int, nodes int) *network {
	n := &network{now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), reached: map[types.UID]time.Time{}, delay: 1}
	for i := range nodes {
		n.machines = append(n.machines, &machine{name: fmt.Sprintf("n%d", i+1), zone: fmt.Sprintf("z%d", i%zones), kubelet: true})
	}
	return n
}

func (n *network) machine(name string) *machine {
	for _, m := range n.machines {
		if m.name == name {
			return m
		}
	}
	return nil
}

// pass lets time pass. In every second each agent sends a heartbeat, and every ten seconds each kubelet renews its Lease.
func (n *network) pass(d time.Duration) {
	for end := n.now.Add(d); n.now.Before(end); {
		n.now = n.now.Add(tick)
		n.steps++
		n.send()
		n.observe()
	}
}

func (n *network) send() {
	second := n.steps * int(tick) / int(time.Second)
	for i, m := range n.machines {
		if n.steps%4 == m.phase && m.beats() {
			m.underWay = append(m.underWay, n.steps+m.late)
		}
		if len(m.underWay) > 0 && m.underWay[0] <= n.steps && m.ended == Open {
			m.underWay = m.underWay[1:]
			if was := n.nodes[uid(m.name)]; was != nil && was.Connected && was.Ended == Open && n.since(m.beat, n.now) >= silentAfter {
				m.quiet, m.back = m.beat, n.now
			}
			m.connected, m.beat = true, n.now
		}
		if n.steps%4 == 0 && (second+3*i)%10 == 0 && m.kubelet && !m.off {
			m.lease = n.now
		}
	}
}

func (n *network) observe() {
	var nodes []Node
	for _, m := range n.machines {
		nodes = append(nodes, Node{
			Name: m.name, UID: uid(m.name), Zone: m.zone, Address: m.name + ":10250", Expected: !m.notReady,
			Connected: m.connected, LastBeat: m.beat, Ended: m.ended, LeaseReceived: m.lease,
		})
	}
	for _, p := range n.Observe(n.now, silentAfter, nodes) {
		n.probes = append(n.probes, p)
		n.pending = append(n.pending, pendingProbe{n.steps + n.delay, p})
	}
	late := n.pending[:0]
	for _, one := range n.pending {
		if one.due > n.steps {
			late = append(late, one)
			continue
		}
		n.answer(one.Probe)
	}
	n.pending = late
}

// answer answers a probe as the network is now: nothing comes from a witness that is off or cut off.
func (n *network) answer(p Probe) {
	var witness, target *machine
	for _, m := range n.machines {
		if uid(m.name) == p.Witness {
			witness = m
		}
		if uid(m.name) == p.Target {
			target = m
		}
	}
	switch {
	case witness == nil || target == nil || !witness.beats() || witness.busy:
		n.Answered(n.now, p, Failed)
	case target.answers():
		if p.Inquiry != 0 {
			n.reached[p.Target] = n.now
		}
		n.Answered(n.now, p, Reached)
	default:
		n.Answered(n.now, p, Unreached)
	}
}

func (n *network) state(name string) State { return n.Verdict(n.now, uid(name)).State }

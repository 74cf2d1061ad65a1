package nodeliveness

import "testing"

// BenchmarkObserve is one look at 5,000 nodes that send heartbeats; there are four a second. One of the nodes is silent.
func BenchmarkObserve(b *testing.B) {
	n := newNetwork(3, 5000)
	n.delay = 0
	n.pass(baselineRetry)
	n.machine("n7").off = true
	nodes := make([]Node, 0, len(n.machines))
	for _, m := range n.machines {
		nodes = append(nodes, Node{Name: m.name, UID: uid(m.name), Zone: m.zone, Address: m.name + ":10250", Expected: true, Connected: true})
	}
	b.ReportAllocs()
	for b.Loop() {
		n.now = n.now.Add(tick)
		for i := range nodes {
			if i != 6 {
				nodes[i].LastBeat = n.now
			}
		}
		for _, p := range n.Observe(n.now, silentAfter, nodes) {
			n.Answered(n.now, p, Reached)
		}
	}
}

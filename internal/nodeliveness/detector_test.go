package nodeliveness

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDetector(t *testing.T) {
	for name, tc := range map[string]struct {
		zones, nodes int
		// fault is what happens after a minute; then time passes.
		fault func(*network)
		pass  time.Duration
		want  map[string]State
	}{
		"nothing":               {2, 4, func(*network) {}, time.Minute, map[string]State{"n1": Alive, "n4": Alive}},
		"off":                   {2, 4, func(n *network) { n.machine("n2").off = true }, 7 * time.Second, map[string]State{"n2": Silent, "n1": Alive}},
		"off, in one zone":      {1, 4, func(n *network) { n.machine("n2").off = true }, 7 * time.Second, map[string]State{"n2": Silent}},
		"off, as late as that":  {2, 4, func(n *network) { n.machine("n2").off = true }, 3750 * time.Millisecond, map[string]State{"n2": Alive}},
		"off, one of three":     {3, 3, func(n *network) { n.machine("n3").off = true }, 7 * time.Second, map[string]State{"n3": Silent}},
		"its agent is paused":   {2, 4, func(n *network) { n.machine("n2").paused, n.machine("n2").kubelet = true, false }, 8 * time.Second, map[string]State{"n2": Reachable}},
		"cut off, kubelet down": {2, 4, func(n *network) { n.machine("n2").cut, n.machine("n2").kubelet = true, false }, time.Minute, map[string]State{"n2": Reachable}},
		"a blocked port, and its agent is paused": {2, 4, func(n *network) {
			n.machine("n2").paused, n.machine("n2").deaf, n.machine("n2").kubelet = true, true, false
		}, 4 * time.Second, map[string]State{"n2": Suspect}},
		"a goodbye": {2, 4, func(n *network) { n.machine("n2").ended = Goodbye; n.machine("n2").off = true }, time.Minute, map[string]State{"n2": NotWatched}},
		"a close":   {2, 4, func(n *network) { n.machine("n2").ended = Closed; n.machine("n2").off = true }, time.Minute, map[string]State{"n2": NotWatched}},
		"two off":   {2, 5, func(n *network) { n.machine("n2").off, n.machine("n3").off = true, true }, 8 * time.Second, map[string]State{"n2": Correlated, "n3": Correlated}},
		"two off, one a little later": {2, 6, func(n *network) {
			n.machine("n2").off = true
			n.pass(2 * time.Second)
			n.machine("n3").off = true
		}, 5 * time.Second, map[string]State{"n2": Correlated}},
		"two off, one is back": {2, 6, func(n *network) {
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(10 * time.Second)
			n.machine("n3").off = false
		}, 28 * time.Second, map[string]State{"n2": Correlated, "n3": Alive}},
		"two off, the kernel of one is back": {2, 6, func(n *network) {
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(10 * time.Second)
			n.machine("n3").off, n.machine("n3").ended = false, Closed
		}, 28 * time.Second, map[string]State{"n2": Correlated, "n3": NotWatched}},
		"two off, the stream of one has ended before": {2, 6, func(n *network) {
			n.machine("n3").ended = Closed
			n.pass(time.Second)
			n.machine("n2").off, n.machine("n3").off = true, true
		}, 60 * time.Second, map[string]State{"n2": Correlated, "n3": NotWatched}},
		"two off, the stream of one has ended before, and its kubelet is back": {2, 6, func(n *network) {
			n.machine("n3").ended = Closed
			n.pass(time.Second)
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(30 * time.Second)
			n.machine("n3").off = false
		}, 30 * time.Second, map[string]State{"n2": Correlated, "n3": NotWatched}},
		"off, and the stream of another has ended before": {2, 6, func(n *network) {
			n.machine("n3").ended = Closed
			n.pass(time.Second)
			n.machine("n2").off = true
		}, silentAfter + renewInterval + silentInterval + inquiryTimeout, map[string]State{"n2": Silent, "n3": NotWatched}}, // Its kubelet has renewed its Lease since.
		"off, and the agent of another has said goodbye before": {2, 6, func(n *network) {
			n.machine("n3").ended = Goodbye
			n.pass(time.Second)
			n.machine("n2").off = true
		}, 7 * time.Second, map[string]State{"n2": Silent, "n3": NotWatched}},
		"off, and the stream of another has ended long before": {2, 6, func(n *network) {
			n.machine("n3").ended = Closed
			n.pass(correlatedWithin + time.Second)
			n.machine("n2").off = true
		}, 7 * time.Second, map[string]State{"n2": Silent, "n3": NotWatched}},
		"two off, one is back after the controller was starved": {2, 6, func(n *network) {
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(3 * time.Second)
			n.now = n.now.Add(5 * time.Second)
			n.pass(2 * time.Second)
			n.machine("n3").off = false
		}, 10 * time.Second, map[string]State{"n2": Correlated, "n3": Alive}},
		"off after the controller was starved": {2, 6, func(n *network) {
			n.now = n.now.Add(5 * time.Second)
			n.pass(2 * time.Second)
			n.machine("n2").off = true
		}, 8 * time.Second, map[string]State{"n2": Silent}},
		"two off, one is back, long after the controller was starved": {2, 6, func(n *network) {
			n.now = n.now.Add(20 * time.Second)
			n.pass(time.Minute)
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(10 * time.Second)
			n.machine("n3").off = false
		}, 28 * time.Second, map[string]State{"n2": Correlated, "n3": Alive}},
		"two off, one is back for longer": {2, 6, func(n *network) {
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(10 * time.Second)
			n.machine("n3").off = false
		}, 36 * time.Second, map[string]State{"n2": Silent, "n3": Alive}},
		"two off, one for a moment": {2, 6, func(n *network) {
			n.machine("n2").off, n.machine("n3").off = true, true
			n.pass(2 * time.Second)
			n.machine("n3").off = false
		}, 5 * time.Second, map[string]State{"n2": Silent, "n3": Alive}},
		"two off, forty seconds apart": {2, 6, func(n *network) {
			n.machine("n2").off = true
			n.pass(40 * time.Second)
			n.machine("n3").off = true
		}, 8 * time.Second, map[string]State{"n2": Silent, "n3": Silent}},
		"all off but one": {2, 4, func(n *network) {
			for _, m := range n.machines[1:] {
				m.off = true
			}
		}, 8 * time.Second, map[string]State{"n2": Unconfirmed, "n3": Unconfirmed, "n4": Unconfirmed}},
		"the controller is cut off": {3, 6, func(n *network) {
			for _, m := range n.machines {
				m.cut, m.kubelet = true, false
			}
		}, 20 * time.Second, map[string]State{"n1": Unconfirmed, "n6": Unconfirmed}},
		"back": {2, 4, func(n *network) {
			n.machine("n2").off = true
			n.pass(10 * time.Second)
			n.machine("n2").off = false
		}, 2 * time.Second, map[string]State{"n2": Alive}},
		"reached again, while its agent is silent": {2, 4, func(n *network) {
			n.machine("n2").off = true
			n.pass(10 * time.Second)
			n.machine("n2").off, n.machine("n2").paused, n.machine("n2").kubelet = false, true, false
		}, 4 * time.Second, map[string]State{"n2": Reachable}},
		"off after a witness has reached it": {2, 4, func(n *network) {
			n.machine("n2").paused, n.machine("n2").kubelet = true, false
			n.pass(10 * time.Second)
			n.machine("n2").off = true
		}, time.Minute, map[string]State{"n2": Reachable}},
		"one zone has no other node": {2, 3, func(n *network) { n.machine("n1").off = true }, 8 * time.Second, map[string]State{"n1": Silent}},
		"the only witness of the other zone does not answer": {2, 4, func(n *network) {
			n.machine("n1").off = true // z0, as n3 is
			n.machine("n3").ended = Goodbye
		}, 8 * time.Second, map[string]State{"n1": Silent}}, // Then there is only one zone.
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(tc.zones, tc.nodes)
			n.pass(time.Minute)
			if !n.Armed() {
				t.Fatal("it is not armed")
			}
			tc.fault(n)
			n.pass(tc.pass)
			for name, want := range tc.want {
				if got := n.state(name); got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
		})
	}
}

// Of nodes that are cut off at once, none is silent, whenever in a second they send, however late what was under way is received, and however soon
// witnesses answer.
func TestCutOffAtOnce(t *testing.T) {
	for _, delay := range []int{0, 1, 5} {
		for phase := range 4 {
			for late := range 10 {
				n := newNetwork(2, 6)
				n.delay = delay
				n.machine("n2").phase, n.machine("n3").phase, n.machine("n3").late = 1, phase, late
				n.pass(time.Minute)
				n.machine("n2").off, n.machine("n3").off = true, true
				for range 80 {
					n.pass(tick)
					if n.state("n2") == Silent || n.state("n3") == Silent {
						t.Fatalf("answers after %d ticks, phase %d, heartbeats %d ticks late: one is silent %v after its last heartbeat", delay, phase, late, n.now.Sub(n.machine("n2").beat))
					}
				}
			}
		}
	}
}

// Of two nodes that are cut off at once and are back at once, none is silent because the kubelet of the one, whose stream had ended, is heard first: the
// witnesses of the other have answered before that.
func TestBackAtOnce(t *testing.T) {
	for ticks := range 80 {
		n := newNetwork(2, 6)
		n.pass(time.Minute)
		n.machine("n3").ended = Closed
		n.machine("n2").off, n.machine("n3").off = true, true
		n.pass(time.Duration(ticks+1) * tick)
		n.machine("n2").off, n.machine("n2").paused, n.machine("n2").kubelet = false, true, false // Its kernel sends again only later.
		n.machine("n3").lease = n.now
		for range 40 {
			n.pass(tick)
			if n.state("n2") == Silent {
				t.Fatalf("back after %d ticks: it is silent %v after its last heartbeat", ticks, n.now.Sub(n.machine("n2").beat))
			}
		}
	}
}

// The time from the last sign of life to Silent is silentAfter and what the witnesses take.
func TestSilentSoon(t *testing.T) {
	n := newNetwork(2, 5)
	n.pass(time.Minute)
	n.machine("n4").off = true
	began := n.now
	for n.state("n4") != Silent {
		n.pass(tick)
		if n.now.Sub(began) > time.Minute {
			t.Fatal("never")
		}
	}
	if took := n.now.Sub(began); took > silentAfter+inquiryTimeout {
		t.Errorf("it took %v", took)
	}
	for range 40 { // It stays so while witnesses are asked again.
		n.pass(tick)
		if got := n.state("n4"); got != Silent {
			t.Fatalf("then %s", got)
		}
	}
}

// A renewal of a Lease that is received is a sign of life, also one that comes while witnesses are asked.
func TestLeaseVetoes(t *testing.T) {
	n := newNetwork(2, 4)
	n.pass(time.Minute)
	m := n.machine("n2")
	m.off = true
	n.pass(silentAfter)
	m.lease = n.now
	n.pass(tick)
	if got := n.state("n2"); got != Alive {
		t.Errorf("with a renewal: %s", got)
	}
	n.pass(13 * time.Second)
	if got := n.state("n2"); got != Unconfirmed {
		t.Errorf("13 s after the renewal, when the next has just been due: %s", got)
	}
	n.pass(4 * time.Second)
	if got := n.state("n2"); got != Silent {
		t.Errorf("17 s after the renewal: %s", got)
	}
}

// A node is not silent between two renewals of its Lease if only its kubelet is heard, and no other node reaches it.
func TestKubeletAlone(t *testing.T) {
	n := newNetwork(2, 4)
	n.pass(64 * time.Second) // n2 renews its Lease in the seconds 67, 77 and so on.
	n.machine("n2").paused, n.machine("n2").deaf = true, true
	for n.now.Before(n.machine("n2").beat.Add(2 * time.Minute)) {
		n.pass(tick)
		if got := n.state("n2"); got == Silent {
			t.Fatalf("%v after its last heartbeat: %s", n.now.Sub(n.machine("n2").beat), got)
		}
	}
}

// Of two nodes that are cut off at once, neither is silent because a renewal of the other's Lease arrives late: it was under way. A kubelet
// that goes on to renew its Lease lives, and holds the failover of the other up no longer.
func TestLateRenewal(t *testing.T) {
	n := newNetwork(2, 6)
	n.pass(time.Minute)
	cut, other := n.machine("n2"), n.machine("n3")
	cut.off, other.off = true, true
	n.pass(silentAfter + tick)
	other.lease = n.now
	for range 40 {
		n.pass(tick)
		if got := n.state("n2"); got == Silent {
			t.Fatalf("%v after both were cut off: %s", n.now.Sub(cut.beat), got)
		}
	}
	other.off, other.paused, other.deaf = false, true, true
	n.pass(correlatedWithin)
	if got := n.state("n2"); got != Silent {
		t.Errorf("after the other's kubelet has gone on: %s", got)
	}
}

// A process that was starved or stopped has not received what was sent meanwhile.
func TestStarvedController(t *testing.T) {
	n := newNetwork(2, 4)
	n.pass(time.Minute)
	n.now = n.now.Add(20 * time.Second) // No Observe, and no heartbeat is taken in.
	n.machine("n2").paused = true
	n.machine("n2").kubelet = false
	n.observe()
	for _, m := range n.machines {
		if got := n.state(m.name); got != Alive {
			t.Errorf("%s after the stop: %s", m.name, got)
		}
	}
	n.pass(silentAfter - time.Second)
	if got := n.state("n2"); got != Alive {
		t.Errorf("before it was silent for long enough: %s", got)
	}
	n.machine("n3").off = true
	n.pass(20 * time.Second)
	n.now = n.now.Add(5 * time.Second)
	if got := n.state("n3"); got == Silent {
		t.Error("a verdict outlives the stop of the process")
	}
}

// Nothing is judged before most agents have a stream, and then it is, also when a third of them is silent.
func TestArmed(t *testing.T) {
	n := newNetwork(2, 10)
	n.machine("n1").cut, n.machine("n2").cut = true, true
	n.pass(time.Minute)
	if n.Armed() {
		t.Error("armed with 8 of 10")
	}
	n.machine("n3").off = true
	n.pass(10 * time.Second)
	if got := n.state("n3"); got != NotWatched {
		t.Errorf("n3 is %s", got)
	}
	n.machine("n1").cut, n.machine("n2").cut = false, false
	n.pass(2 * time.Second)
	if !n.Armed() {
		t.Error("not armed with 9 of 10")
	}
	gone := newNetwork(2, 8)
	gone.machine("n1").cut = true
	gone.pass(10 * time.Second)
	gone.machine("n2").off = true
	gone.pass(QuietAfter + time.Second)
	gone.machine("n1").cut = false
	gone.pass(time.Minute)
	if gone.Armed() {
		t.Error("armed with 7 of 8, of which one is silent")
	}
	gone.machine("n2").notReady = true
	gone.pass(2 * time.Second)
	if !gone.Armed() {
		t.Error("not armed with all but a node that is not ready and silent")
	}
	few := newNetwork(1, 2)
	few.pass(time.Minute)
	if few.Armed() {
		t.Error("armed with two agents, of which one would be the only witness")
	}
}

// Under random faults, a node is Silent only if there was no sign of life of it for long enough, no witness has reached it since, and no
// other fell silent within correlatedWithin of it, nor has just come back.
func TestSilentRightly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNetwork(rapid.IntRange(1, 3).Draw(t, "zones"), rapid.IntRange(3, 8).Draw(t, "nodes"))
		n.delay = rapid.IntRange(0, 10).Draw(t, "delay")
		n.pass(20 * time.Second)
		for range rapid.IntRange(1, 12).Draw(t, "faults") {
			m := n.machines[rapid.IntRange(0, len(n.machines)-1).Draw(t, "node")]
			switch rapid.SampledFrom([]string{"off", "paused", "cut", "deaf", "kubelet", "ended", "on", "starved"}).Draw(t, "fault") {
			case "off":
				m.off = true
			case "paused":
				m.paused = !m.paused
			case "cut":
				m.cut = !m.cut
			case "deaf":
				m.deaf = !m.deaf
			case "kubelet":
				m.kubelet = !m.kubelet
			case "ended":
				m.ended = rapid.SampledFrom([]Ended{Open, Goodbye, Closed}).Draw(t, "ended")
			case "on":
				*m = machine{name: m.name, zone: m.zone, kubelet: true, connected: m.connected, beat: m.beat, lease: m.lease}
			case "starved":
				n.now = n.now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "stood still")) * time.Second)
				n.observe()
			}
			for range rapid.IntRange(0, 60).Draw(t, "ticks") {
				n.pass(tick)
				n.check(t)
			}
		}
	})
}

func (n *network) check(t *rapid.T) {
	for s, state := range n.States(n.now) {
		if state != Silent {
			continue
		}
		m := n.machine(s.Name)
		sign := m.beat
		if m.lease.After(sign) {
			sign = m.lease
		}
		quiet := n.now.Sub(sign)
		if quiet < silentAfter {
			t.Fatalf("%s is silent %v after its last sign of life", m.name, quiet)
		}
		if n.reached[s.UID].After(sign) {
			t.Fatalf("%s is silent, although a witness has reached it since its last sign of life", m.name)
		}
		if m.ended != Open {
			t.Fatalf("%s is silent after its stream has ended", m.name)
		}
		for _, other := range n.machines {
			if other == m || !other.connected {
				continue
			}
			last := other.beat
			if other.lease.After(last) {
				last = other.lease
			}
			if other.ended == Goodbye {
				continue
			}
			if other.ended == Closed {
				if other.beat.Sub(m.beat).Abs() <= correlatedWithin && last.Before(sign.Add(silentAfter)) && sign.Sub(last) <= correlatedWithin {
					t.Fatalf("%s is silent, and %s has given no sign of life since, whose stream ended at about that time", m.name, other.name)
				}
				continue
			}
			quiet := n.now.Sub(last) >= silentAfter || n.now.Sub(other.beat) >= silentAfter && other.beat.Sub(m.beat).Abs() <= correlatedWithin
			if quiet && last.Sub(sign).Abs() <= correlatedWithin && n.now.Sub(n.undisturbed) >= silentAfter {
				t.Fatalf("%s is silent, and %s is too since about then", m.name, other.name)
			}
			if n.now.Sub(other.back) <= correlatedWithin && other.quiet.Sub(m.beat).Abs() <= correlatedWithin {
				t.Fatalf("%s is silent, and %s was since about then and has just come back", m.name, other.name)
			}
		}
	}
}

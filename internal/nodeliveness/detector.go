package nodeliveness

import (
	"cmp"
	"hash/fnv"
	"iter"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// What the Detector goes by. All times are of the local monotonic clock.
const (
	// QuietAfter is for how long there is no heartbeat of a node, or no sign of life, before it counts as quiet. No other node is judged
	// beside a quiet one, since both may have failed for the same reason.
	QuietAfter = 2500 * time.Millisecond
	// correlatedWithin is the time between the last signs of life of two nodes up to which their silences count as correlated: the network or
	// the controller's own machine is then more likely to have failed than both nodes.
	correlatedWithin = 30 * time.Second
	// renewInterval is how often a kubelet renews its Lease.
	//
	// Source: the default of --node-lease-renew-interval-fraction, a quarter of nodeLeaseDurationSeconds, 40 s, in pkg/kubelet of Kubernetes.
	renewInterval = 10 * time.Second
	// maxTick is the longest time between two Observes in which nothing is missed. After a longer one, the process was starved, or its
	// machine stood still, and what was received meanwhile is not known yet.
	maxTick = time.Second
	// inquiryTimeout is how long witnesses have to answer.
	inquiryTimeout = 2 * time.Second
	// inquiryInterval is the time between two inquiries about a node whose silence was not confirmed.
	inquiryInterval = 5 * time.Second
	// silentInterval is the time between two inquiries about a node whose silence was confirmed, and confirmationLasts how long that counts.
	silentInterval    = 3 * time.Second
	confirmationLasts = silentInterval + inquiryTimeout + maxTick
	// armingShare is which share of the agents must have a stream, in percent, before any node is judged.
	armingShare = 90
	// minAgents is the least number of agents with which nodes are judged: one silent, and two witnesses.
	minAgents = minWitnesses + 1
)

// Ended says how the stream of a node's agent has ended.
type Ended string

// How streams end. One that is open, or of whose end nothing was received, is Open.
const (
	Open    Ended = ""
	Goodbye Ended = "Goodbye" // the agent said that it ends
	Closed  Ended = "Closed"  // the agent's kernel ended the connection
)

// Node is what is known of a node and of its agent when it is observed.
type Node struct {
	Name string
	UID  types.UID
	Zone string
	// Address is the kubelet's, host and port. Empty if the node has no InternalIP: then it has no witnesses.
	Address string
	// Expected says that an agent runs on the node, as far as the API server knows.
	Expected bool
	// Connected says that its agent has had a stream since this process began; what follows is the latest stream's.
	Connected bool
	LastBeat  time.Time
	Ended     Ended
	// LeaseReceived is when a renewal of the node's Lease was last received; zero if none was.
	LeaseReceived time.Time
}

// lastSign is the latest sign of life.
func (n *Node) lastSign() time.Time {
	if n.LeaseReceived.After(n.LastBeat) {
		return n.LeaseReceived
	}
	return n.LastBeat
}

// State is what the Detector takes a node for.
type State string

// The states.
const (
	// NotWatched is that the node's agent has no stream, or has ended it: nothing is known.
	NotWatched State = "NotWatched"
	// Alive is that there was a sign of life lately.
	Alive State = "Alive"
	// Suspect is that there was none for as long as silence takes, and that witnesses have not answered yet, or that another node was not heard since.
	Suspect State = "Suspect"
	// Reachable is that a witness has reached the node's kernel since the last sign of life: its agent has stopped, or is cut off from the
	// controller. It stays so until the next sign of life.
	Reachable State = "Reachable"
	// Unconfirmed is that too few witnesses could say anything, or that the kubelet may still renew its Lease.
	Unconfirmed State = "Unconfirmed"
	// Correlated is that another node fell silent at about the same time, so that the cause may be the network or the controller's machine.
	Correlated State = "Correlated"
	// Silent is that the node gives no sign of life, and that its witnesses do not reach it.
	Silent State = "Silent"
)

// States are all states.
var States = []State{NotWatched, Alive, Suspect, Reachable, Unconfirmed, Correlated, Silent}

// Probe asks the agent of a witness to open TCP to a node.
type Probe struct {
	Witness, Target types.UID
	Address         string
	// Inquiry is the number of the inquiry that it belongs to; zero for one that finds out whether the witness can reach the node at all.
	Inquiry int
}

// Answer is what became of a Probe.
type Answer string

// The answers.
const (
	// Reached is that the node's kernel has answered, also to refuse the connection.
	Reached Answer = "Reached"
	// Unreached is that nothing has answered.
	Unreached Answer = "Unreached"
	// Failed is that the witness could not try, or has not answered itself.
	Failed Answer = "Failed"
)

// Detector follows all nodes. It is not safe for concurrent use. The zero value is ready to use.
type Detector struct {
	nodes map[types.UID]*followed
	// order are the nodes in an order that does not change while they are the same: each node's witnesses are some of those that follow it.
	order []*followed
	// round is the number of the Observe.
	round int
	// last is when Observe was last called, undisturbed since when nothing was missed, and missed all time in which something may have been.
	last, undisturbed time.Time
	missed            time.Duration
	armed             bool
	inquiries         int
}

// followed is a node and what was found out about it.
type followed struct {
	Node
	round, at int // at is its index in order
	state     State
	// baseline is when a witness last reached the node while it lived, by the witness; asked is when it was last asked to, and nextBaseline
	// when the next one is.
	baseline, asked map[types.UID]time.Time
	nextBaseline    time.Time
	inquiry         *inquiry
	// reached is when a witness last reached the node while it was silent.
	reached time.Time
	// confirmed is when the witnesses last answered that they do not reach the node, and unreached how many they were.
	confirmed time.Time
	unreached int
	// missed is the Detector's at the last sign of life, and gap the last one in what was received of it that was long enough for silence.
	missed time.Duration
	gap    gap
}

// gap is the time between the last sign of life before a silence and what ended it.
type gap struct{ from, to time.Time }

// inquiry is what the witnesses of a silent node were asked.
type inquiry struct {
	number  int
	began   time.Time
	ended   time.Time // zero while answers are awaited
	answers map[types.UID]Answer
	// correlated is that another node was silent, too, when it began: what has ended for that one since may have ended for this one after the answers.
	correlated bool
}

// Observe takes in what is known at a time, and returns the probes to make. silentAfter is for how long a node gives no sign of life before
// its witnesses are asked. nodes are all nodes of the cluster.
func (d *Detector) Observe(now time.Time, silentAfter time.Duration, nodes []Node) []Probe {
	if tick := now.Sub(d.last); d.last.IsZero() {
		d.undisturbed = now
	} else if tick > maxTick {
		d.undisturbed = now
		d.missed += tick
	}
	d.last = now
	d.follow(silentAfter, nodes)
	d.arm(now)
	if !d.armed {
		return d.baselines(now)
	}
	var probes []Probe
	for _, n := range d.order {
		probes = append(probes, d.observe(now, silentAfter, n)...)
	}
	return append(probes, d.baselines(now)...)
}

// follow takes in nodes, and forgets those that are gone.
func (d *Detector) follow(silentAfter time.Duration, nodes []Node) {
	d.round++
	changed := false
	for i := range nodes {
		f := d.nodes[nodes[i].UID]
		if f == nil {
			if d.nodes == nil {
				d.nodes = map[types.UID]*followed{}
			}
			f = &followed{state: NotWatched, baseline: map[types.UID]time.Time{}, asked: map[types.UID]time.Time{}}
			d.nodes[nodes[i].UID], changed = f, true
		}
		if g := d.gapBefore(f, &nodes[i]); g.to.Sub(g.from)-(d.missed-f.missed) >= silentAfter {
			f.gap = g
		}
		if !nodes[i].lastSign().Equal(f.lastSign()) {
			f.missed = d.missed
		}
		f.Node, f.round = nodes[i], d.round
	}
	for uid, f := range d.nodes {
		if f.round != d.round {
			delete(d.nodes, uid)
			changed = true
		}
	}
	if changed {
		d.reorder()
	}
}

// gapBefore is the gap that ends with what was received of a node since it was last followed; none if nothing was. The end of a stream is received
// of the kernel, also of one that has booted meanwhile. After a stream was closed, a gap is one in which a renewal of the node's Lease was missed.
func (d *Detector) gapBefore(f *followed, now *Node) gap {
	switch {
	case !f.Connected, f.Ended == Goodbye:
		return gap{}
	case f.Ended == Closed && now.lastSign().Sub(f.LeaseReceived) <= renewInterval+QuietAfter:
		return gap{}
	case f.Ended == Closed:
		return gap{f.lastSign(), now.lastSign()}
	case now.Ended != Open:
		return gap{f.LastBeat, d.last}
	}
	return gap{f.LastBeat, now.LastBeat}
}

// kubeletAlone says whether the kubelet has renewed its Lease after the agent fell silent: its next sign of life is its next renewal.
func (n *Node) kubeletAlone() bool { return n.LeaseReceived.Sub(n.LastBeat) > QuietAfter }

// reorder puts the nodes in the order of a hash, in which neighbors have nothing in common: names and addresses often follow racks or zones.
func (d *Detector) reorder() {
	d.order = d.order[:0]
	for _, f := range d.nodes {
		d.order = append(d.order, f)
		for witness := range f.asked {
			if d.nodes[witness] == nil {
				delete(f.asked, witness)
				delete(f.baseline, witness)
				f.nextBaseline = time.Time{} // Another is looked for.
			}
		}
	}
	slices.SortFunc(d.order, func(a, b *followed) int {
		return cmp.Or(cmp.Compare(hash(a.UID), hash(b.UID)), cmp.Compare(a.UID, b.UID))
	})
	for i, f := range d.order {
		f.at = i
	}
}

func hash(uid types.UID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(uid))
	return h.Sum64()
}

// arm begins to judge nodes once most agents have a stream: before, a node without one says nothing. An agent that has had one is not waited for after its node
// is not expected to run it: the node may be gone for good.
func (d *Detector) arm(now time.Time) {
	expected, connected := 0, 0
	for _, f := range d.nodes {
		beats := d.beats(f, now)
		if f.Expected || beats {
			expected++
		}
		if beats {
			connected++
		}
	}
	d.armed = d.armed || connected >= minAgents && connected*100 >= expected*armingShare
}

// Armed says whether nodes are judged: most agents have had a stream at the same time since this process began.
func (d *Detector) Armed() bool { return d.armed }

// overdueFor is for how long a node has given no sign of life although one was due.
func (d *Detector) overdueFor(f *followed, now time.Time) time.Duration {
	quiet := d.quietFor(f, now)
	if f.kubeletAlone() {
		quiet -= renewInterval
	}
	return quiet
}

// quietFor is for how long there was no sign of life of a node, as far as this process can tell.
func (d *Detector) quietFor(f *followed, now time.Time) time.Duration {
	return d.since(f.lastSign(), now)
}

// since is how much time has passed since a sign of life in which this process would have received another.
func (d *Detector) since(sign, now time.Time) time.Duration {
	if d.undisturbed.After(sign) {
		sign = d.undisturbed
	}
	return now.Sub(sign)
}

// beats says whether a node's agent sends heartbeats.
func (d *Detector) beats(f *followed, now time.Time) bool {
	return f.Connected && f.Ended == Open && now.Sub(f.LastBeat) < QuietAfter
}

func (d *Detector) observe(now time.Time, silentAfter time.Duration, f *followed) []Probe {
	switch {
	case !f.Connected || f.Ended != Open:
		f.state, f.inquiry = NotWatched, nil
		return nil
	case f.reached.After(f.lastSign()):
		f.state, f.inquiry = Reachable, nil
		return nil
	case d.quietFor(f, now) < silentAfter:
		f.state, f.inquiry = Alive, nil
		return nil
	}
	q := f.inquiry
	var probes []Probe
	switch {
	case q == nil, !q.ended.IsZero() && now.Sub(q.ended) >= d.askAgainAfter(f):
		f.inquiry = d.inquire(now, silentAfter, f)
		probes = f.inquiry.probes(f)
	case q.ended.IsZero() && (q.answered() || now.Sub(q.began) >= inquiryTimeout):
		q.ended = now
	}
	switch {
	case q == nil:
		f.state = Suspect
	case !f.inquiry.ended.IsZero():
		f.state = d.judge(now, silentAfter, f)
	case f.state == Silent && d.correlated(now, silentAfter, f): // Others may fall silent while its witnesses are asked again.
		f.state = Correlated
	}
	return probes
}

// askAgainAfter is after what time the witnesses of a node are asked again: soon, where only others hold its failover up.
func (d *Detector) askAgainAfter(f *followed) time.Duration {
	if f.state == Silent || f.state == Correlated {
		return silentInterval
	}
	return inquiryInterval
}

// inquire begins an inquiry about a node, of its witnesses.
func (d *Detector) inquire(now time.Time, silentAfter time.Duration, f *followed) *inquiry {
	d.inquiries++
	q := &inquiry{number: d.inquiries, began: now, answers: map[types.UID]Answer{}, correlated: d.correlated(now, silentAfter, f)}
	for _, witness := range d.witnessesOf(now, f) {
		q.answers[witness] = ""
	}
	return q
}

// witnessesOf are the nodes that have reached a node while it lived and give signs of life themselves.
func (d *Detector) witnessesOf(now time.Time, f *followed) []types.UID {
	var all []types.UID
	for witness, reached := range f.baseline {
		if w := d.nodes[witness]; w != nil && d.beats(w, now) && f.lastSign().Sub(reached) < baselineLasts {
			all = append(all, witness)
		}
	}
	return all
}

func (q *inquiry) probes(f *followed) []Probe {
	var probes []Probe
	for witness := range q.answers {
		probes = append(probes, Probe{Witness: witness, Target: f.UID, Address: f.Address, Inquiry: q.number})
	}
	slices.SortFunc(probes, func(a, b Probe) int { return cmp.Compare(a.Witness, b.Witness) })
	return probes
}

func (q *inquiry) answered() bool {
	for _, a := range q.answers {
		if a == "" {
			return false
		}
	}
	return true
}

// judge is the state of a node whose witnesses have answered.
func (d *Detector) judge(now time.Time, silentAfter time.Duration, f *followed) State {
	var unreached []types.UID
	for witness, a := range f.inquiry.answers {
		if d.nodes[witness] != nil && a == Unreached {
			unreached = append(unreached, witness)
		}
	}
	switch {
	case !d.enough(f, unreached, d.beating(now)), d.overdueFor(f, now) < silentAfter:
		return Unconfirmed
	case f.inquiry.correlated, d.correlated(now, silentAfter, f):
		return Correlated
	case !d.othersHeard(now, silentAfter, f):
		return Suspect
	}
	f.confirmed, f.unreached = f.inquiry.ended, len(unreached)
	return Silent
}

// enough says whether so many witnesses of a node may say that it is silent. beating are the nodes that send heartbeats, by zone: if others
// than the node do in two zones, the witnesses must be in two.
func (d *Detector) enough(f *followed, of []types.UID, beating map[string]map[types.UID]bool) bool {
	zones, others := map[string]bool{}, 0
	for _, witness := range of {
		zones[d.nodes[witness].Zone] = true
	}
	for _, nodes := range beating {
		if len(nodes) > 1 || !nodes[f.UID] {
			others++
		}
	}
	return len(of) >= minWitnesses && len(zones) >= min(2, others)
}

// beating are the nodes that send heartbeats, by zone.
func (d *Detector) beating(now time.Time) map[string]map[types.UID]bool {
	all := map[string]map[types.UID]bool{}
	for uid, f := range d.nodes {
		if d.beats(f, now) {
			if all[f.Zone] == nil {
				all[f.Zone] = map[types.UID]bool{}
			}
			all[f.Zone][uid] = true
		}
	}
	return all
}

// Witnessed is how many nodes have enough witnesses for their silence to be confirmed; none before nodes are judged.
func (d *Detector) Witnessed(now time.Time) int {
	if !d.armed {
		return 0
	}
	witnessed, beating := 0, d.beating(now)
	for _, f := range d.order {
		if d.enough(f, d.witnessesOf(now, f), beating) {
			witnessed++
		}
	}
	return witnessed
}

// correlated says whether another node fell silent at about the same time, or may just have, also if it has been back for a while: what has ended for
// one may be about to end for the other. A node whose heartbeats ended with those of this one is cut off from the controller as this one is, also
// while the last renewal of its Lease is recent: one may have been under way. One whose stream was closed then may have been cut off before its agent
// could open another: it lives if its kubelet has renewed its Lease since.
func (d *Detector) correlated(now time.Time, silentAfter time.Duration, of *followed) bool {
	for _, f := range d.order {
		if f == of {
			continue
		}
		if now.Sub(f.gap.to) <= correlatedWithin && near(f.gap.from, of.LastBeat) {
			return true
		}
		switch {
		case !f.Connected, !near(f.lastSign(), of.lastSign()):
		case f.Ended == Goodbye:
		case f.Ended == Closed:
			if near(f.LastBeat, of.LastBeat) && f.lastSign().Before(d.silentSince(now, silentAfter, of)) {
				return true
			}
		case d.quietFor(f, now) >= QuietAfter, near(f.LastBeat, of.LastBeat) && d.since(f.LastBeat, now) >= QuietAfter:
			return true
		}
	}
	return false
}

// near says whether two signs of life came so close to one another that the silences after them count as correlated.
func near(a, b time.Time) bool { return a.Sub(b).Abs() <= correlatedWithin }

// othersHeard says whether all other agents that sent heartbeats when a node fell silent have sent one since its silence is long enough. What was under way when a
// node was cut off is received before.
func (d *Detector) othersHeard(now time.Time, silentAfter time.Duration, of *followed) bool {
	since := d.silentSince(now, silentAfter, of)
	return !slices.ContainsFunc(d.order, func(f *followed) bool {
		return f != of && f.Connected && f.Ended == Open && near(f.lastSign(), of.lastSign()) && near(f.LastBeat, of.LastBeat) && f.LastBeat.Before(since)
	})
}

// silentSince is when a node had given no sign of life for long enough.
func (d *Detector) silentSince(now time.Time, silentAfter time.Duration, f *followed) time.Time {
	return now.Add(silentAfter - d.overdueFor(f, now))
}

// Answered takes in the answer to a Probe.
func (d *Detector) Answered(now time.Time, p Probe, a Answer) {
	f := d.nodes[p.Target]
	switch {
	case f == nil:
	case p.Inquiry != 0 && a == Reached: // Also one that comes late counts against silence.
		f.reached, f.state = now, Reachable
	case p.Inquiry != 0:
		if q := f.inquiry; q != nil && q.number == p.Inquiry && q.ended.IsZero() {
			q.answers[p.Witness] = a
		}
	case a == Reached:
		f.baseline[p.Witness] = now
	case a == Unreached && d.beats(f, now):
		delete(f.baseline, p.Witness)
	case a == Failed:
		f.asked[p.Witness] = now.Add(failedRetry - baselineInterval)
	}
}

// Verdict is what is known of a node now.
type Verdict struct {
	State State
	// QuietFor is for how long the node has given no sign of life.
	QuietFor time.Duration
	// Unreached are how many witnesses have just not reached it.
	Unreached int
}

// Verdict is what is known of a node at a time. Silent is returned only on fresh answers: between Observes, a caller that acts asks again
// before each step.
func (d *Detector) Verdict(now time.Time, node types.UID) Verdict {
	f := d.nodes[node]
	if f == nil || !d.armed {
		return Verdict{State: NotWatched}
	}
	v := Verdict{State: f.state, QuietFor: d.quietFor(f, now)}
	if v.State == Silent {
		v.Unreached = f.unreached
		if now.Sub(d.last) > maxTick || now.Sub(f.confirmed) > confirmationLasts {
			v.State = Suspect
		}
	}
	return v
}

// States are all nodes with their states at a time.
func (d *Detector) States(now time.Time) iter.Seq2[Node, State] {
	return func(yield func(Node, State) bool) {
		for _, f := range d.order {
			if !yield(f.Node, d.Verdict(now, f.UID).State) {
				return
			}
		}
	}
}

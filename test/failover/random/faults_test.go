package random

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/record"
)

// injectFaults begins and ends what is planned for now.
func (n *run) injectFaults() {
	now := n.seconds()
	for i, f := range n.Faults {
		if _, begun := n.undo[i]; !begun && now >= f.At {
			n.log.Info("fault", "is", f)
			n.undo[i] = n.inject(f)
		}
		if end := n.undo[i]; end != nil && now >= f.At+f.For {
			n.undo[i] = nil
			end()
		}
	}
	n.later = slices.DeleteFunc(n.later, func(one later) bool {
		due := !time.Now().Before(one.at)
		if due {
			one.do()
		}
		return due
	})
	n.runLast(now - n.faultsEnd())
}

// later is a part of a fault that has yet to come.
type later struct {
	at time.Time
	do func()
}

// The keys of what is done after the last fault has ended, in undo.
const (
	mended = -1 - iota
	lastOff
	lastOn
)

// runLast is what happens when all faults are over: everything is mended, then a single machine fails, and returns.
func (n *run) runLast(since int) {
	once := func(key, at int, do func()) {
		if _, done := n.undo[key]; since >= at && !done {
			n.undo[key] = nil
			do()
		}
	}
	once(mended, 0, n.mend)
	once(lastOff, settle, func() {
		n.checker.checkSettled()
		m := n.target(n.Last)
		n.checker.beginLast(m)
		n.stopAtOnce(m)
	})
	once(lastOn, settle+offSeconds, func() {
		n.checker.checkLast()
		n.start(n.checker.last.machine)
	})
}

// stopAtOnce stops a machine by force: the cloud reports it later.
func (n *run) stopAtOnce(m *machine) {
	n.stopInCloud(m, false)
	n.powerOff(m)
}

// mend puts right what faults have left.
func (n *run) mend() {
	n.cuts, n.apiDown, n.touches, n.later = nil, false, 0, nil
	n.noDials(func(*machine) bool { return false })
	n.removeHandTaints()
	for _, m := range n.machines {
		m.standing, m.late = false, 0
		n.start(m)
		if m.on {
			m.kubelet, m.containers = true, true
			if !m.agent || m.hung {
				m.startAgent(time.Second)
			}
		}
	}
}

// removeHandTaints has people remove the taints that are theirs: set by hand, or without the annotation since they have removed that.
func (n *run) removeHandTaints() {
	for i := range n.nodes() {
		node := n.nodes()[i].DeepCopy()
		before := len(node.Spec.Taints)
		for annotation, taint := range map[string]string{failoverpolicy.SilentAnnotation: failoverpolicy.SilentTaint.Key, failoverpolicy.OutOfServiceAnnotation: corev1.TaintNodeOutOfService} {
			if _, noted := node.Annotations[annotation]; !noted {
				node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == taint })
			}
		}
		if len(node.Spec.Taints) < before {
			n.write(n.api.Direct.Update(n.ctx, node))
		}
	}
}

// target is the machine that a fault is about: those of which the latest is not gone.
func (n *run) target(i int) *machine {
	var all []*machine
	for _, m := range n.machines {
		if n.machineOf(m.node) == m && m.registered && m.recordAt(time.Now()).state != cloud.Gone && m.recordAt(time.Now()).name != "shutting-down" {
			all = append(all, m)
		}
	}
	return all[i%len(all)]
}

// inject begins a fault, and returns what ends it.
func (n *run) inject(f fault) (end func()) {
	for _, one := range []func(fault) (func(), bool){n.machineFault, n.agentFault, n.networkFault, n.apiFault, n.replicaFault, n.cloudFault, n.nodeFault, n.policyFault} {
		if end, is := one(f); is {
			if end == nil {
				return func() {}
			}
			return end
		}
	}
	panic("no such fault: " + string(f.Kind))
}

// clockStep is by how much wall clocks are set back.
const clockStep = 15 * time.Minute

func (n *run) machineFault(f fault) (end func(), is bool) {
	m := n.target(f.Target)
	switch f.Kind {
	case poweredOff:
		n.stopInCloud(m, false)
		return func() { n.start(m) }, true
	case hostDead:
		n.powerOff(m)
		return func() { n.bootAgain(m) }, true
	case terminated:
		if n.living() > 4 {
			n.stopInCloud(m, true)
		}
		return nil, true
	case terminatedLate:
		n.powerOff(m)
		n.later = append(n.later, later{time.Now().Add(62 * time.Second), func() { n.terminate(m) }}, later{time.Now().Add(69 * time.Second), func() { n.deleteTerminated(m) }})
		return nil, true
	case renamed:
		n.stopInCloud(m, true)
		return func() { n.replaceMachine(m) }, true
	case rebooted:
		n.powerOff(m)
		n.bootAgain(m)
		return nil, true
	case vmPaused:
		m.standing = true
		return func() {
			m.standing = false
			if f.For%3 == 0 { // As where a virtual machine goes on elsewhere.
				m.skew -= clockStep
			}
		}, true
	case stoppedLate:
		m.kubelet = false
		n.later = append(n.later, later{time.Now().Add(time.Minute), func() { n.stopInCloud(m, false) }}, later{time.Now().Add(100 * time.Second), func() { n.start(m) }})
		return nil, true
	case kubeletStopped:
		m.kubelet = false
		return func() { m.kubelet = m.on }, true
	case runtimeDown:
		m.containers = false
		return func() { m.containers = true }, true
	case leasesLate:
		m.late = 15 * time.Second
		return func() { m.late = 0 }, true
	case clockStepped:
		m.skew -= clockStep
		return nil, true
	case leadersClock:
		if leads := slices.IndexFunc(n.processes, func(p *process) bool { return p.elected }); leads >= 0 {
			step := time.Hour
			if f.At%2 == 0 {
				step = -step
			}
			n.processes[leads].host.skew += step
		}
		return nil, true
	case recreated:
		n.deleteNode(m)
		return func() { n.registerAgain(m) }, true
	case quietAtOnce:
		other := n.target(f.Target + 1)
		n.powerOff(m)
		n.powerOff(other)
		n.later = append(n.later, later{time.Now().Add(time.Duration(f.For/2) * time.Second), func() { n.bootAgain(other) }})
		return func() { n.bootAgain(m) }, true
	case mostOfZoneDown:
		m = n.inLargestZone(m)
		var down []*machine
		for _, one := range n.machines {
			if one.zone == m.zone && one != m {
				one.kubelet = false
				down = append(down, one)
			}
		}
		n.later = append(n.later, later{time.Now().Add(62 * time.Second), func() { n.powerOff(m) }}, later{time.Now().Add(80 * time.Second), func() {
			for _, one := range down {
				one.kubelet = one.on
			}
			n.bootAgain(m)
		}})
		return nil, true
	}
	return nil, false
}

// inLargestZone is a machine, or one of the zone that has the most.
func (n *run) inLargestZone(m *machine) *machine {
	in := map[string]int{}
	for i := range n.Nodes {
		one := n.target(i)
		if in[one.zone]++; in[one.zone] > in[m.zone] {
			m = one
		}
	}
	return m
}

// living are the machines that are not gone for good.
func (n *run) living() int {
	living := 0
	for _, m := range n.machines {
		if r := m.recordAt(time.Now()); r.state != cloud.Gone && r.name != "shutting-down" {
			living++
		}
	}
	return living
}

// bootAgain has a machine boot whose end the cloud has not noticed.
func (n *run) bootAgain(m *machine) {
	if !m.on && m.bootsAt.IsZero() && m.recordAt(time.Now()).name == "running" {
		m.bootsAt = time.Now().Add(boot)
	}
}

func (n *run) deleteNode(m *machine) {
	m.registered = false
	n.write(n.api.Direct.Delete(n.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.node}}))
	// The kubelet ends the agent with its pod.
	m.agent, m.goodbye = false, true
	m.kubelet = false
}

// terminate has the cloud end a machine for good that is off; it boots again if there are few.
func (n *run) terminate(m *machine) {
	if n.living() > 4 {
		n.stopInCloud(m, true)
	} else {
		n.bootAgain(m)
	}
}

// deleteTerminated has the cloud's controller delete the Node of a machine that is gone.
//
// Source: MonitorNodes in k8s.io/cloud-provider/controllers/nodelifecycle.
func (n *run) deleteTerminated(m *machine) {
	if m.recordAt(time.Now()).state == cloud.Gone && n.machineOf(m.node) == m && m.registered {
		n.deleteNode(m)
	}
}

func (n *run) registerAgain(m *machine) {
	if m.on {
		m.kubelet = true
		m.startAgent(5 * time.Second)
	}
}

// replaceMachine has another machine take the place and the name of one that is gone.
func (n *run) replaceMachine(m *machine) {
	if n.machineOf(m.node) != m {
		return
	}
	if m.on {
		n.powerOff(m)
		m.offAt = time.Time{}
		m.recordState(time.Now(), cloud.Gone, "terminated")
	}
	n.deleteNode(m)
	fresh := n.addMachine(m.node, int(m.zone[len(m.zone)-1]-'0'))
	fresh.zone = m.zone
}

func (n *run) agentFault(f fault) (end func(), is bool) {
	m := n.target(f.Target)
	again := func() {
		if m.on && !m.agent {
			m.startAgent(2 * time.Second)
		}
	}
	switch f.Kind {
	case agentKilled:
		m.agent = false
		return again, true
	case agentGoodbye:
		m.agent, m.goodbye = false, true
		return again, true
	case agentHangs:
		m.hung = true
		return func() { m.hung = false }, true
	}
	return nil, false
}

func (n *run) networkFault(f fault) (end func(), is bool) {
	m := n.target(f.Target)
	self, others, zone, rest := []string{m.node}, n.endsBut(m), []string{}, []string{apiEnd}
	for _, one := range n.machines {
		if one.zone == m.zone {
			zone = append(zone, one.node)
		} else {
			rest = append(rest, one.node)
		}
	}
	switch f.Kind {
	case apiCut:
		return n.cut(self, []string{apiEnd}, true), true
	case replicasCut:
		var hosts []string
		for _, p := range n.processes {
			if p.host != m {
				hosts = append(hosts, p.host.node)
			}
		}
		return n.cut(self, hosts, true), true
	case peersCut:
		return n.cut(self, slices.DeleteFunc(others, func(end string) bool { return end == apiEnd }), true), true
	case someCut:
		return n.cut(self, others[1:], true), true
	case outboundLost:
		return n.cut(self, others, false), true
	case inboundLost:
		return n.cut(others, self, false), true
	case isolated:
		return n.cut(self, others, true), true
	case twoIsolated:
		other := n.target(f.Target + 1)
		n.later = append(n.later, later{time.Now().Add(time.Duration(f.For/3) * time.Second), n.cut([]string{other.node}, n.endsBut(other), true)})
		return n.cut(self, others, true), true
	case dialsFail:
		try := n.inLargestZone(m).zone
		n.noDials(func(one *machine) bool { return one.zone != try })
		return func() { n.noDials(func(*machine) bool { return false }) }, true
	case oneDials:
		tries := n.target(f.Target + 1)
		n.noDials(func(one *machine) bool { return one != tries })
		return func() { n.noDials(func(*machine) bool { return false }) }, true
	case zoneCut:
		return n.cut(zone, rest, true), true
	case probesSlow:
		n.probesSlowUntil = time.Now().Add(time.Duration(f.For) * time.Second)
		return nil, true
	}
	return nil, false
}

// noDials has agents of machines open no connections, as where there are no more file descriptors.
func (n *run) noDials(of func(*machine) bool) {
	for _, m := range n.machines {
		m.noDials = of(m)
	}
}

// endsBut are the endpoints but a machine's; the first is one's that hosts no replica of the controller.
func (n *run) endsBut(m *machine) []string {
	all := []string{apiEnd}
	for _, one := range n.machines {
		if one.node != m.node && !slices.Contains(all, one.node) {
			all = append(all, one.node)
		}
	}
	slices.Reverse(all)
	return all
}

func (n *run) cut(from, to []string, both bool) (end func()) {
	added := []*cut{{from, to}}
	if both {
		added = append(added, &cut{to, from})
	}
	n.cuts = append(n.cuts, added...)
	return func() {
		n.cuts = slices.DeleteFunc(n.cuts, func(c *cut) bool { return slices.Contains(added, c) })
	}
}

func (n *run) apiFault(f fault) (end func(), is bool) {
	until := time.Now().Add(time.Duration(f.For) * time.Second)
	switch f.Kind {
	case apiFails:
		n.flakyUntil = until
	case apiSlow:
		n.slowUntil = until
	case staleCache:
		n.staleUntil = until
	case apiDown:
		n.apiDown = true
		return func() { n.apiDown = false }, true
	case touched:
		n.touches++
		return func() { n.touches = max(0, n.touches-1) }, true
	default:
		return nil, false
	}
	return nil, true
}

// touchAll writes to every node and pod.
func (n *run) touchAll() {
	nodes, pods := slices.Clone(n.nodes()), slices.Clone(n.pods())
	for i := range nodes {
		n.touch(nodes[i].DeepCopy())
	}
	for i := range pods {
		n.touch(pods[i].DeepCopy())
	}
}

func (n *run) touch(o client.Object) {
	annotations := maps.Clone(o.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["example.com/touched"] = time.Now().Format(time.RFC3339Nano)
	o.SetAnnotations(annotations)
	n.write(n.api.Direct.Update(n.ctx, o))
}

func (n *run) replicaFault(f fault) (end func(), is bool) {
	until := time.Now().Add(time.Duration(f.For) * time.Second)
	leads := slices.IndexFunc(n.processes, func(p *process) bool { return p.elected })
	switch f.Kind {
	case replicaKilled:
		if leads >= 0 {
			p := n.processes[leads]
			p.callsUntilKill, p.answered = f.Target%5, f.For%2 == 0
			return func() { p.kill() }, true
		}
	case replicaPaused:
		if leads >= 0 {
			n.processes[leads].standsUntil = until
		}
	case replicasPaused:
		for _, p := range n.processes {
			p.standsUntil = until
		}
	case leadLost:
		if lease, err := (&record.Records{Reader: n.api.Direct}).Lease(n.ctx); err == nil && lease != nil {
			lease.Spec.HolderIdentity = new("somebody")
			lease.Spec.RenewTime = new(metav1.NewMicroTime(time.Now()))
			n.write(n.api.Direct.Update(n.ctx, lease))
		}
	default:
		return nil, false
	}
	return nil, true
}

func (n *run) cloudFault(f fault) (end func(), is bool) {
	until := time.Now().Add(time.Duration(f.For) * time.Second)
	switch f.Kind {
	case cloudFails:
		n.cloudFailsUntil = until
	case cloudForbids:
		n.cloudForbidsUntil = until
	case cloudUnknown:
		n.cloudUnknownUntil = until
	case cloudSlow:
		n.cloudSlowUntil = until
	default:
		return nil, false
	}
	return nil, true
}

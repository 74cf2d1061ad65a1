package random

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
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
	case recreated:
		n.deleteNode(m)
		return func() { n.registerAgain(m) }, true
	case quietAtOnce:
		other := n.target(f.Target + 1)
		n.powerOff(m)
		n.powerOff(other)
		return func() { n.bootAgain(m); n.bootAgain(other) }, true
	case mostOfZoneDown:
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
	case zoneCut:
		return n.cut(zone, rest, true), true
	case probesSlow:
		n.probesSlowUntil = time.Now().Add(time.Duration(f.For) * time.Second)
		return nil, true
	}
	return nil, false
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

// othersTaint is one that is nobody's here.
var othersTaint = corev1.Taint{Key: "example.com/others", Effect: corev1.TaintEffectNoSchedule}

// nodeFault is what people and others do to a Node.
func (n *run) nodeFault(f fault) (end func(), is bool) {
	m := n.marked(n.target(f.Target), f.Kind)
	remove := func(keys ...string) func() {
		return func() {
			n.editNode(m, func(node *corev1.Node) {
				node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return slices.Contains(keys, t.Key) })
			})
		}
	}
	switch f.Kind {
	case tainted:
		n.editNode(m, func(node *corev1.Node) { node.Spec.Taints = append(node.Spec.Taints, othersTaint) })
		return remove(othersTaint.Key), true
	case handTainted:
		if m.on || n.apiDown {
			return nil, true
		}
		n.editNode(m, func(node *corev1.Node) {
			if !kube.IsOutOfService(node) {
				node.Spec.Taints = append(node.Spec.Taints, kube.OutOfServiceTaint)
			}
		})
		return nil, true
	case cordoned:
		n.editNode(m, func(node *corev1.Node) { node.Spec.Unschedulable = true })
		return func() { n.editNode(m, func(node *corev1.Node) { node.Spec.Unschedulable = false }) }, true
	case taintRemoved:
		remove(failoverpolicy.SilentAnnotation, corev1.TaintNodeOutOfService)()
		return nil, true
	case noteRemoved, noteGarbled:
		n.editNode(m, func(node *corev1.Node) { spoil(node, f.Kind == noteGarbled) })
		return nil, true
	case confirmed: // The command refuses it if that is too early.
		n.powerOff(m)
		return func() {
			if !m.on && !n.apiDown {
				n.confirm(m)
			}
			n.bootAgain(m)
		}, true
	}
	return nil, false
}

// marked is the machine that people do something to which is about a machine that is off, or about the marks of naosu, if there is one.
func (n *run) marked(drawn *machine, kind kind) *machine {
	for _, m := range n.machines {
		node := n.nodeNamed(m.node)
		if n.machineOf(m.node) != m || node == nil {
			continue
		}
		_, silent := node.Annotations[failoverpolicy.SilentAnnotation]
		_, off := node.Annotations[failoverpolicy.OutOfServiceAnnotation]
		switch kind {
		case handTainted, confirmed:
			if !m.on {
				return m
			}
		case taintRemoved, noteRemoved, noteGarbled:
			if silent || off {
				return m
			}
		}
	}
	return drawn
}

func (n *run) nodeNamed(name string) *corev1.Node {
	for i := range n.nodes() {
		if n.nodes()[i].Name == name {
			return &n.nodes()[i]
		}
	}
	return nil
}

// spoil removes or garbles the annotations of naosu on a node. A taint whose annotation is gone is a person's.
func spoil(node *corev1.Node, garble bool) {
	for _, key := range []string{failoverpolicy.SilentAnnotation, failoverpolicy.OutOfServiceAnnotation} {
		if _, there := node.Annotations[key]; !there {
			continue
		}
		if garble {
			node.Annotations[key] = "{"
			continue
		}
		delete(node.Annotations, key)
	}
}

func (n *run) editNode(m *machine, edit func(*corev1.Node)) {
	node := &corev1.Node{}
	if err := n.api.Direct.Get(n.ctx, client.ObjectKey{Name: m.node}, node); err != nil {
		must(client.IgnoreNotFound(err))
		return
	}
	edit(node)
	n.write(n.api.Direct.Update(n.ctx, node))
}

// policyFault is what people do to policies and workloads.
func (n *run) policyFault(f fault) (end func(), is bool) {
	name := n.policies()[f.Target%len(n.Policies)].Name
	edit := func(edit func(*v1alpha1.FailoverPolicySpec)) {
		policy := &v1alpha1.FailoverPolicy{}
		if err := n.api.Direct.Get(n.ctx, client.ObjectKey{Name: name}, policy); err != nil {
			must(client.IgnoreNotFound(err))
			return
		}
		edit(&policy.Spec)
		policy.Generation++
		n.write(n.api.Direct.Update(n.ctx, policy))
		n.note()
	}
	switch f.Kind {
	case paused:
		edit(func(s *v1alpha1.FailoverPolicySpec) { s.Paused = !s.Paused })
		return func() { edit(func(s *v1alpha1.FailoverPolicySpec) { s.Paused = !s.Paused }) }, true
	case reportOnly:
		edit(func(s *v1alpha1.FailoverPolicySpec) { s.Mode = v1alpha1.ModeReport })
		return func() { edit(func(s *v1alpha1.FailoverPolicySpec) { s.Mode = v1alpha1.ModeAuto }) }, true
	case policyDeleted:
		n.write(n.api.Direct.Delete(n.ctx, &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}))
		n.note()
	case policyEdited:
		edit(func(s *v1alpha1.FailoverPolicySpec) { s.UnreachableSeconds = 30 + (s.UnreachableSeconds+17)%200 })
	case policyNever:
		edit(func(s *v1alpha1.FailoverPolicySpec) {
			s.OutOfService, s.ReplaceOnSilence = v1alpha1.OutOfServiceNever, v1alpha1.ReplaceNever
		})
	case scaledDown:
		if n.scale(f.Target, 1) {
			n.note()
		}
	default:
		return nil, false
	}
	return nil, true
}

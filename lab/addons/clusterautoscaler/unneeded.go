package clusterautoscaler

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const scaleDownDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled"

// leaving is a node that is unneeded or being removed.
type leaving struct {
	node *corev1.Node
	used used
	move []*corev1.Pod // to other nodes
	wait bool          // for a pod that asked to finish
}

// findUnneeded looks for unneeded nodes: little used, and every pod movable to a node that stays. One node's
// pods are moved in the snapshot before the next node is looked at, so that all that are found can go together.
func (p *planner) findUnneeded() {
	budgets := make([]*policyv1.PodDisruptionBudget, len(p.world.budgets))
	for i, b := range p.world.budgets {
		budgets[i] = b.DeepCopy()
	}
	since := p.state.unneeded
	p.state.unneeded = map[string]time.Time{}
	p.leaving = map[string]leaving{}
	maps.DeleteFunc(p.state.recheck, func(_ string, until time.Time) bool { return !until.After(p.world.now) })
	destinations := map[string]bool{}
	for _, n := range p.world.nodes {
		destinations[n.Name] = !p.isLeaving(n)
	}
	for _, n := range p.candidates(since) {
		if len(p.leaving) >= len(since)+2*p.cfg.removals {
			break // more than can be removed for a while, and each costs a simulation
		}
		l, ok := p.simulateRemoval(n, budgets, destinations)
		if !ok {
			p.state.recheck[n.Name] = p.world.now.Add(p.cfg.recheck)
			continue
		}
		spend(budgets, l.move)
		p.leaving[n.Name] = l
		p.state.unneeded[n.Name] = p.world.now
		if first, ok := since[n.Name]; ok {
			p.state.unneeded[n.Name] = first
		}
	}
}

// candidates are little used nodes of groups that may shrink: those found before first, then empty ones, then by name.
func (p *planner) candidates(since map[string]time.Time) []*corev1.Node {
	var found []*corev1.Node
	for _, n := range p.world.nodes {
		g := p.world.groupOf(n.Name)
		_, later := p.state.recheck[n.Name]
		_, known := p.cluster.at[n.Name]
		if g == nil || g.target <= g.min || later || !known || p.isLeaving(n) || n.Annotations[scaleDownDisabled] == "true" {
			continue
		}
		if utilization(n, p.cluster.pods(n.Name)).highest <= p.cfg.utilization {
			found = append(found, n)
		}
	}
	rank := func(n *corev1.Node) int {
		if _, before := since[n.Name]; before {
			return 0
		}
		if !slices.ContainsFunc(p.cluster.pods(n.Name), func(pod *corev1.Pod) bool { return !isDaemonSetPod(pod) && !isMirrorPod(pod) }) {
			return 1
		}
		return 2
	}
	slices.SortStableFunc(found, func(a, b *corev1.Node) int { return cmp.Compare(rank(a), rank(b)) })
	return found
}

// isLeaving says whether a node is being removed already, be it by a program that has since been replaced by this one.
func (p *planner) isLeaving(n *corev1.Node) bool {
	_, ours := p.state.removals[n.Name]
	return ours || hasTaint(n, toBeDeletedTaint)
}

// simulateRemoval tries the cluster without a node. The node stays in the snapshot, tainted, while its pods look for a place: it
// still counts for topology spreading. If all find one, they are left there.
func (p *planner) simulateRemoval(n *corev1.Node, budgets []*policyv1.PodDisruptionBudget, destinations map[string]bool) (leaving, bool) {
	l := leaving{node: n, used: utilization(n, p.cluster.pods(n.Name))}
	for _, pod := range p.cluster.pods(n.Name) {
		switch p.drainable(pod, budgets) {
		case blocked:
			return leaving{}, false
		case wait:
			l.wait = true
		case move:
			l.move = append(l.move, pod)
		}
	}
	ghost := n.DeepCopy()
	ghost.Spec.Taints = append(ghost.Spec.Taints, corev1.Taint{Key: toBeDeletedTaint, Effect: corev1.TaintEffectNoSchedule})
	s := p.cluster.fork()
	s.replace(newNodeInfo(ghost))
	for _, pod := range l.move {
		unbound := *pod
		unbound.Spec.NodeName = ""
		node := p.judge.firstFit(p.ctx, s, &unbound, func(name string) bool { return name != n.Name && destinations[name] })
		if node == "" {
			return leaving{}, false
		}
		s.place(&unbound, node)
	}
	s.remove(n.Name)
	p.cluster = s
	return l, true
}

// used is how much of a node is asked for.
type used struct {
	cpu, memory, highest float64
	resource             corev1.ResourceName // the one that is asked for most
}

// utilization counts every pod's requests, those of DaemonSets too, against what is allocatable.
func utilization(n *corev1.Node, pods []*corev1.Pod) used {
	var cpu, memory resource.Quantity
	for _, pod := range pods {
		asked := requests(pod)
		cpu.Add(*asked.Cpu())
		memory.Add(*asked.Memory())
	}
	u := used{cpu: share(&cpu, n.Status.Allocatable.Cpu()), memory: share(&memory, n.Status.Allocatable.Memory())}
	u.highest, u.resource = u.memory, corev1.ResourceMemory
	if u.cpu > u.memory {
		u.highest, u.resource = u.cpu, corev1.ResourceCPU
	}
	return u
}

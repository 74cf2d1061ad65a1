package clusterautoscaler

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// coolingDown says whether nothing is to be removed yet after a scale-up or a failure.
func (p *planner) coolingDown() bool {
	now := p.world.now
	return p.state.lastScaleUp.Add(p.cfg.afterAdd).After(now) || p.state.lastFailure.Add(p.cfg.afterFailure).After(now)
}

// removeUnneeded begins to remove nodes that have been unneeded for long enough: empty ones several at once, others one
// after another.
func (p *planner) removeUnneeded() {
	sizes := map[string]int{}
	drains := 0
	for _, r := range p.state.removals {
		sizes[r.group]--
		if r.drain {
			drains++
		}
	}
	for _, drain := range []bool{false, true} {
		for _, name := range slices.Sorted(maps.Keys(p.leaving)) {
			l := p.leaving[name]
			g := p.world.groupOf(name)
			switch {
			case (len(l.move) > 0) != drain, l.wait, !p.unneededLongEnough(l.node), g.target+sizes[g.name] <= g.min:
			case len(p.state.removals) >= p.cfg.removals, drain && drains >= p.cfg.drains:
			default:
				sizes[g.name]--
				if drain {
					drains++
				}
				p.beginRemoval(g, l)
			}
		}
	}
}

func (p *planner) unneededLongEnough(n *corev1.Node) bool {
	required := p.cfg.unneeded
	if !isReady(n) {
		required = p.cfg.unready
	}
	return p.state.unneeded[n.Name].Add(required).Before(p.world.now)
}

func (p *planner) beginRemoval(g *group, l leaving) {
	p.actions.remove = append(p.actions.remove, l)
	p.state.removals[l.node.Name] = removal{
		group: g.name, instance: g.instances[l.node.Name].id, tainted: p.world.now, drain: len(l.move) > 0,
	}
	delete(p.state.unneeded, l.node.Name)
}

// tainted records the API server's answer to the taint of a node to remove and returns what follows from it.
func (m *scanState) tainted(l leaving, err error, now time.Time) (outcome actions) {
	n := l.node
	if err != nil {
		outcome.warn(n, "ScaleDownFailed", "failed to mark the node as toBeDeleted/unschedulable: %v", err)
		delete(m.removals, n.Name)
		m.lastFailure = now
		return outcome
	}
	outcome.event(n, "ScaleDown", "marked the node as toBeDeleted/unschedulable")
	if len(l.move) > 0 {
		outcome.event(nil, "ScaleDown", "Scale-down: removing node %s, utilization: {%v %v 0 0 %v %v}, pods to reschedule: %s",
			n.Name, l.used.cpu, l.used.memory, l.used.resource, l.used.highest, podNames(l.move))
	} else {
		outcome.event(nil, "ScaleDownEmpty", "Scale-down: removing empty node %q", n.Name)
	}
	return outcome
}

// continueRemovals takes the next step of each removal: taint, a pause until the scheduler has seen it, eviction
// until every pod is gone, termination.
func (p *planner) continueRemovals() {
	for _, name := range slices.Sorted(maps.Keys(p.state.removals)) {
		r := p.state.removals[name]
		i := slices.IndexFunc(p.world.nodes, func(n *corev1.Node) bool { return n.Name == name })
		if i < 0 {
			delete(p.state.removals, name) // something else has removed it
			continue
		}
		if !p.world.now.Before(r.tainted.Add(p.cfg.afterTaint)) {
			p.continueRemoval(p.world.nodes[i], r)
		}
	}
}

func (p *planner) continueRemoval(n *corev1.Node, r removal) {
	if !r.drain {
		if slices.ContainsFunc(p.bound[n.Name], func(pod *corev1.Pod) bool { return p.drainable(pod, nil) != ignore }) {
			p.giveUp(n, r, fmt.Sprintf("failed to delete empty node %q, new pods scheduled", n.Name))
			return
		}
		p.actions.terminate = append(p.actions.terminate, termination{n, r.instance, r.drain})
		return
	}
	pods := filterPods(p.bound[n.Name], func(pod *corev1.Pod) bool { return !isMirrorPod(pod) && !isDaemonSetPod(pod) })
	if len(pods) == 0 {
		p.actions.terminate = append(p.actions.terminate, termination{n, r.instance, r.drain})
		return
	}
	p.evict(n, r, pods)
}

// evict retries refused evictions at every scan; DaemonSet pods are evicted once and not waited for.
func (p *planner) evict(n *corev1.Node, r removal, pods []*corev1.Pod) {
	now := p.world.now
	first := r.evicting.IsZero()
	if first {
		r.evicting = now
		pods = append(pods, filterPods(p.bound[n.Name], isDaemonSetPod)...)
	}
	staying := filterPods(pods, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil })
	switch {
	case len(staying) > 0 && now.After(r.evicting.Add(p.cfg.eviction)):
		for _, pod := range staying {
			p.actions.warn(pod, "ScaleDownFailed", "failed to delete pod for ScaleDown")
		}
		p.giveUp(n, r, fmt.Sprintf("Failed to drain node /%s, due to following errors: [failed to evict pod %s/%s within allowed timeout]",
			n.Name, staying[0].Namespace, staying[0].Name))
		return
	case now.After(r.evicting.Add(p.cfg.eviction + p.cfg.grace)):
		p.giveUp(n, r, fmt.Sprintf("Failed to drain node /%s: pods remaining after timeout", n.Name))
		return
	}
	if first {
		for _, pod := range staying {
			p.actions.event(pod, "ScaleDown", "deleting pod for node scale down")
		}
	}
	p.actions.evict = append(p.actions.evict, staying...)
	p.state.removals[n.Name] = r
}

// giveUp ends a removal and keeps the node.
func (p *planner) giveUp(n *corev1.Node, r removal, why string) {
	what := "failed to delete empty node"
	if r.drain {
		what = "failed to drain and delete node"
	}
	p.actions.warn(n, "ScaleDownFailed", "%s: %s", what, why)
	p.actions.untaint = append(p.actions.untaint, n)
	delete(p.state.removals, n.Name)
}

// terminated records the cloud's answer to a termination and returns what follows from it.
func (m *scanState) terminated(t termination, err error) (outcome actions) {
	delete(m.removals, t.node.Name)
	switch {
	case err != nil:
		what := "failed to delete empty node"
		if t.drain {
			what = "failed to drain and delete node"
		}
		outcome.warn(t.node, "ScaleDownFailed", "%s: failed to delete nodes from group: %v", what, err)
		outcome.untaint = append(outcome.untaint, t.node)
		return outcome
	case t.drain:
		outcome.event(nil, "ScaleDown", "Scale-down: node %s removed with drain", t.node.Name)
	default:
		outcome.event(nil, "ScaleDownEmpty", "Scale-down: empty node %s removed", t.node.Name)
	}
	outcome.event(t.node, "ScaleDown", "nodes removed by cluster autoscaler")
	return outcome
}

// podsOfDrainedNodes are looked after before they are evicted, as if they were unschedulable already.
func (p *planner) podsOfDrainedNodes() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, name := range slices.Sorted(maps.Keys(p.state.removals)) {
		for _, pod := range p.bound[name] {
			if pod.DeletionTimestamp == nil && !isMirrorPod(pod) && !isDaemonSetPod(pod) {
				unbound := *pod
				unbound.Spec.NodeName = ""
				pods = append(pods, &unbound)
			}
		}
	}
	return pods
}

// markCandidates puts a soft taint on unneeded nodes, so that new pods rather go elsewhere, and takes it off again.
func (p *planner) markCandidates() {
	for _, n := range p.world.nodes {
		_, unneeded := p.state.unneeded[n.Name]
		switch marked := hasTaint(n, deletionCandidateTaint); {
		case p.world.groupOf(n.Name) == nil, p.isLeaving(n):
		case unneeded && !marked && len(p.actions.soft) < p.cfg.softTaints:
			p.actions.soft = append(p.actions.soft, n)
		case !unneeded && marked && len(p.actions.hard) < p.cfg.softTaints:
			p.actions.hard = append(p.actions.hard, n)
		}
	}
}

func podNames(pods []*corev1.Pod) string {
	names := make([]string, len(pods))
	for i, pod := range pods {
		names[i] = pod.Name
	}
	return strings.Join(names, ",")
}

package clusterautoscaler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// planner is one scan: RunOnce in core/static_autoscaler.go, in its order.
type planner struct {
	ctx       context.Context
	cfg       settings
	judge     *judge
	world     world
	state     scanState
	actions   actions
	cluster   *snapshot
	templates map[string]*framework.NodeInfo
	ready     map[string]readiness
	leaving   map[string]leaving
	bound     map[string][]*corev1.Pod // by node; expendable pods left out
}

// plan returns the actions of a scan and the state for the next one. It changes neither the world nor the state that it is given.
func plan(ctx context.Context, cfg settings, j *judge, w world, m scanState) (actions, scanState) {
	p := &planner{
		ctx: ctx, cfg: cfg, judge: j, world: w, state: m.clone(),
		templates: map[string]*framework.NodeInfo{}, ready: map[string]readiness{},
	}
	p.buildSnapshot()
	p.cleanUp()
	p.settleRequests()
	if w.total(cfg).healthy(cfg, len(w.nodes)) {
		p.decide()
	} else {
		clear(p.state.unneeded)
		p.actions.warn(nil, "ClusterUnhealthy", "Cluster is unhealthy")
	}
	p.continueRemovals()
	p.state.status = p.status()
	return p.actions, p.state
}

// buildSnapshot builds the snapshot. Pods below the priority cutoff are not in it: they make way for anything.
func (p *planner) buildSnapshot() {
	pods := filterPods(p.world.pods, func(pod *corev1.Pod) bool { return nodeOf(pod) != "" && !p.expendable(pod) })
	p.cluster = newSnapshot(p.world.nodes, pods)
	p.bound = map[string][]*corev1.Pod{}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			p.bound[pod.Spec.NodeName] = append(p.bound[pod.Spec.NodeName], pod)
		}
	}
	for i := range p.world.groups {
		g := &p.world.groups[i]
		if t := p.world.template(p.cfg, g, p.cluster); t != nil {
			p.templates[g.name] = t
		}
		p.ready[g.name] = p.world.readiness(p.cfg, g)
	}
}

func (p *planner) expendable(pod *corev1.Pod) bool { return priority(pod) < p.cfg.expendable }

// cleanUp takes off the taints of a program that ran before this one: its removals are not in the state.
func (p *planner) cleanUp() {
	if p.state.running {
		return
	}
	p.state.running = true
	for _, n := range p.world.nodes {
		if hasTaint(n, toBeDeletedTaint) && p.world.groupOf(n.Name) != nil {
			p.actions.untaint = append(p.actions.untaint, n)
		}
	}
}

// upcoming is how many nodes of a group are still to come. Registered nodes that never were ready are among them.
func (p *planner) upcoming(g *group) int {
	r := p.ready[g.name]
	return g.target - len(r.ready) - len(r.unready) - len(r.longUnregistered)
}

// settleRequests drops scale-ups that are complete, and reverts those that took too long.
func (p *planner) settleRequests() {
	for i := range p.world.groups {
		g := &p.world.groups[i]
		asked, ok := p.state.requests[g.name]
		switch {
		case !ok:
		case p.upcoming(g) <= 0:
			delete(p.state.requests, g.name)
		case asked.at.Add(p.cfg.provision).Before(p.world.now):
			p.actions.warn(nil, "ScaleUpTimedOut", "Nodes added to group %s failed to register within %v", g.name, p.world.now.Sub(asked.at).Round(time.Second))
			p.actions.resizes = append(p.actions.resizes, resize{g.name, g.target, max(g.target-asked.increase, g.min), g.max, nil})
			p.state.backOff(p.cfg, g.name, "timeout", fmt.Sprintf("Scale-up timed out for node group %s", g.name), p.world.now)
			delete(p.state.requests, g.name)
		}
	}
}

func (p *planner) decide() {
	p.addUpcomingNodes()
	pods := p.podsToHelp()
	young := len(pods) > 0 && !slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
		return !pod.CreationTimestamp.Add(p.cfg.newPods).After(p.world.now)
	})
	if len(pods) > 0 && !young {
		p.scaleUp(pods)
	}
	p.findUnneeded()
	if !young && !p.coolingDown() {
		p.removeUnneeded()
	}
	p.markCandidates()
}

// addUpcomingNodes puts nodes that were asked for into the snapshot as if they were there, so that they are not requested twice.
// Only this program's own requests count: nodes that a person or a rotation is adding are not expected.
func (p *planner) addUpcomingNodes() {
	for i := range p.world.groups {
		g := &p.world.groups[i]
		template := p.templates[g.name]
		if _, asked := p.state.requests[g.name]; !asked || template == nil {
			continue
		}
		for n := range max(p.upcoming(g), 0) {
			p.cluster.add(copyOfTemplate(template, "upcoming-"+digits(n)))
		}
		for _, name := range p.ready[g.name].notStarted {
			p.cluster.remove(name)
		}
	}
}

// podsToHelp are the unschedulable pods that fit on no node. Whatever fits by now, or will on upcoming nodes,
// is placed in the snapshot and needs no help, and nodes are not added for DaemonSet pods.
func (p *planner) podsToHelp() []*corev1.Pod {
	pods := filterPods(p.world.pods, func(pod *corev1.Pod) bool { return isUnschedulable(pod) && !p.expendable(pod) })
	pods = append(pods, p.podsOfDrainedNodes()...)
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(priority(b), priority(a)) })
	var left []*corev1.Pod
	for _, pod := range pods {
		if node := p.judge.firstFit(p.ctx, p.cluster, pod, anyNode); node != "" {
			p.cluster.place(pod, node)
		} else if !isDaemonSetPod(pod) {
			left = append(left, pod)
		}
	}
	return left
}

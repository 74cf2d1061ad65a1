package random

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// onSilent checks that a node is declared silent.
func (c *checker) onSilent(p *process, _, after *corev1.Node) {
	c.counts.silent++
	if !c.led(p, c.leadWindow(p)) {
		c.report(leaderless, "%s declares %s silent", p.name, after.Name)
	}
	// The verdict was asked for before the lead was read, the policies, the Node and its Lease.
	c.checkDeclaredLease(p, after)
	nodes := c.n.nodes()
	silent, others, down := 0, 0, 0
	for i := range nodes {
		one := &nodes[i]
		if _, is := one.Annotations[failoverpolicy.SilentAnnotation]; is {
			silent++
		}
		if one.Name == after.Name || one.Labels[corev1.LabelTopologyZone] != after.Labels[corev1.LabelTopologyZone] {
			continue
		}
		others++
		if ready := kube.NodeReady(one); ready.Status != corev1.ConditionTrue && time.Since(ready.LastTransitionTime.Time) > c.cacheLag(p) {
			down++
		}
	}
	if silent > max(1, len(nodes)/10) {
		c.report(overBudget, "%s: %d of %d", after.Name, silent, len(nodes))
	}
	if down > 2 && down*100 >= others*55 {
		c.report(inOutage, "%s: %d of %d others are not ready", after.Name, down, others)
	}
	asks := func(a *asked) bool {
		return slices.ContainsFunc(a.policies, func(one v1alpha1.FailoverPolicy) bool { return asksOnSilence(&one) })
	}
	if !c.during(freshWindow, asks) {
		c.report(unasked, "%s is declared silent", after.Name)
	}
	if !p.wasTold(freshWindow, asksOnSilence) {
		c.report(unread, "%s is declared silent", after.Name)
	}
}

// cacheLag is how much older than a write the caches of a process may be.
func (c *checker) cacheLag(p *process) time.Duration {
	if time.Since(c.n.staleUntil) < 30*time.Second || time.Since(c.n.slowUntil) < 30*time.Second || p.stood > 0 || len(c.n.cuts) > 0 {
		return 30 * time.Second
	}
	return 3 * time.Second
}

// checkDeclaredLease checks that the Lease which a process has read before it declared a node silent is that of its Declaration.
func (c *checker) checkDeclaredLease(p *process, node *corev1.Node) {
	d, _ := failoverpolicy.SilenceOf(node)
	lease := c.leaseRead[p][node.Name]
	if lease == nil || d.BootID != node.Status.NodeInfo.BootID || !lease.Spec.RenewTime.Equal(d.RenewTime) {
		c.report(declaredAlive, "%s", node.Name)
	}
}

// onOff checks that a node is declared out of service.
func (c *checker) onOff(p *process, before, after *corev1.Node) {
	c.counts.outOfService++
	if !c.led(p, staleWindow) {
		c.report(leaderless, "%s declares %s out of service", p.name, after.Name)
	}
	if kube.IsNodeReady(before) {
		c.report(declaredReady, "%s", after.Name)
	}
	var reports []report
	for _, r := range c.n.reports {
		if r.p == p && r.providerID == after.Spec.ProviderID {
			reports = append(reports, r)
		}
	}
	if len(reports) < 2 {
		c.report(unproven, "%s: %d records", after.Name, len(reports))
		return
	}
	first, second := reports[len(reports)-2], reports[len(reports)-1]
	off := func(r report) bool { return r.state == cloud.Off || r.state == cloud.Gone }
	if between := second.asked.Sub(first.asked); !off(first) || !off(second) || between < 5*time.Second || between > time.Minute || first.boots != second.boots {
		c.report(unproven, "%s: %s and, %s later, %s", after.Name, first.state, between, second.state)
	}
	if second.on {
		c.report(declaredRunning, "%s", after.Name)
	}
	if !c.during(freshWindow+p.stood, func(a *asked) bool {
		return slices.ContainsFunc(a.policies, func(one v1alpha1.FailoverPolicy) bool { return releases(&one) })
	}) || !c.during(staleWindow+p.stood, func(a *asked) bool { return c.releasing(a, p.seen.world.PodsOn(after.Name)) }) {
		c.report(unasked, "%s is declared out of service", after.Name)
	}
	if !p.wasTold(freshWindow, releases) {
		c.report(unread, "%s is declared out of service", after.Name)
	}
}

// releasing says whether a pod is among those that a policy decides for which declares nodes out of service.
func (*checker) releasing(a *asked, pods []*corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
		ref := metav1.GetControllerOf(pod)
		return (ref == nil || ref.Kind != "DaemonSet") && releases(a.decides(pod))
	})
}

// onSpoke checks that it is taken back that a node is silent.
func (c *checker) onSpoke(_ *process, before, _ *corev1.Node) {
	d, _ := failoverpolicy.SilenceOf(before)
	if !c.gaveSign(d, before) && (d.By != "" || !kube.IsNodeReady(before)) {
		c.report(withdrewEarly, "%s is silent", before.Name)
	}
}

// onBack checks that it is taken back that a node is out of service.
func (c *checker) onBack(_ *process, before, _ *corev1.Node) {
	d, _ := failoverpolicy.DeclarationOf(before)
	if !c.gaveSign(d, before) && !kube.IsNodeReady(before) && kube.IsOutOfService(before) {
		c.report(withdrewEarly, "%s is out of service", before.Name)
	}
}

// gaveSign says whether the machine of a node has given a sign of life since a Declaration.
func (c *checker) gaveSign(d failoverpolicy.Declaration, node *corev1.Node) bool {
	return d.By != "" && (node.Status.NodeInfo.BootID != d.BootID || !c.lease(node.Name).Spec.RenewTime.Equal(d.RenewTime))
}

func (c *checker) lease(node string) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{}
	must(client.IgnoreNotFound(c.n.api.Direct.Get(c.n.ctx, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: node}, lease)))
	return lease
}

// lastFailure is that of the one machine that fails after everything was mended.
type lastFailure struct {
	machine *machine
	// replaced are the pods that must be replaced on silence, notReady those that must be set not ready, off whether its node must be declared out of service.
	replaced, notReady []types.UID
	off                bool
}

// checkSettled checks what must be so after no fault was injected for a while.
func (c *checker) checkSettled() {
	now := &c.n.history[len(c.n.history)-1]
	if !slices.ContainsFunc(c.n.processes, func(p *process) bool { return p.elected }) {
		c.report(notSettled, "no controller leads")
	}
	pods := c.n.pods()
	nodes := map[string]*corev1.Node{}
	all := c.n.nodes()
	for i := range all {
		nodes[all[i].Name] = &all[i]
		c.checkNodeSettled(now, &all[i], c.podsOn(pods, all[i].Name))
	}
	for i := range pods {
		pod := &pods[i]
		if node := nodes[pod.Spec.NodeName]; node == nil || !failoverpolicy.Healthy(node) || pod.DeletionTimestamp != nil || c.explicit(pod) {
			continue
		}
		p := now.decides(pod)
		if !acts(p) {
			continue
		}
		for _, t := range pod.Spec.Tolerations {
			if t.Key == corev1.TaintNodeNotReady && *t.TolerationSeconds != int64(p.Spec.NotReadySeconds) || t.Key == corev1.TaintNodeUnreachable && *t.TolerationSeconds != int64(p.Spec.UnreachableSeconds) {
				c.report(notSettled, "%s/%s stays for %d s with %s", pod.Namespace, pod.Name, *t.TolerationSeconds, t.Key)
			}
		}
	}
}

func (*checker) podsOn(pods []corev1.Pod, node string) (on []*corev1.Pod) {
	for i := range pods {
		if pods[i].Spec.NodeName == node {
			on = append(on, &pods[i])
		}
	}
	return on
}

func (c *checker) checkNodeSettled(now *asked, node *corev1.Node, pods []*corev1.Pod) {
	m := c.n.machineOf(node.Name)
	if m.uid != node.UID {
		return // It is being deleted, and another machine waits for its name.
	}
	_, silent := node.Annotations[failoverpolicy.SilentAnnotation]
	_, off := node.Annotations[failoverpolicy.OutOfServiceAnnotation]
	silent, off = silent || countTaint(node, failoverpolicy.SilentTaint.Key) > 0, off || countTaint(node, corev1.TaintNodeOutOfService) > 0
	switch {
	case m.on && (silent || off):
		c.report(notSettled, "%s has the taints %v, and its machine runs since %s", node.Name, node.Spec.Taints, m.onSince.Sub(c.n.began))
	case !m.on && !off && c.releasing(now, pods):
		c.report(notSettled, "%s is not declared out of service", node.Name)
	}
}

// beginLast notes what a machine's end must lead to.
func (c *checker) beginLast(m *machine) {
	now := &c.n.history[len(c.n.history)-1]
	pods := c.podsOn(c.n.pods(), m.node)
	c.last = lastFailure{machine: m, off: c.releasing(now, pods)}
	if c.obstructed(m) {
		return
	}
	for _, pod := range pods {
		p, ref := now.decides(pod), metav1.GetControllerOf(pod)
		switch {
		case pod.DeletionTimestamp != nil:
		case replaces(p) && ref != nil && now.replicas[ref.UID] >= 2 && c.movable(pod):
			c.last.replaced = append(c.last.replaced, pod.UID)
		case unreadies(p) && kube.IsPodReady(pod):
			c.last.notReady = append(c.last.notReady, pod.UID)
		}
	}
}

// obstructed says whether too much else has failed for a node to be declared silent.
func (c *checker) obstructed(m *machine) bool {
	nodes := c.n.nodes()
	silent, ready := 1, 0
	for i := range nodes {
		if _, is := failoverpolicy.SilenceOf(&nodes[i]); is && nodes[i].Name != m.node {
			silent++
		}
		if kube.IsNodeReady(&nodes[i]) {
			ready++
		}
	}
	return silent > max(1, len(nodes)/10) || ready < len(nodes) && ready < 4
}

// checkLast checks that what a machine's end must lead to was done, before its return.
func (c *checker) checkLast() {
	node := &corev1.Node{}
	must(c.n.api.Direct.Get(c.n.ctx, client.ObjectKey{Name: c.last.machine.node}, node))
	if _, off := failoverpolicy.DeclarationOf(node); c.last.off && !off {
		c.report(notSettled, "%s is off, and not declared out of service", node.Name)
	}
	for _, pod := range c.podsOn(c.n.pods(), node.Name) {
		if slices.Contains(c.last.notReady, pod.UID) && kube.IsPodReady(pod) {
			c.report(notSettled, "%s/%s on %s is ready", pod.Namespace, pod.Name, node.Name)
		}
	}
	for _, uid := range c.last.replaced {
		if !c.deleted[uid] {
			c.report(notSettled, "a pod of %s is not replaced: %s", node.Name, uid)
		}
	}
}

// checkEnd checks what must be so at the end of a run.
func (c *checker) checkEnd() {
	c.checkSettled()
	c.checkKept()
}

package random

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

const (
	keptNeedlessly violation = "kept a Node from being deleted that is ready, has no volumes or that no policy is about"
	releasedEarly  violation = "let a Node be deleted whose machine is not known to run, and from which volumes were yet to be detached"
)

// longestDelay is how long the deletion of a Node may be delayed.
const longestDelay = 10 * time.Minute

// longestUnproven is how long a Node may be kept after that. The controller may have asked just before it saw the deletion, and asks again within
// two minutes; another may have to take the lead, and the API server may be down meanwhile.
const longestUnproven = 5 * time.Minute

// onKept checks that a Node is kept from being deleted.
func (c *checker) onKept(p *process, node *corev1.Node) {
	c.counts.kept++
	if !c.led(p, staleWindow) {
		c.report(leaderless, "%s keeps %s", p.name, node.Name)
	}
	unattached := time.Since(c.n.attachedAt[node.Name]) > staleWindow+p.stood
	if kube.IsNodeReady(node) || node.DeletionTimestamp != nil || unattached || !c.mayRelease(p, node) {
		c.report(keptNeedlessly, "%s", node.Name)
	}
}

// mayRelease says whether a node is declared out of service, or a policy has asked lately that it be once its machine is off.
func (c *checker) mayRelease(p *process, node *corev1.Node) bool {
	_, declared := failoverpolicy.DeclarationOf(node)
	return declared || c.during(staleWindow+p.stood, func(a *asked) bool { return c.releasing(a, p.seen.world.PodsOn(node.Name)) })
}

// onReleased checks that a Node may be deleted from now on: its volumes are detached, nobody asks for more, its machine runs, or it was kept for long.
func (c *checker) onReleased(p *process, node *corev1.Node) {
	c.counts.released++
	if node.DeletionTimestamp == nil || kube.IsNodeReady(node) || !hasVolumes(c.n.look().world, node.Name) || !hasVolumes(p.seen.world, node.Name) {
		return
	}
	d, declared := failoverpolicy.DeclarationOf(node)
	unasked := !declared && c.during(staleWindow+p.stood, func(a *asked) bool { return !c.releasing(a, p.seen.world.PodsOn(node.Name)) })
	runs := slices.ContainsFunc(c.n.reports, func(r report) bool {
		told := r.state == cloud.On || r.state == cloud.NotFound
		return r.p == p && r.providerID == node.Spec.ProviderID && told && !r.asked.Before(node.DeletionTimestamp.Time)
	})
	waited := time.Since(node.DeletionTimestamp.Time) >= longestDelay || p.host.skew >= longestDelay
	returned := declared && c.gaveSign(d, node)
	if !unasked && !runs && !waited && !returned {
		c.report(releasedEarly, "%s", node.Name)
	}
}

// checkDelayed checks that no Node is kept from being deleted long after the cloud has reported that its machine runs: nothing will be proven.
func (c *checker) checkDelayed() {
	for _, node := range c.n.nodes() {
		if node.DeletionTimestamp == nil || !failoverpolicy.HasFinalizer(&node) {
			continue
		}
		var last *report
		for i := range c.n.reports {
			if c.n.reports[i].providerID == node.Spec.ProviderID && time.Since(c.n.reports[i].asked) > longestUnproven {
				last = &c.n.reports[i]
			}
		}
		if last != nil && last.state == cloud.On && !last.asked.Before(node.DeletionTimestamp.Time) {
			c.report(keptNeedlessly, "%s is still kept", node.Name)
		}
	}
}

// checkKept checks that no Node is kept for nothing after no fault was injected for a while.
func (c *checker) checkKept() {
	for _, node := range c.n.nodes() {
		if node.DeletionTimestamp != nil || failoverpolicy.HasFinalizer(&node) && kube.IsNodeReady(&node) {
			c.report(notSettled, "%s is kept, deleted at %v", node.Name, node.DeletionTimestamp)
		}
	}
}

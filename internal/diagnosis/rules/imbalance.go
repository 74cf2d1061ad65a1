package rules

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Imbalance finds N203: replicas concentrated on some nodes while a node that was added, or came back, after they were scheduled has
// fewer. Kubernetes moves no running pod, so it stays like that.
type Imbalance struct{}

var _ query.Rule = Imbalance{}

// Codes of Imbalance.
func (Imbalance) Codes() []finding.Code { return []finding.Code{finding.N203} }

// RequiredKinds of Imbalance.
func (Imbalance) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet}
}

// Applies to everything but pods that do not run.
func (Imbalance) Applies(q query.Query) bool { return query.IncludesRisks(q) }

// Find combines the workloads that are imbalanced because of the same node.
func (rule Imbalance) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	byNode := map[string][]imbalance{}
	for _, w := range facts.Workloads(q.World, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet) {
		if c, ok := imbalanceOf(q.World, w); ok && !q.Excludes(finding.N203, w.Ref) {
			byNode[c.emptier.Name] = append(byNode[c.emptier.Name], c)
		}
	}
	var found []finding.Finding
	for _, imbalances := range byNode {
		if f, ok := describeImbalance(ctx, q, imbalances); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return a.Message.Compare(b.Message) })
	return q.AboutSubject(found)
}

// imbalance is a workload with more pods on a node than its even share.
type imbalance struct {
	facts.Workload
	fullest string
	// emptier are the node that was added later, and other feasible nodes without any of the pods.
	emptier *corev1.Node
	empty   []string
	// evictions are the fewest pods that must be evicted for these nodes to get their share.
	evictions []*corev1.Pod
}

// significantShare is the share of a workload whose simultaneous loss justifies evictions.
const significantShare = 1.0 / 3

// imbalanceOf reports whether some node has more of a workload's pods than its even share, and a significant share, while a feasible
// node that was added after the pods were placed has at least two fewer.
func imbalanceOf(world *cluster.Snapshot, w facts.Workload) (imbalance, bool) {
	c := imbalance{Workload: w}
	most := facts.MaxPerDomain(w.Pods, facts.NodeName)
	if most < 2 || float64(most) < significantShare*float64(len(w.Pods)) {
		return c, false
	}
	oldest := slices.MinFunc(w.Pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	if !slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool { return availableSince(n).After(oldest.CreationTimestamp.Time) }) {
		return c, false
	}
	nodes := facts.NodesThatMayRun(world, oldest)
	inMotion := slices.ContainsFunc(w.Pods, func(p *corev1.Pod) bool { return query.NodeUnavailable(world, p.Spec.NodeName) })
	if inMotion || len(nodes) < 2 {
		return c, false
	}
	on := map[string][]*corev1.Pod{}
	for _, pod := range w.Pods {
		on[pod.Spec.NodeName] = append(on[pod.Spec.NodeName], pod)
	}
	share := (len(w.Pods) + len(nodes) - 1) / len(nodes)
	if most <= share {
		return c, false
	}
	for _, n := range nodes {
		if len(on[n.Name]) == 0 {
			c.empty = append(c.empty, n.Name)
		}
	}
	c.planEvictions(nodes, on)
	return c, len(c.evictions) > 0
}

// planEvictions moves pods from the fullest node to the emptiest until they differ by at most one.
func (c *imbalance) planEvictions(nodes []*corev1.Node, on map[string][]*corev1.Pod) {
	less := func(a, b *corev1.Node) int {
		return cmp.Or(cmp.Compare(len(on[a.Name]), len(on[b.Name])), cmp.Compare(a.Name, b.Name))
	}
	for {
		low := slices.MinFunc(nodes, less)
		high := ""
		for name, pods := range on {
			if high == "" || len(pods) > len(on[high]) || len(pods) == len(on[high]) && name < high {
				high = name
			}
		}
		i := slices.IndexFunc(on[high], func(p *corev1.Pod) bool { return availableSince(low).After(p.CreationTimestamp.Time) })
		if len(on[high])-len(on[low.Name]) < 2 || i < 0 {
			return
		}
		moved := on[high][i]
		if c.emptier == nil {
			c.fullest, c.emptier = high, low
		}
		c.evictions = append(c.evictions, moved)
		on[high] = slices.Delete(slices.Clone(on[high]), i, i+1)
		on[low.Name] = append(on[low.Name], &corev1.Pod{}) // The pod is now counted there.
		on[low.Name][len(on[low.Name])-1].CreationTimestamp.Time = availableSince(low)
	}
}

// availableSince is when a node last became able to run pods: when it was created, or last became Ready.
func availableSince(node *corev1.Node) time.Time {
	at := node.CreationTimestamp.Time
	if ready, _ := facts.Readiness(node); ready.Status == corev1.ConditionTrue && ready.LastTransitionTime.After(at) {
		at = ready.LastTransitionTime.Time
	}
	return at
}

// returned reports whether the node existed before and became Ready again.
func returned(node *corev1.Node) bool {
	return availableSince(node).Sub(node.CreationTimestamp.Time) > bootTime
}

func describeImbalance(ctx context.Context, q query.Query, imbalances []imbalance) (finding.Finding, bool) {
	node := imbalances[0].emptier
	ref := facts.RefTo(cluster.Node, node)
	f := finding.Finding{Code: finding.N203, Severity: finding.Warning}
	spread := finding.Link{Message: sentence.CauseUnevenSpread()}
	var refs []change.Ref
	total, lost := 0, map[string]int{}
	for _, c := range imbalances {
		refs = append(refs, c.Ref)
		total += len(c.Pods)
		for _, pod := range c.Pods {
			lost[pod.Spec.NodeName]++
		}
		if len(spread.Evidence) < query.MaxListed {
			spread.Evidence = append(spread.Evidence, facts.Evidence(c.Ref, "pods", facts.FormatDomainCounts(c.Pods, facts.NodeName, c.empty[:min(len(c.empty), query.MaxListed)])))
		}
	}
	fullest := imbalances[0].fullest
	for name, n := range lost {
		if n > lost[fullest] || n == lost[fullest] && name < fullest {
			fullest = name
		}
	}
	f.Subjects = append([]change.Ref{ref, {Kind: string(cluster.Node), Name: fullest}}, refs...)
	f.Message = sentence.Lopsided(ref, returned(node), q.FormatTime(availableSince(node)), f.Subjects[1], lost[fullest], total, q.Enumerate(refs))
	f.Causes = []finding.Link{spread, availableSinceLink(node), {Message: sentence.CauseNothingMoves()}}
	f.RuledOut = []finding.Link{{Message: sentence.NotClosed(ref)}}
	proposals, refuted := rebalance(ctx, q, imbalances)
	f.Remedies = markTogether(proposals)
	return f, !refuted
}

func availableSinceLink(node *corev1.Node) finding.Link {
	ref := facts.RefTo(cluster.Node, node)
	ready, _ := facts.Readiness(node)
	return finding.Link{Message: sentence.CauseCameLater(ref, returned(node)), Evidence: []finding.Evidence{
		facts.EvidenceSince(ref, "metadata.creationTimestamp", node.CreationTimestamp.UTC().Format(time.RFC3339), node.CreationTimestamp),
		facts.EvidenceSince(ref, "status.conditions[Ready]", string(ready.Status)+" "+ready.Reason, ready.LastTransitionTime),
	}}
}

// rebalance proposes the fewest evictions that balance the workloads, simulated as a sequence. There are none if the scheduler would
// place the pods where they were: then the imbalance is its decision.
func rebalance(ctx context.Context, q query.Query, imbalances []imbalance) (proposals []finding.Remedy, refuted bool) {
	var evictions []change.Change
	total := 0
	for _, c := range imbalances {
		total += len(c.evictions)
	}
	for _, c := range imbalances {
		for _, pod := range c.evictions {
			evicted := change.Evict{Namespace: pod.Namespace, Name: pod.Name}
			evictions = append(evictions, evicted)

			proposals = append(proposals, finding.Remedy{
				Message: sentence.RemedyEvict(evicted.Subject(), total, len(evictions), c.Ref), Change: evicted, Command: evicted.Command(),
				Cost: sentence.RemedyEvictCost(), Risk: sentence.RemedyEvictRisk(),
			})
		}
	}
	result, ok := q.Simulate(ctx, evictions...)
	if !ok {
		return proposals, false
	}
	for _, c := range imbalances {
		if !isBalanced(result, c) {
			return nil, true
		}
	}
	for i := range proposals {
		proposals[i].Verified = true
	}
	return proposals, false
}

// markTogether marks remedies that each solve another part of the finding.
func markTogether(proposals []finding.Remedy) []finding.Remedy {
	for i := range proposals {
		proposals[i].Together = len(proposals) > 1
	}
	return proposals
}

// isBalanced reports whether at the end every pod of the workload runs, no node has as many as the fullest had, and the emptier node
// has some: if it is full of other pods, it is not the cause of the imbalance.
func isBalanced(o outcome.Outcome, c imbalance) bool {
	pods := facts.PodsOfWorkload(o.World, c.Ref)
	placed := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
	return len(placed) >= len(c.Pods) && facts.MaxPerDomain(placed, facts.NodeName) < facts.MaxPerDomain(c.Pods, facts.NodeName) &&
		countOn(placed, c.emptier) > countOn(c.Pods, c.emptier)
}

func countOn(pods []*corev1.Pod, node *corev1.Node) int {
	n := 0
	for _, pod := range pods {
		if pod.Spec.NodeName == node.Name {
			n++
		}
	}
	return n
}

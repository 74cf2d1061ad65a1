package rules

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
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
	// emptier is the node that was added later, empty are the feasible nodes without any of the pods.
	emptier *corev1.Node
	empty   []string
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
	low := slices.MinFunc(nodes, func(a, b *corev1.Node) int {
		return cmp.Or(cmp.Compare(len(on[a.Name]), len(on[b.Name])), cmp.Compare(a.Name, b.Name))
	})
	high := slices.MinFunc(slices.Collect(maps.Keys(on)), func(a, b string) int { return cmp.Or(cmp.Compare(len(on[b]), len(on[a])), cmp.Compare(a, b)) })
	c.fullest, c.emptier = high, low
	return c, len(on[high])-len(on[low.Name]) > 1 && slices.ContainsFunc(on[high], func(p *corev1.Pod) bool { return availableSince(low).After(p.CreationTimestamp.Time) })
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
	remedies, kept, refuted := evictionsFor(ctx, q, imbalances)
	f.Causes, f.Remedies = append(f.Causes, kept...), remedies
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

// maxEvictions is how many evictions a finding proposes; `naosu rebalance plan` has the others.
const maxEvictions = 10

// evictionsFor proposes the evictions of a plan that balances the workloads, and says what keeps workloads as they are. The imbalance is refuted if no
// evictions help: then it is the scheduler's decision. It is also refuted if none of the pods could run on the emptier node: then that node is not why.
func evictionsFor(ctx context.Context, q query.Query, imbalances []imbalance) (remedies []finding.Remedy, kept []finding.Link, refuted bool) {
	if !q.CanSimulate() || !q.Known(cluster.PodDisruptionBudget) {
		return nil, nil, false
	}
	asked := map[change.Ref]bool{}
	for _, c := range imbalances {
		asked[c.Ref] = true
	}
	plan, err := rebalance.New(ctx, q.Judge, rebalance.Options{Asks: func(ref change.Ref) bool { return asked[ref] }, MaxEvictions: maxEvictions})
	if err != nil {
		return nil, nil, false
	}
	var moves []rebalance.Move
	for _, wave := range plan.Waves {
		moves = append(moves, wave.Moves...)
	}
	if len(moves) > 0 && !slices.ContainsFunc(moves, func(m rebalance.Move) bool { return mayLand(ctx, q, m, imbalances[0].emptier.Name) }) {
		return nil, nil, true
	}
	for _, m := range moves {
		evicted := change.Evict{Namespace: m.Pod.Namespace, Name: m.Pod.Name}
		remedies = append(remedies, finding.Remedy{
			Message: sentence.RemedyEvict(evicted.Subject(), len(moves), len(remedies)+1, m.Workload), Change: evicted, Command: evicted.Command(),
			Cost: sentence.RemedyEvictCost(), Risk: sentence.RemedyEvictRisk(), Verified: true, Together: len(moves) > 1,
		})
	}
	for _, unmet := range plan.Unmet {
		switch unmet.Reason {
		case rebalance.Protected, rebalance.InMotion:
			kept = append(kept, finding.Link{Message: unmet.Sentence(unmet.Workload)})
		case rebalance.LimitReached:
			remedies = append(remedies, finding.Remedy{
				Message: sentence.RemedyPlanRebalance(unmet.Workload), Command: "naosu rebalance plan --namespace " + unmet.Workload.Namespace,
				Cost: sentence.RemedyEvictCost(), Risk: sentence.RemedyEvictRisk(),
			})
		}
	}
	return remedies, kept, len(remedies)+len(kept) == 0
}

// mayLand reports whether the pod in place of an evicted one may run on a node: in a future of the plan, or as the node is now.
func mayLand(ctx context.Context, q query.Query, m rebalance.Move, node string) bool {
	if slices.Contains(m.To, node) {
		return true
	}
	created := q.World.Pod(m.Pod.Namespace, m.Pod.Name).DeepCopy()
	created.Spec.NodeName = ""
	fits, err := q.Judge.FitsOn(ctx, created, node)
	return err == nil && fits
}

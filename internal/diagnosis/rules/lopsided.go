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
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Lopsided finds N203: replicas crowd on some nodes while a node that came, or came back, after they were placed stands
// emptier. Kubernetes moves no running pod, so it stays like that.
type Lopsided struct{}

var _ query.Rule = Lopsided{}

// Codes of Lopsided.
func (Lopsided) Codes() []finding.Code { return []finding.Code{finding.N203} }

// Needs of Lopsided.
func (Lopsided) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.ReplicaSet, cluster.Deployment, cluster.StatefulSet}
}

// Concerns everything but pods that do not run.
func (Lopsided) Concerns(v query.View) bool { return query.AsksForRisk(v) }

// Find takes together the workloads that the same node's coming left lopsided.
func (rule Lopsided) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(rule.Needs()...) {
		return nil
	}
	byNode := map[string][]crowd{}
	for _, w := range facts.Workloads(v.World, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet) {
		if c, ok := crowded(v.World, w); ok && !v.PassesOver(finding.N203, w.Ref) {
			byNode[c.emptier.Name] = append(byNode[c.emptier.Name], c)
		}
	}
	var found []finding.Finding
	for _, crowds := range byNode {
		if f, ok := lopsided(ctx, v, crowds); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Message, b.Message) })
	return v.Concerning(found)
}

// crowd is a workload with more pods on a node than it need have.
type crowd struct {
	facts.Workload
	fullest string
	// emptier is the node that came later, with the open nodes that have none of the pods.
	emptier *corev1.Node
	empty   []string
	// moves are the fewest pods that must go for the emptier nodes to take their share.
	moves []*corev1.Pod
}

// matters is the share of a workload whose loss at once is worth moving pods for.
const matters = 1.0 / 3

// crowded says whether some node holds more of a workload than its even share, a share that matters, while an open node
// that came after the pods were placed has at least two less.
func crowded(world *cluster.Snapshot, w facts.Workload) (crowd, bool) {
	c := crowd{Workload: w}
	most := facts.MostOnOne(w.Pods, facts.NodeName)
	if most < 2 || float64(most) < matters*float64(len(w.Pods)) {
		return c, false
	}
	oldest := slices.MinFunc(w.Pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	if !slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool { return came(n).After(oldest.CreationTimestamp.Time) }) {
		return c, false
	}
	nodes := facts.OpenTo(world, oldest)
	inMotion := slices.ContainsFunc(w.Pods, func(p *corev1.Pod) bool { return query.PlaceDown(world, p.Spec.NodeName) })
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
	c.level(nodes, on)
	return c, len(c.moves) > 0
}

// level moves pods, on paper, from the fullest node to the emptiest until they differ by one at most.
func (c *crowd) level(nodes []*corev1.Node, on map[string][]*corev1.Pod) {
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
		i := slices.IndexFunc(on[high], func(p *corev1.Pod) bool { return came(low).After(p.CreationTimestamp.Time) })
		if len(on[high])-len(on[low.Name]) < 2 || i < 0 {
			return
		}
		moved := on[high][i]
		if c.emptier == nil {
			c.fullest, c.emptier = high, low
		}
		c.moves = append(c.moves, moved)
		on[high] = slices.Delete(slices.Clone(on[high]), i, i+1)
		on[low.Name] = append(on[low.Name], &corev1.Pod{}) // It stays where it was moved to.
		on[low.Name][len(on[low.Name])-1].CreationTimestamp.Time = came(low)
	}
}

// came is when a node last became able to take pods: when it was made, or when it last became Ready.
func came(node *corev1.Node) time.Time {
	at := node.CreationTimestamp.Time
	if ready, _ := facts.Readiness(node); ready.Status == corev1.ConditionTrue && ready.LastTransitionTime.After(at) {
		at = ready.LastTransitionTime.Time
	}
	return at
}

// returned says whether the node was there before and came back, rather than being new.
func returned(node *corev1.Node) bool { return came(node).Sub(node.CreationTimestamp.Time) > bootTime }

func lopsided(ctx context.Context, v query.View, crowds []crowd) (finding.Finding, bool) {
	node := crowds[0].emptier
	ref := facts.RefTo(cluster.Node, node)
	f := finding.Finding{Code: finding.N203, Severity: finding.Warning}
	spread := finding.Link{Message: v.Say.Text(message.CauseCrowd, nil)}
	var refs []change.Ref
	total, lost := 0, map[string]int{}
	for _, c := range crowds {
		refs = append(refs, c.Ref)
		total += len(c.Pods)
		for _, pod := range c.Pods {
			lost[pod.Spec.NodeName]++
		}
		if len(spread.Evidence) < query.MostListed {
			spread.Evidence = append(spread.Evidence, facts.Fact(c.Ref, "pods", facts.CountPlaces(c.Pods, facts.NodeName, c.empty[:min(len(c.empty), query.MostListed)])))
		}
	}
	fullest := crowds[0].fullest
	for name, n := range lost {
		if n > lost[fullest] || n == lost[fullest] && name < fullest {
			fullest = name
		}
	}
	f.Subjects = append([]change.Ref{ref, {Kind: string(cluster.Node), Name: fullest}}, refs...)
	args := message.Args{
		"node": ref, "workloads": v.Some(refs), "fullest": f.Subjects[1], "lost": lost[fullest], "total": total,
		"at": v.ClockTime(came(node)), "back": returned(node),
	}
	f.Message = v.Say.Text(message.Lopsided, args)
	f.Causes = []finding.Link{spread, cameLink(v, node, args), {Message: v.Say.Text(message.CauseNothingMoves, nil)}}
	f.RuledOut = []finding.Link{{Message: v.Say.Text(message.NotClosed, args)}}
	ways, refuted := rebalance(ctx, v, crowds)
	f.Remedies = together(ways)
	return f, !refuted
}

func cameLink(v query.View, node *corev1.Node, args message.Args) finding.Link {
	ref := facts.RefTo(cluster.Node, node)
	ready, _ := facts.Readiness(node)
	return finding.Link{Message: v.Say.Text(message.CauseCameLater, args), Evidence: []finding.Evidence{
		facts.FactSince(ref, "metadata.creationTimestamp", node.CreationTimestamp.UTC().Format(time.RFC3339), node.CreationTimestamp),
		facts.FactSince(ref, "status.conditions[Ready]", string(ready.Status)+" "+ready.Reason, ready.LastTransitionTime),
	}}
}

// rebalance evicts the fewest pods that level the workloads, played together and in order. It says that there is no such
// way if the scheduler, asked again, puts them back where they were: then the crowd is its choice.
func rebalance(ctx context.Context, v query.View, crowds []crowd) (ways []finding.Remedy, refuted bool) {
	var evictions []change.Change
	total := 0
	for _, c := range crowds {
		total += len(c.moves)
	}
	for _, c := range crowds {
		for _, pod := range c.moves {
			evicted := change.Evict{Namespace: pod.Namespace, Name: pod.Name}
			evictions = append(evictions, evicted)
			args := message.Args{"pod": evicted.Subject(), "workload": c.Ref, "i": len(evictions), "of": total}
			ways = append(ways, finding.Remedy{
				Message: v.Say.Text(message.RemedyEvict, args), Change: evicted, Command: evicted.Command(),
				Cost: v.Say.Text(message.RemedyEvictCost, args), Risk: v.Say.Text(message.RemedyEvictRisk, args),
			})
		}
	}
	outcome, ok := v.Future(ctx, evictions...)
	if !ok {
		return ways, false
	}
	for _, c := range crowds {
		if !levelled(outcome, c) {
			return nil, true
		}
	}
	for i := range ways {
		ways[i].Verified = true
	}
	return ways, false
}

// together marks remedies that are each for another part of what was found.
func together(ways []finding.Remedy) []finding.Remedy {
	for i := range ways {
		ways[i].Together = len(ways) > 1
	}
	return ways
}

// levelled says whether in the future every pod of the workload runs, no node holds as many as the fullest did, and the
// emptier node has taken some: it may be full of others' pods, and then its coming is not what the crowd lies in.
func levelled(o simulation.Outcome, c crowd) bool {
	pods := facts.PodsOfWorkload(o.World, c.Ref)
	placed := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
	return len(placed) >= len(c.Pods) && facts.MostOnOne(placed, facts.NodeName) < facts.MostOnOne(c.Pods, facts.NodeName) &&
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

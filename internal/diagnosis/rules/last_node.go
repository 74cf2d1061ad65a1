package rules

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// LastNode finds N102: pods that run on the only suitable node in the zone of their volumes. If the node fails, is scaled in or not
// replaced in a rotation, they become Pending, as in N101.
type LastNode struct{}

var _ query.Rule = LastNode{}

// Codes of LastNode.
func (LastNode) Codes() []finding.Code { return []finding.Code{finding.N102} }

// RequiredKinds of LastNode.
func (LastNode) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.PersistentVolumeClaim, cluster.PersistentVolume}
}

// Applies to everything but pods that do not run.
func (LastNode) Applies(q query.Query) bool { return query.IncludesRisks(q) }

// Find combines the pods of one node group.
func (rule LastNode) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(rule.RequiredKinds()...) {
		return nil
	}
	byGroup := map[string][]tiedPod{}
	for _, pod := range q.World.Pods() {
		if !facts.IsActive(pod) || pod.Spec.NodeName == "" || q.Excludes(finding.N102, facts.WorkloadRef(q.World, pod)) {
			continue
		}
		if t, ok := onlyNodeFor(q.World, pod); ok {
			group, _ := q.World.GroupOf(t.node.Name)
			byGroup[group.Name] = append(byGroup[group.Name], t)
		}
	}
	var found []finding.Finding
	for _, tied := range byGroup {
		if f, ok := describeLastNode(ctx, q, tied); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return a.Message.Compare(b.Message) })
	return q.AboutSubject(found)
}

// tiedPod is a pod that, because of its volume, can run on no node but its own.
type tiedPod struct {
	pod   *corev1.Pod
	node  *corev1.Node
	mount facts.Mount
}

// onlyNodeFor reports whether the pod's volumes allow no feasible node but its own, although other nodes would be feasible without
// them.
func onlyNodeFor(world *cluster.Snapshot, pod *corev1.Pod) (tiedPod, bool) {
	node := world.Node(pod.Spec.NodeName)
	tied := facts.ZonalMounts(world, pod)
	if node == nil || !kube.IsNodeReady(node) || len(tied) == 0 {
		return tiedPod{}, false
	}
	others := slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool { return n.Name != node.Name && facts.MayRun(pod, n, tied) })
	elsewhere := facts.VolumeDecides(world, pod, tied[0])
	return tiedPod{pod: pod, node: node, mount: tied[0]}, !others && elsewhere
}

func describeLastNode(ctx context.Context, q query.Query, tied []tiedPod) (finding.Finding, bool) {
	f := finding.Finding{Code: finding.N102, Severity: finding.Warning}
	var nodes, workloads, zones []change.Ref
	live := finding.Link{}
	stand := finding.Link{}
	for _, t := range tied {
		workloads = append(workloads, facts.WorkloadRef(q.World, t.pod))
		zones = append(zones, facts.ZoneRef(cluster.Zone(t.node)))
		node := facts.RefTo(cluster.Node, t.node)
		if !slices.Contains(nodes, node) && len(nodes) < query.MaxListed {
			stand.Evidence = append(stand.Evidence, facts.Evidence(node, "metadata.labels["+corev1.LabelTopologyZone+"]", cluster.Zone(t.node)))
		}
		nodes = append(nodes, node)
		if len(live.Evidence) < query.MaxListed {
			volume := facts.RefTo(cluster.PersistentVolume, t.mount.Volume)
			live.Evidence = append(live.Evidence, facts.Evidence(volume, t.mount.Field, t.mount.Value))
		}
	}
	workloads, zones, nodes = facts.UniqueRefs(workloads), facts.UniqueRefs(zones), facts.UniqueRefs(nodes)
	if refuted(ctx, q, nodes, tied) {
		return f, false
	}

	f.Subjects = append(append(append(f.Subjects, workloads...), nodes...), zones...)
	f.Message = sentence.LastNode(q.Enumerate(workloads), len(workloads), len(nodes), message.ListOf(namesOf(zones)), q.Enumerate(nodes))
	live.Message = sentence.CauseVolumesLive(q.Enumerate(workloads), message.ListOf(namesOf(zones)))
	stand.Message = sentence.CauseOneNode(message.ListOf(namesOf(zones)), q.Enumerate(nodes))
	f.Causes = []finding.Link{live, stand, {Message: sentence.CauseMayGo()}}
	if group, ok := q.World.GroupOf(tied[0].node.Name); ok {
		f.Subjects = append(f.Subjects, facts.GroupRef(group))
		f.Causes = append(append(f.Causes, groupZonesLink(group)), q.SizesLinks(group, cluster.Zone(tied[0].node))...)
		f.Remedies = proposeSpareNode(ctx, q, group, tied)
		f.Unknown = minimumGaps(q, group, namesOf(zones))
	}
	return f, true
}

// minimumGaps are facts about the group's size that are not known.
func minimumGaps(q query.Query, group cluster.Group, zones []string) []finding.Gap {
	if q.HasSizes(group) {
		return append(q.SizeGaps(zones, group), q.UnreadSizes()...)
	}
	about := facts.GroupRef(group).String()
	return append([]finding.Gap{{About: about, Message: sentence.UnknownMinimum(about, len(query.NodesByZone(group)))}}, q.UnreadSizes()...)
}

// refuted reports whether none of the pods is Pending in a future without the nodes.
func refuted(ctx context.Context, q query.Query, nodes []change.Ref, tied []tiedPod) bool {
	for _, node := range nodes {
		result, ok := q.Simulate(ctx, change.LoseNode{Node: node.Name})
		if !ok || anyPending(result, tied) {
			return false
		}
	}
	return true
}

// anyPending reports whether any of the pods is Pending in a future.
func anyPending(o outcome.Outcome, tied []tiedPod) bool {
	return slices.ContainsFunc(o.Fates, func(fate outcome.Fate) bool {
		return fate.Kind == outcome.Waiting && slices.ContainsFunc(tied, func(t tiedPod) bool { return facts.RefTo(cluster.Pod, t.pod) == fate.Pod })
	})
}

func groupZonesLink(group cluster.Group) finding.Link {
	link := finding.Link{Message: sentence.CauseGroupStands(facts.GroupRef(group), len(group.Nodes))}
	for _, node := range group.Nodes[:min(len(group.Nodes), query.MaxListed)] {
		link.Evidence = append(link.Evidence, facts.Evidence(facts.RefTo(cluster.Node, node), "metadata.labels["+group.Label+"]", group.Name))
	}
	return link
}

// proposeSpareNode proposes a second node for each of the zones: a cordoned one, or one that the group adds. The remedies are kept
// if the first node can then be lost.
func proposeSpareNode(ctx context.Context, q query.Query, group cluster.Group, tied []tiedPod) []finding.Remedy {
	zone := cluster.Zone(tied[0].node)
	proposals := append(proposeUncordon(q, zone, tied[0].pod), q.ResizeRemedy(group, zone))
	var proven []finding.Remedy
	for _, proposal := range proposals {
		if proposal.Command == "" {
			continue
		}
		if proposal, ok := verifySpare(ctx, q, proposal, tied); ok {
			proven = append(proven, proposal)
		}
	}
	return proven
}

// proposeUncordon proposes to uncordon the first node of the zone whose only obstacle is its cordon.
func proposeUncordon(q query.Query, zone string, pod *corev1.Pod) []finding.Remedy {
	for _, node := range q.World.Nodes() {
		open := node.DeepCopy()
		open.Spec.Unschedulable = false
		open.Spec.Taints = slices.DeleteFunc(open.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
		if node.Spec.Unschedulable && cluster.Zone(node) == zone && facts.MayRun(pod, open, facts.ZonalMounts(q.World, pod)) {
			closed := query.NodeObstacles{Node: node, Obstacles: []query.Obstacle{{Kind: message.ObstacleCordoned}}}
			if proposals := q.Uncordon([]query.NodeObstacles{closed}); len(proposals) > 0 { // None if the question is about this cordon.
				return []finding.Remedy{proposals[0].Remedy}
			}
		}
	}
	return nil
}

// verifySpare simulates a remedy: with it, no pod is Pending whichever of their nodes is lost.
func verifySpare(ctx context.Context, q query.Query, proposal finding.Remedy, tied []tiedPod) (finding.Remedy, bool) {
	lost := map[string]bool{}
	for _, t := range tied {
		if lost[t.node.Name] {
			continue
		}
		lost[t.node.Name] = true
		var ok bool
		proposal, ok = q.VerifyRemedy(ctx, proposal, func(o outcome.Outcome) bool { return !anyPending(o, tied) }, change.LoseNode{Node: t.node.Name})
		if !ok {
			return proposal, false
		}
	}
	return proposal, true
}

func namesOf(refs []change.Ref) []string {
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		names = append(names, ref.Name)
	}
	return names
}

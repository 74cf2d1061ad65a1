package rules

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// LastNode finds N102: pods that run on the only node of the zone their volumes live in. The node's end, a scale-in or a
// rotation to fewer nodes leaves them Pending, as in N101.
type LastNode struct{}

var _ query.Rule = LastNode{}

// Codes of LastNode.
func (LastNode) Codes() []finding.Code { return []finding.Code{finding.N102} }

// Needs of LastNode.
func (LastNode) Needs() []cluster.Kind {
	return []cluster.Kind{cluster.Pod, cluster.Node, cluster.PersistentVolumeClaim, cluster.PersistentVolume}
}

// Concerns everything but pods that do not run.
func (LastNode) Concerns(v query.View) bool { return query.AsksForRisk(v) }

// Find takes together the pods of one node group.
func (rule LastNode) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(rule.Needs()...) {
		return nil
	}
	byGroup := map[string][]tiedPod{}
	for _, pod := range v.World.Pods() {
		if !facts.Alive(pod) || pod.Spec.NodeName == "" || v.PassesOver(finding.N102, facts.RefOfWorkload(v.World, pod)) {
			continue
		}
		if t, ok := tiedToLast(v.World, pod); ok {
			group, _ := v.World.GroupOf(t.node.Name)
			byGroup[group.Name] = append(byGroup[group.Name], t)
		}
	}
	var found []finding.Finding
	for _, tied := range byGroup {
		if f, ok := lastNode(ctx, v, tied); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Message, b.Message) })
	return v.Concerning(found)
}

// tiedPod is a pod that no node but the one it runs on could take, for its volume.
type tiedPod struct {
	pod   *corev1.Pod
	node  *corev1.Node
	mount facts.Mount
}

// tiedToLast says whether the pod's volumes leave it no open node but its own, although nodes elsewhere are open to it.
func tiedToLast(world *cluster.Snapshot, pod *corev1.Pod) (tiedPod, bool) {
	node := world.Node(pod.Spec.NodeName)
	tied := facts.ZoneMounts(world, pod)
	if node == nil || facts.Down(node) || len(tied) == 0 {
		return tiedPod{}, false
	}
	others := slices.ContainsFunc(world.Nodes(), func(n *corev1.Node) bool { return n.Name != node.Name && facts.Open(pod, n, tied) })
	elsewhere := facts.Decides(world, pod, tied[0])
	return tiedPod{pod: pod, node: node, mount: tied[0]}, !others && elsewhere
}

func lastNode(ctx context.Context, v query.View, tied []tiedPod) (finding.Finding, bool) {
	f := finding.Finding{Code: finding.N102, Severity: finding.Warning}
	var nodes, workloads, zones []change.Ref
	live := finding.Link{}
	stand := finding.Link{}
	for _, t := range tied {
		workloads = append(workloads, facts.RefOfWorkload(v.World, t.pod))
		zones = append(zones, facts.ZoneRef(cluster.Zone(t.node)))
		node := facts.RefTo(cluster.Node, t.node)
		if !slices.Contains(nodes, node) && len(nodes) < query.MostListed {
			stand.Evidence = append(stand.Evidence, facts.Fact(node, "metadata.labels["+corev1.LabelTopologyZone+"]", cluster.Zone(t.node)))
		}
		nodes = append(nodes, node)
		if len(live.Evidence) < query.MostListed {
			volume := facts.RefTo(cluster.PersistentVolume, t.mount.Volume)
			live.Evidence = append(live.Evidence, facts.Fact(volume, t.mount.Field, t.mount.Value))
		}
	}
	workloads, zones, nodes = facts.UniqueRefs(workloads), facts.UniqueRefs(zones), facts.UniqueRefs(nodes)
	if refuted(ctx, v, nodes, tied) {
		return f, false
	}
	args := message.Args{
		"workloads": v.Some(workloads), "n": len(workloads), "zones": namesOf(zones), "nodes": v.Some(nodes), "count": len(nodes),
	}
	f.Subjects = append(append(append(f.Subjects, workloads...), nodes...), zones...)
	f.Message = v.Say.Text(message.LastNode, args)
	live.Message = v.Say.Text(message.CauseVolumesLive, args)
	stand.Message = v.Say.Text(message.CauseOneNode, args)
	f.Causes = []finding.Link{live, stand, {Message: v.Say.Text(message.CauseMayGo, args)}}
	if group, ok := v.World.GroupOf(tied[0].node.Name); ok {
		f.Subjects = append(f.Subjects, facts.GroupRef(group))
		f.Causes = append(f.Causes, standsLink(v, group))
		f.Remedies = spares(ctx, v, group, tied)
		about := facts.GroupRef(group).String()
		f.Unknown = []finding.Gap{{About: about, Message: v.Say.Text(message.UnknownMinimum, message.Args{
			"group": about, "zones": len(query.Standing(group)),
		})}}
	}
	return f, true
}

// refuted says whether a future without the nodes leaves none of the pods waiting after all.
func refuted(ctx context.Context, v query.View, nodes []change.Ref, tied []tiedPod) bool {
	for _, node := range nodes {
		outcome, ok := v.Future(ctx, change.LoseNode{Node: node.Name})
		if !ok || waits(outcome, tied) {
			return false
		}
	}
	return true
}

// waits says whether any of the pods fits nowhere in a future.
func waits(o simulation.Outcome, tied []tiedPod) bool {
	return slices.ContainsFunc(o.Fates, func(fate simulation.Fate) bool {
		return fate.Kind == simulation.Waiting && slices.ContainsFunc(tied, func(t tiedPod) bool { return facts.RefTo(cluster.Pod, t.pod) == fate.Pod })
	})
}

func standsLink(v query.View, group cluster.Group) finding.Link {
	link := finding.Link{Message: v.Say.Text(message.CauseGroupStands, message.Args{"group": facts.GroupRef(group), "n": len(group.Nodes)})}
	for _, node := range group.Nodes[:min(len(group.Nodes), query.MostListed)] {
		link.Evidence = append(link.Evidence, facts.Fact(facts.RefTo(cluster.Node, node), "metadata.labels["+group.Label+"]", group.Name))
	}
	return link
}

// spares give each of the zones a second node: a cordoned one that is there, or one that the group adds. They are remedies
// if with them the first can be lost.
func spares(ctx context.Context, v query.View, group cluster.Group, tied []tiedPod) []finding.Remedy {
	zone := cluster.Zone(tied[0].node)
	ways := append(cordoned(v, zone, tied[0].pod), query.Resize(v, group, zone))
	var proven []finding.Remedy
	for _, way := range ways {
		if way.Command == "" {
			continue
		}
		if way, ok := covers(ctx, v, way, tied); ok {
			proven = append(proven, way)
		}
	}
	return proven
}

// cordoned opens the first node of the zone on which nothing but its cordon is in the pod's way.
func cordoned(v query.View, zone string, pod *corev1.Pod) []finding.Remedy {
	for _, node := range v.World.Nodes() {
		open := node.DeepCopy()
		open.Spec.Unschedulable = false
		open.Spec.Taints = slices.DeleteFunc(open.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
		if node.Spec.Unschedulable && cluster.Zone(node) == zone && facts.Open(pod, open, facts.ZoneMounts(v.World, pod)) {
			closed := query.ClosedNode{Node: node, Obstacles: []query.Obstacle{{Kind: message.ObstacleCordoned}}}
			if ways := v.Uncordon([]query.ClosedNode{closed}); len(ways) > 0 { // None if the question is what the cordon brings.
				return []finding.Remedy{ways[0].Remedy}
			}
		}
	}
	return nil
}

// covers tries a way: with it, none of the pods waits whichever of their nodes is lost.
func covers(ctx context.Context, v query.View, way finding.Remedy, tied []tiedPod) (finding.Remedy, bool) {
	lost := map[string]bool{}
	for _, t := range tied {
		if lost[t.node.Name] {
			continue
		}
		lost[t.node.Name] = true
		var ok bool
		way, ok = v.Try(ctx, way, func(o simulation.Outcome) bool { return !waits(o, tied) }, change.LoseNode{Node: t.node.Name})
		if !ok {
			return way, false
		}
	}
	return way, true
}

func namesOf(refs []change.Ref) []string {
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		names = append(names, ref.Name)
	}
	return names
}

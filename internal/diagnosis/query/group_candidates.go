package query

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// GroupCandidates are the world's node groups, by whether a new node of theirs would be feasible for a pod.
type GroupCandidates struct {
	// Known says that the judge could evaluate the groups; otherwise, nothing is known of any.
	Known    bool
	Suitable []SuitableGroup
	// Elsewhere are those that would be, but have no subnet in the zone.
	Elsewhere []cluster.Group
	// Excluded counts the other groups by the obstacle that a new node would have.
	Excluded ObstacleCounts
	// UngroupedNode is a suitable node of no known group.
	UngroupedNode *corev1.Node
}

// SuitableGroup is a group of which a new node in the zone would be feasible for the pod.
type SuitableGroup struct {
	cluster.Group
	Zone string
	// AnyZone says that it would be feasible in each zone of the group.
	AnyZone bool
}

// GroupsFor evaluates new nodes of each group: in the zone of the mount, considering only its volume, or without a mount in
// all zones of the group.
func (q Query) GroupsFor(ctx context.Context, pod *corev1.Pod, m *facts.Mount) GroupCandidates {
	tried := q.simulatedNodes(m)
	c := GroupCandidates{Excluded: ObstacleCounts{}}
	if q.Judge == nil || !q.Judge.Models(pod) || q.findObstacles(ctx, pod, m, tried) != nil {
		return c
	}
	c.Known = true
	for _, group := range q.World.Groups() {
		best, ok := leastSevere(tried, group.Name)
		switch {
		case !ok:
		case best.obstacle.Kind == "" && m != nil && !q.launchesIn(group, m.Zones):
			c.Elsewhere = append(c.Elsewhere, group)
		case best.obstacle.Kind == "":
			c.Suitable = append(c.Suitable, SuitableGroup{group, best.zone, suitsAnyZone(tried, group.Name)})
		default:
			c.Excluded.add(best.obstacle)
		}
	}
	slices.SortFunc(c.Suitable, func(a, b SuitableGroup) int { return cmp.Compare(a.Name, b.Name) })
	if best, ok := leastSevere(tried, ""); ok && best.obstacle.Kind == "" {
		c.UngroupedNode = best.template
	}
	return c
}

// simulatedNode is a new node that a group might add.
type simulatedNode struct {
	group, zone string
	// template is the existing node that it is modelled on.
	template, node *corev1.Node
	// obstacle is its most severe obstacle for the pod; zero if there is none.
	obstacle Obstacle
}

// maxNodesPerGroupZone is how many nodes of a group and zone are examined, since they are usually the same.
const maxNodesPerGroupZone = 50

// simulatedNodes are new nodes modelled on the existing ones, one of each kind, in the zone of the mount or in the nodes'
// zones.
func (q Query) simulatedNodes(m *facts.Mount) []simulatedNode {
	var all []simulatedNode
	seen, looked := map[string]bool{}, map[string]int{}
	for _, node := range q.World.Nodes() {
		if kube.IsBeingRemoved(node) {
			continue
		}
		group, _ := q.World.GroupOf(node.Name)
		zone := cluster.Zone(node)
		if m != nil {
			zone = m.Zones[0]
		}
		place := group.Name + "\n" + zone
		if looked[place]++; looked[place] > maxNodesPerGroupZone {
			continue
		}
		added := kube.NewNode(node.Name+"-new", zone, node, group.Nodes)
		if kind := place + "\n" + newNodeKey(added); !seen[kind] {
			seen[kind] = true
			all = append(all, simulatedNode{group: group.Name, zone: zone, template: node, node: added})
		}
	}
	return all
}

// newNodeKey is the same for equal new nodes of a group and zone.
func newNodeKey(node *corev1.Node) string {
	var all []string
	for key, value := range node.Labels {
		if key != corev1.LabelHostname {
			all = append(all, key+"="+value)
		}
	}
	for _, taint := range node.Spec.Taints {
		all = append(all, taint.ToString())
	}
	for name, quantity := range node.Status.Allocatable {
		all = append(all, string(name)+":"+quantity.String())
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// findObstacles finds the pod's obstacles on each of the new nodes if they existed, with static pods and those of DaemonSets as on their templates.
func (q Query) findObstacles(ctx context.Context, pod *corev1.Pod, m *facts.Mount, tried []simulatedNode) error {
	q.Judge.Fork()
	defer q.Judge.Revert()
	var names []string
	for _, t := range tried {
		edits := []cluster.Edit{cluster.Put(t.node)}
		for _, other := range q.permanentPods(pod, t.template) {
			edits = append(edits, cluster.Put(onNode(other, t.node.Name)))
		}
		if err := q.Judge.Apply(edits...); err != nil {
			return err
		}
		names = append(names, t.node.Name)
	}
	answer, err := q.Judge.ObstaclesOn(ctx, pod, names...)
	if err != nil {
		return err
	}
	for i, on := range answer.Nodes {
		t := &tried[i]
		n := NodeObstacles{Node: t.node}
		n.add(nodeObstacles(pod, t.node, on)...)
		if m != nil {
			n.Obstacles = n.Except(message.ObstacleVolume)
			if !m.Allows(t.node) {
				n.add(Obstacle{Kind: message.ObstacleLabel})
			}
		}
		t.obstacle = n.MostSevere()
	}
	return nil
}

// onNode is a pod like another on another node.
func onNode(pod *corev1.Pod, node string) *corev1.Pod {
	there := pod.DeepCopy()
	there.Name, there.UID, there.Spec.NodeName = pod.Name+"-"+node, pod.UID+types.UID("-"+node), node
	return there
}

// leastSevere is the simulated node of a group with the least severe obstacle: a group is suitable if one of its nodes is.
func leastSevere(tried []simulatedNode, group string) (simulatedNode, bool) {
	of := slices.DeleteFunc(slices.Clone(tried), func(t simulatedNode) bool { return t.group != group })
	if len(of) == 0 {
		return simulatedNode{}, false
	}
	grave := func(t simulatedNode) int {
		if t.obstacle.Kind == "" {
			return len(ObstacleOrder)
		}
		return slices.Index(ObstacleOrder, t.obstacle.Kind)
	}
	return slices.MaxFunc(of, func(a, b simulatedNode) int { return cmp.Compare(grave(a), grave(b)) }), true
}

// suitsAnyZone reports whether a new node of the group would be suitable in each of its zones.
func suitsAnyZone(tried []simulatedNode, group string) bool {
	open, zones := map[string]bool{}, map[string]bool{}
	for _, t := range tried {
		if t.group == group {
			zones[t.zone] = true
			open[t.zone] = open[t.zone] || t.obstacle.Kind == ""
		}
	}
	for zone := range zones {
		if !open[zone] {
			return false
		}
	}
	return true
}

// NodesByZone counts a group's nodes by zone, without those that are being removed.
func NodesByZone(group cluster.Group) map[string]int {
	counts := map[string]int{}
	for _, node := range group.Nodes {
		if zone := cluster.Zone(node); zone != "" && !kube.IsBeingRemoved(node) {
			counts[zone]++
		}
	}
	return counts
}

// SizeFor is the smallest size of a group with which a zone is certain to gain some nodes, and how many nodes each zone then has at least: a group in several
// zones keeps them balanced, by the numbers of nodes that its zones have. A zone may be missing from them.
func SizeFor(counts map[string]int, zone string, more int) (size, each int) {
	each = counts[zone] + more
	size = each
	for name, n := range counts {
		if name != zone {
			size += max(n, each)
		}
	}
	return size, each
}

// ResizeRemedy resizes a group so that the zone gains a node. A group in several zones keeps them balanced (EC2 Auto Scaling,
// Azure's zone balancing), so the zone is certain to gain a node only if each zone is to have as many nodes as it will then. It has no command if the group
// has no size to set, or already has the one that it needs.
func (q Query) ResizeRemedy(group cluster.Group, zone string) finding.Remedy {
	s := q.zoneSizeOf(group, zone)
	if s.isRequested() {
		return finding.Remedy{}
	}
	resized, each := change.ResizeGroup{
		Group: group.Name, Provider: group.Sizer(), To: s.to, Zones: s.zones, Cluster: group.Cluster(), Region: group.Region(),
	}, s.each
	if resized.Provider == change.GKE {
		each, resized.PerZone, resized.To = s.highest, s.highest, s.highest*len(s.zones)
	}
	resized, lower := q.Bounded(resized, group)
	return finding.Remedy{
		Message: sentence.RemedyResize(facts.GroupRef(group), resized.To, lower, each, message.ListOf(s.zones)),
		Change:  resized,
		Command: resized.Command(),
		Cost:    sentence.RemedyResizeCost(InstanceType(group), resized.To-s.before),
		Risk:    sentence.RemedyResizeRisk(len(s.sizes.Zones) == 0, each, !s.known),
	}
}

// InstanceType is the instance type of the group's nodes; empty if they differ.
func InstanceType(group cluster.Group) string {
	one := group.Nodes[0].Labels[corev1.LabelInstanceTypeStable]
	for _, node := range group.Nodes {
		if node.Labels[corev1.LabelInstanceTypeStable] != one {
			return ""
		}
	}
	return one
}

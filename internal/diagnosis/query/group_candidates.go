package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// GroupCandidates sorts the world's node groups by whether a new node of theirs would be open to a pod.
type GroupCandidates struct {
	// Known says that the judge could be asked; if not, nothing is known of any group.
	Known    bool
	Suitable []SuitableGroup
	// Excluded counts the other groups by the obstacle that a new node would have.
	Excluded ObstacleCounts
	// UngroupedNode is a node that suits and belongs to no known group.
	UngroupedNode *corev1.Node
}

// SuitableGroup is a group of which a new node in the zone would be open to the pod.
type SuitableGroup struct {
	cluster.Group
	Zone string
	// AnyZone says that it would be so in each zone where the group stands.
	AnyZone bool
}

// GroupsFor asks the judge about new nodes of each group: in the zone of the mount, whose volume alone then counts, or
// without one wherever the group stands.
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
	// template is the node that it would be like.
	template, node *corev1.Node
	// obstacle is the most severe it has for the pod, the zero one if none.
	obstacle Obstacle
}

// maxNodesPerGroupZone bounds how many nodes of a group and zone are looked at: they are meant to be alike.
const maxNodesPerGroupZone = 50

// simulatedNodes are new nodes like those there are, one of each kind, in the zone of the mount or else in those of the nodes.
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

// newNodeKey is what new nodes of a group and zone that are alike share.
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

// findObstacles asks the judge what the pod would find in its way on each of the new nodes, were they there.
func (q Query) findObstacles(ctx context.Context, pod *corev1.Pod, m *facts.Mount, tried []simulatedNode) error {
	q.Judge.Fork()
	defer q.Judge.Revert()
	var names []string
	for _, t := range tried {
		if err := q.Judge.Apply(cluster.Put(t.node)); err != nil {
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

// leastSevere is the simulated node of a group whose obstacle is the least severe: a group suits if one of its nodes does.
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

// suitsAnyZone reports whether a new node of the group would suit in whatever zone it came up.
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

// NodesByZone counts a group's nodes by zone, without those that are leaving.
func NodesByZone(group cluster.Group) map[string]int {
	counts := map[string]int{}
	for _, node := range group.Nodes {
		if zone := cluster.Zone(node); zone != "" && !kube.IsBeingRemoved(node) {
			counts[zone]++
		}
	}
	return counts
}

// ResizeRemedy sizes a group so that the zone gains a node. A group over several zones keeps them level (EC2 Auto Scaling,
// Azure's zone balancing), so the zone is sure to gain one only when every zone is to hold as many as it then will.
func ResizeRemedy(group cluster.Group, zone string) finding.Remedy {
	counts := NodesByZone(group)
	each := counts[zone] + 1
	before, highest := 0, each
	for _, n := range counts {
		before += n
		highest = max(highest, n)
	}
	counts[zone] = each
	zones := slices.Sorted(maps.Keys(counts))
	to := 0
	for _, n := range counts {
		to += max(n, each)
	}
	resized := change.ResizeGroup{
		Group: group.Name, Provider: group.Sizer(), To: to, Zones: zones, Cluster: group.Cluster(), Region: group.Region(),
	}
	if resized.Provider == change.GKE {
		each, resized.PerZone, resized.To = highest, highest, highest*len(zones)
	}
	return finding.Remedy{
		Message: sentence.RemedyResize(facts.GroupRef(group), resized.To, each, message.ListOf(zones)),
		Change:  resized,
		Command: resized.Command(),
		Cost:    sentence.RemedyResizeCost(InstanceType(group), resized.To-before),
		Risk:    sentence.RemedyResizeRisk(each),
	}
}

// InstanceType is that of the group's nodes, empty if they differ.
func InstanceType(group cluster.Group) string {
	one := group.Nodes[0].Labels[corev1.LabelInstanceTypeStable]
	for _, node := range group.Nodes {
		if node.Labels[corev1.LabelInstanceTypeStable] != one {
			return ""
		}
	}
	return one
}

package diagnosis

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// candidates sorts the world's node groups by whether a new node of theirs in the volume's zone would be open to a pod.
type candidates struct {
	suited []cluster.Group
	// excluded counts the other groups by the obstacle that a new node would have.
	excluded map[message.ID]int
	// stray is a node that suits and belongs to no known group.
	stray *corev1.Node
}

func candidatesFor(world *cluster.Snapshot, pod *corev1.Pod, m mount) candidates {
	c := candidates{excluded: map[message.ID]int{}}
	for _, group := range world.Groups() {
		why := closedTo(pod, m, group.Nodes)
		if why == "" {
			c.suited = append(c.suited, group)
		} else {
			c.excluded[why]++
		}
	}
	slices.SortFunc(c.suited, func(a, b cluster.Group) int { return cmp.Compare(a.Name, b.Name) })
	for _, node := range world.Nodes() {
		if _, ok := world.GroupOf(node.Name); !ok && closedTo(pod, m, []*corev1.Node{node}) == "" {
			c.stray = node
			break
		}
	}
	return c
}

// closedTo is the obstacle that a sibling of these nodes in the volume's zone would have, the least grave of them: a
// group suits if one of its nodes does. Empty means none.
func closedTo(pod *corev1.Pod, m mount, nodes []*corev1.Node) message.ID {
	least := -1
	for _, node := range nodes {
		sibling := siblingIn(m.zones[0], node)
		switch {
		case !selects(pod, sibling):
			least = max(least, slices.Index(gravest, message.ObstacleSelector))
		case !m.allows(sibling):
			least = max(least, slices.Index(gravest, message.ObstacleLabel))
		case !toleratesAll(pod, sibling.Spec.Taints):
			least = max(least, slices.Index(gravest, message.ObstacleTainted))
		default:
			return ""
		}
	}
	return gravest[least]
}

// standing counts a group's nodes by zone, without those that are leaving.
func standing(group cluster.Group) map[string]int {
	counts := map[string]int{}
	for _, node := range group.Nodes {
		if zone := cluster.Zone(node); zone != "" && !leaving(node) {
			counts[zone]++
		}
	}
	return counts
}

// resize sizes a group so that the zone gains a node. A group over several zones keeps them level (EC2 Auto Scaling,
// Azure's zone balancing), so the zone is sure to gain one only when every zone is to hold as many as it then will.
func resize(v View, group cluster.Group, zone string) finding.Remedy {
	counts := standing(group)
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
		Group: group.Name, Provider: group.Sizer(), To: to, Cluster: group.Cluster(), Region: group.Region(),
	}
	if resized.Provider == change.GKE {
		each, resized.PerZone, resized.To = highest, highest, highest*len(zones)
	}
	return finding.Remedy{
		Message: v.Say.Text(message.RemedyResize, message.Args{
			"group": groupRef(group), "to": resized.To, "zones": zones, "each": each,
		}),
		Change:  resized,
		Command: resized.Command(),
		Cost:    v.Say.Text(message.RemedyResizeCost, message.Args{"more": resized.To - before, "type": instanceType(group)}),
		Risk:    v.Say.Text(message.RemedyResizeRisk, nil),
	}
}

// instanceType is that of the group's nodes, empty if they differ.
func instanceType(group cluster.Group) string {
	one := group.Nodes[0].Labels[corev1.LabelInstanceTypeStable]
	for _, node := range group.Nodes {
		if node.Labels[corev1.LabelInstanceTypeStable] != one {
			return ""
		}
	}
	return one
}

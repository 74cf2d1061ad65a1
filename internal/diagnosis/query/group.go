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
	"github.com/naosu-dev/naosu/internal/message"
)

// Candidates sorts the world's node groups by whether a new node of theirs would be open to a pod.
type Candidates struct {
	// Asked says that the judge could be asked; if not, nothing is known of any group.
	Asked  bool
	Suited []Suited
	// Excluded counts the other groups by the obstacle that a new node would have.
	Excluded Tally
	// Stray is a node that suits and belongs to no known group.
	Stray *corev1.Node
}

// Suited is a group of which a new node in the zone would be open to the pod.
type Suited struct {
	cluster.Group
	Zone string
	// Anywhere says that it would be so in each zone where the group stands.
	Anywhere bool
}

// GroupsFor asks the judge about new nodes of each group: in the zone of the mount, whose volume alone then counts, or
// without one wherever the group stands.
func (v View) GroupsFor(ctx context.Context, pod *corev1.Pod, m *facts.Mount) Candidates {
	tried := v.trials(m)
	c := Candidates{Excluded: Tally{}}
	if v.Judge == nil || !v.Judge.Models(pod) || v.tryOut(ctx, pod, m, tried) != nil {
		return c
	}
	c.Asked = true
	for _, group := range v.World.Groups() {
		best, ok := leastGrave(tried, group.Name)
		switch {
		case !ok:
		case best.obstacle.Kind == "":
			c.Suited = append(c.Suited, Suited{group, best.zone, anywhere(tried, group.Name)})
		default:
			c.Excluded.add(best.obstacle)
		}
	}
	slices.SortFunc(c.Suited, func(a, b Suited) int { return cmp.Compare(a.Name, b.Name) })
	if best, ok := leastGrave(tried, ""); ok && best.obstacle.Kind == "" {
		c.Stray = best.like
	}
	return c
}

// trial is a new node that a group might add.
type trial struct {
	group, zone string
	// like is the node that it would be like.
	like, sibling *corev1.Node
	// obstacle is the gravest it has for the pod, the zero one if none.
	obstacle Obstacle
}

// mostAlike bounds how many nodes of a group and zone are looked at: they are meant to be alike.
const mostAlike = 50

// trials are new nodes like those there are, one of each kind, in the zone of the mount or else in those of the nodes.
func (v View) trials(m *facts.Mount) []trial {
	var all []trial
	seen, looked := map[string]bool{}, map[string]int{}
	for _, node := range v.World.Nodes() {
		if facts.Leaving(node) {
			continue
		}
		group, _ := v.World.GroupOf(node.Name)
		zone := cluster.Zone(node)
		if m != nil {
			zone = m.Zones[0]
		}
		place := group.Name + "\n" + zone
		if looked[place]++; looked[place] > mostAlike {
			continue
		}
		if kind := place + "\n" + traits(node); !seen[kind] {
			seen[kind] = true
			all = append(all, trial{group: group.Name, zone: zone, like: node, sibling: facts.SiblingIn(zone, node)})
		}
	}
	return all
}

// traits are what the siblings of a node share with it.
func traits(node *corev1.Node) string {
	var all []string
	for key, value := range node.Labels {
		if key != corev1.LabelHostname && !slices.Contains(cluster.ZoneLabels, key) {
			all = append(all, key+"="+value)
		}
	}
	for _, taint := range node.Spec.Taints {
		if !facts.Passing(taint) {
			all = append(all, taint.ToString())
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",") + node.Status.Allocatable.Cpu().String() + node.Status.Allocatable.Memory().String()
}

// tryOut asks the judge what the pod would find in its way on each of the new nodes, were they there.
func (v View) tryOut(ctx context.Context, pod *corev1.Pod, m *facts.Mount, tried []trial) error {
	v.Judge.Fork()
	defer v.Judge.Revert()
	var names []string
	for _, t := range tried {
		if err := v.Judge.Apply(cluster.Put(t.sibling)); err != nil {
			return err
		}
		names = append(names, t.sibling.Name)
	}
	answer, err := v.Judge.ObstaclesOn(ctx, pod, names...)
	if err != nil {
		return err
	}
	for i, on := range answer.Nodes {
		t := &tried[i]
		n := ClosedNode{Node: t.sibling}
		n.add(obstaclesOn(pod, t.sibling, on)...)
		if m != nil {
			n.Obstacles = n.Beside(message.ObstacleVolume)
			if !m.Allows(t.sibling) {
				n.add(Obstacle{Kind: message.ObstacleLabel})
			}
		}
		t.obstacle = n.Gravest()
	}
	return nil
}

// leastGrave is the trial of a group whose obstacle is the least grave: a group suits if one of its nodes does.
func leastGrave(tried []trial, group string) (trial, bool) {
	of := slices.DeleteFunc(slices.Clone(tried), func(t trial) bool { return t.group != group })
	if len(of) == 0 {
		return trial{}, false
	}
	grave := func(t trial) int {
		if t.obstacle.Kind == "" {
			return len(Gravest)
		}
		return slices.Index(Gravest, t.obstacle.Kind)
	}
	return slices.MaxFunc(of, func(a, b trial) int { return cmp.Compare(grave(a), grave(b)) }), true
}

// anywhere says whether a new node of the group would suit in whatever zone it came up.
func anywhere(tried []trial, group string) bool {
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

// Standing counts a group's nodes by zone, without those that are leaving.
func Standing(group cluster.Group) map[string]int {
	counts := map[string]int{}
	for _, node := range group.Nodes {
		if zone := cluster.Zone(node); zone != "" && !facts.Leaving(node) {
			counts[zone]++
		}
	}
	return counts
}

// Resize sizes a group so that the zone gains a node. A group over several zones keeps them level (EC2 Auto Scaling,
// Azure's zone balancing), so the zone is sure to gain one only when every zone is to hold as many as it then will.
func Resize(v View, group cluster.Group, zone string) finding.Remedy {
	counts := Standing(group)
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
		Message: v.Say.Text(message.RemedyResize, message.Args{
			"group": facts.GroupRef(group), "to": resized.To, "zones": zones, "each": each,
		}),
		Change:  resized,
		Command: resized.Command(),
		Cost:    v.Say.Text(message.RemedyResizeCost, message.Args{"more": resized.To - before, "type": InstanceType(group)}),
		Risk:    v.Say.Text(message.RemedyResizeRisk, message.Args{"each": each}),
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

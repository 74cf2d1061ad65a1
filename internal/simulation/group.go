package simulation

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// addNodes makes nodes like those of a group.
func (f *future) addNodes(ctx context.Context, c change.AddNodes) error {
	nodes, name := f.largestGroup()
	if c.Group != "" {
		nodes, name = f.groupNodes(c.Group), c.Group
	}
	like := slices.Concat(nodes, f.departed(name))
	if len(like) == 0 {
		return UnknownError{change.Ref{Kind: c.Subject().Kind, Name: name}}
	}
	p := pattern{name, like, f.zonesOf(like), singles(nodes)}
	if c.Zone != "" {
		p.zones, p.open = []string{c.Zone}, false
	}
	return f.bringUp(ctx, p, nodes, c.Count)
}

// resize sets a group's size: new nodes fill the emptiest zone first, and it is the fullest that loses one.
func (f *future) resize(ctx context.Context, c change.ResizeGroup) error {
	nodes := f.groupNodes(c.Group)
	like := slices.Concat(nodes, f.departed(c.Group))
	if len(like) == 0 {
		return UnknownError{c.Subject()}
	}
	zones := c.Zones
	if len(zones) == 0 {
		zones = f.zonesOf(like)
	}
	staying := slices.DeleteFunc(slices.Clone(nodes), leaving) // A group's size no longer counts those that leave.
	if more := c.To - len(staying); more >= 0 {
		return f.bringUp(ctx, pattern{c.Group, like, zones, len(c.Zones) == 0 && singles(staying)}, nodes, more)
	}
	return f.takeDown(ctx, c.Group, staying, len(staying)-c.To)
}

// pattern is what new nodes of a group are like, and where they may come up.
type pattern struct {
	group string
	like  []*corev1.Node
	zones []string
	// open says that they may come up elsewhere, too.
	open bool
}

// equals is how many zones have as many nodes as one of them.
func equals(zones []string, nodes map[string]int, zone string) int {
	n := 0
	for _, other := range zones {
		if nodes[other] == nodes[zone] {
			n++
		}
	}
	return n
}

// singles says whether no two nodes of a group share a zone. Groups keep their zones balanced: where two share one, there is a
// node in each; else there may be zones in which none stands yet.
func singles(nodes []*corev1.Node) bool {
	seen := map[string]bool{}
	for _, node := range nodes {
		if seen[cluster.Zone(node)] {
			return false
		}
		seen[cluster.Zone(node)] = true
	}
	return true
}

// noteZones says that new nodes may come up in zones of which nothing is known, or, if so many are equally empty, in another
// of them.
//
// Amazon EC2 Auto Scaling keeps as many instances in each zone. In which of several with the fewest it launches, it does not say.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-availability-zone-balanced.html
func (f *future) noteZones(p pattern, equals int) {
	group := "group/" + p.group
	switch args := (message.Args{"group": group}); {
	case p.open:
		f.gaps.note(group, message.Of(message.GapZones, args))
	case equals > 1:
		f.gaps.note(group, message.Of(message.GapTie, args))
	}
}

// bringUp adds nodes to a group's, each in the zone that has fewest of them; of several one by chance.
func (f *future) bringUp(ctx context.Context, p pattern, nodes []*corev1.Node, count int) error {
	standing := map[string]int{}
	for _, node := range nodes {
		if !leaving(node) {
			standing[cluster.Zone(node)]++
		}
	}
	zones := make([]string, count)
	for i := range zones {
		zone := slices.MinFunc(drawn(f.chance, p.zones), func(a, b string) int { return standing[a] - standing[b] })
		if i == count-1 {
			f.noteZones(p, equals(p.zones, standing, zone))
		}
		standing[zone]++
		zones[i] = zone
	}
	if err := f.join(ctx, f.newNodes(p.group, zones, p.like)); err != nil {
		return err
	}
	return f.nodesChanged(ctx)
}

// join adds new nodes: each gets its DaemonSets' pods, and what waited gets a place.
func (f *future) join(ctx context.Context, made []newcomer) error {
	for _, wave := range waves(f.chance, made) {
		for _, node := range wave {
			if err := f.apply(node.edits()...); err != nil {
				return err
			}
			if err := f.daemonsFor(node.Node); err != nil {
				return err
			}
		}
		f.room()
		if err := f.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// takeDown removes nodes from a group, one after another from its fullest zone, of several from one by chance. Each is drained first; what a budget holds
// back then goes with the node all the same, as the clouds do after a while.
func (f *future) takeDown(ctx context.Context, group string, nodes []*corev1.Node, count int) error {
	f.gaps.note("group/"+group, message.Of(message.GapChoice, message.Args{"group": "group/" + group}))
	nodes = slices.Clone(nodes)
	shuffle(f.chance, nodes)
	for range count {
		byZone := map[string][]*corev1.Node{}
		for _, node := range nodes {
			byZone[cluster.Zone(node)] = append(byZone[cluster.Zone(node)], node)
		}
		zones := drawn(f.chance, slices.Sorted(maps.Keys(byZone)))
		fullest := slices.MaxFunc(zones, func(a, b string) int { return len(byZone[a]) - len(byZone[b]) })
		leaving := byZone[fullest][len(byZone[fullest])-1]
		nodes = slices.DeleteFunc(nodes, func(n *corev1.Node) bool { return n.Name == leaving.Name })
		blocked, err := f.drain(ctx, leaving)
		if err != nil {
			return err
		}
		f.budgets.disrupt(blocked...)
		if err := f.removeNodes(ctx, []*corev1.Node{leaving}); err != nil {
			return err
		}
		f.left = append(f.left, leaving)
	}
	return nil
}

// rotate replaces each node of a group: as many new ones come up first, then the old are drained. One that cannot be
// emptied stays.
func (f *future) rotate(ctx context.Context, c change.RotateGroup) error {
	old := slices.Clone(f.groupNodes(c.Group))
	if len(old) == 0 {
		return UnknownError{c.Subject()}
	}
	zones := c.Zones
	if len(zones) == 0 {
		zones = f.zonesOf(old)
	}
	zones = drawn(f.chance, zones)
	each := make([]string, len(old))
	for i := range each {
		each[i] = zones[i%len(zones)]
	}
	if err := f.join(ctx, f.newNodes(c.Group, each, old)); err != nil {
		return err
	}
	// The old ones are closed all at once, so that no pod moves twice.
	for _, node := range old {
		if err := f.cordon(f.world().Node(node.Name), true); err != nil {
			return err
		}
	}
	for _, node := range old {
		blocked, err := f.drain(ctx, f.world().Node(node.Name))
		if err != nil {
			return err
		}
		if len(blocked) > 0 {
			continue
		}
		if err := f.removeNodes(ctx, []*corev1.Node{node}); err != nil {
			return err
		}
	}
	return nil
}

func (f *future) groupNodes(name string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, group := range f.world().Groups() {
		if group.Name == name {
			nodes = append(nodes, group.Nodes...)
		}
	}
	return nodes
}

// departed are a group's nodes that are gone while it could bring up others in their place, in zones that are not lost.
func (f *future) departed(group string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, node := range f.left {
		its, ok := f.present.GroupOf(node.Name)
		if (ok && its.Name == group || !ok && group == allNodes) && !f.dark[cluster.Zone(node)] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// allNodes is what the nodes are called of a world without groups.
const allNodes = "node"

// largestGroup is the one with the most nodes, by the present if none has any left; without any group, all nodes are taken
// for one.
func (f *future) largestGroup() ([]*corev1.Node, string) {
	groups := f.world().Groups()
	switch present := f.present.Groups(); {
	case len(present) == 0:
		return f.world().Nodes(), allNodes
	case len(groups) == 0:
		return nil, slices.MaxFunc(present, func(a, b cluster.Group) int { return len(a.Nodes) - len(b.Nodes) }).Name
	}
	most := slices.MaxFunc(groups, func(a, b cluster.Group) int { return len(a.Nodes) - len(b.Nodes) })
	return most.Nodes, most.Name
}

func (f *future) zonesOf(nodes []*corev1.Node) []string {
	zones := map[string]bool{}
	for _, node := range nodes {
		zones[cluster.Zone(node)] = true
	}
	return slices.Sorted(maps.Keys(zones))
}

// leaving says whether a node's group no longer counts on it.
func leaving(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == "ToBeDeletedByClusterAutoscaler" || t.Key == "node.cloudprovider.kubernetes.io/shutdown"
	})
}

package simulation

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// addNodes adds nodes like those of a group.
func (e *engine) addNodes(ctx context.Context, c change.AddNodes) error {
	nodes, name := e.largestGroup()
	if c.Group != "" {
		nodes, name = e.groupNodes(c.Group), c.Group
	}
	similar := slices.Concat(nodes, e.removedNodesOf(name))
	if len(similar) == 0 {
		return UnknownError{change.Ref{Kind: c.Subject().Kind, Name: name}}
	}
	p := launchSpec{name, similar, e.zonesOf(similar), oneNodePerZone(nodes)}
	if c.Zone != "" {
		p.zones, p.otherZones = []string{c.Zone}, false
	}
	return e.launchNodes(ctx, p, nodes, c.Count)
}

// resizeGroup sets a group's size: new nodes go to the zone with the fewest nodes, and the zone with the most loses one.
func (e *engine) resizeGroup(ctx context.Context, c change.ResizeGroup) error {
	nodes := e.groupNodes(c.Group)
	similar := slices.Concat(nodes, e.removedNodesOf(c.Group))
	if len(similar) == 0 {
		return UnknownError{c.Subject()}
	}
	zones := c.Zones
	if len(zones) == 0 {
		zones = e.zonesOf(similar)
	}
	staying := slices.DeleteFunc(slices.Clone(nodes), kube.IsBeingRemoved) // A group's size does not count nodes being removed.
	if more := c.To - len(staying); more >= 0 {
		return e.launchNodes(ctx, launchSpec{c.Group, similar, zones, len(c.Zones) == 0 && oneNodePerZone(staying)}, nodes, more)
	}
	return e.terminateNodes(ctx, c.Group, staying, len(staying)-c.To)
}

// launchSpec is what new nodes of a group are like, and the zones they may be launched in.
type launchSpec struct {
	group   string
	similar []*corev1.Node
	zones   []string
	// otherZones says that they may be launched in other zones, too.
	otherZones bool
}

// zonesWithEqualCount is the number of zones with as many nodes as one of them.
func zonesWithEqualCount(zones []string, nodes map[string]int, zone string) int {
	n := 0
	for _, other := range zones {
		if nodes[other] == nodes[zone] {
			n++
		}
	}
	return n
}

// oneNodePerZone says whether no two nodes of a group share a zone. Groups balance their zones: if two nodes share one, every zone
// has a node; otherwise there may be zones without any.
func oneNodePerZone(nodes []*corev1.Node) bool {
	seen := map[string]bool{}
	for _, node := range nodes {
		if seen[cluster.Zone(node)] {
			return false
		}
		seen[cluster.Zone(node)] = true
	}
	return true
}

// noteZones notes that new nodes may be launched in zones that are not known or, if several zones have equally few nodes, in
// another of them.
//
// Amazon EC2 Auto Scaling keeps as many instances in each zone. In which of several with the fewest it launches, it does not say.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-availability-zone-balanced.html
func (e *engine) noteZones(p launchSpec, candidates int) {
	group := "group/" + p.group
	switch args := (message.Args{"group": group}); {
	case p.otherZones:
		e.gaps.note(group, message.Of(message.GapZones, args))
	case candidates > 1:
		e.gaps.note(group, message.Of(message.GapTie, args))
	}
}

// launchNodes adds nodes to a group, each in the zone with the fewest; a random one of several.
func (e *engine) launchNodes(ctx context.Context, p launchSpec, nodes []*corev1.Node, count int) error {
	counts := map[string]int{}
	for _, node := range nodes {
		if !kube.IsBeingRemoved(node) {
			counts[cluster.Zone(node)]++
		}
	}
	zones := make([]string, count)
	for i := range zones {
		zone := slices.MinFunc(shuffled(e.randomness, p.zones), func(a, b string) int { return counts[a] - counts[b] })
		if i == count-1 {
			e.noteZones(p, zonesWithEqualCount(p.zones, counts, zone))
		}
		counts[zone]++
		zones[i] = zone
	}
	if err := e.registerNodes(ctx, e.newNodes(p.group, zones, p.similar)); err != nil {
		return err
	}
	return e.runVerticalAutoscalers(ctx)
}

// registerNodes adds new nodes with their DaemonSets' pods, and schedules the waiting pods.
func (e *engine) registerNodes(ctx context.Context, nodes []newNode) error {
	for _, batch := range batches(e.randomness, nodes) {
		for _, node := range batch {
			if err := e.edit(node.edits()...); err != nil {
				return err
			}
			if err := e.createDaemonPods(node.Node); err != nil {
				return err
			}
		}
		e.retryUnschedulable()
		if err := e.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// terminateNodes removes nodes from a group, each from the zone with the most nodes, a random one of several. Each is drained
// first; pods that a budget protects are removed with the node all the same, as the clouds do after a while.
func (e *engine) terminateNodes(ctx context.Context, group string, nodes []*corev1.Node, count int) error {
	e.gaps.note("group/"+group, message.Of(message.GapChoice, message.Args{"group": "group/" + group}))
	nodes = slices.Clone(nodes)
	shuffle(e.randomness, nodes)
	for range count {
		byZone := map[string][]*corev1.Node{}
		for _, node := range nodes {
			byZone[cluster.Zone(node)] = append(byZone[cluster.Zone(node)], node)
		}
		zones := shuffled(e.randomness, slices.Sorted(maps.Keys(byZone)))
		fullest := slices.MaxFunc(zones, func(a, b string) int { return len(byZone[a]) - len(byZone[b]) })
		removed := byZone[fullest][len(byZone[fullest])-1]
		nodes = slices.DeleteFunc(nodes, func(n *corev1.Node) bool { return n.Name == removed.Name })
		blocked, err := e.drainNode(ctx, removed)
		if err != nil {
			return err
		}
		e.budgets.recordViolations(blocked...)
		if err := e.removeNodes(ctx, []*corev1.Node{removed}); err != nil {
			return err
		}
		e.removedNodes = append(e.removedNodes, removed)
	}
	return nil
}

// rotateGroup replaces each node of a group: as many new ones are launched first, then the old are drained. One that cannot be
// drained stays.
func (e *engine) rotateGroup(ctx context.Context, c change.RotateGroup) error {
	old := slices.Clone(e.groupNodes(c.Group))
	if len(old) == 0 {
		return UnknownError{c.Subject()}
	}
	zones := c.Zones
	if len(zones) == 0 {
		zones = e.zonesOf(old)
	}
	e.noteZones(launchSpec{group: c.Group, otherZones: len(c.Zones) == 0 && oneNodePerZone(old)}, 1)
	zones = shuffled(e.randomness, zones)
	each := make([]string, len(old))
	for i := range each {
		each[i] = zones[i%len(zones)]
	}
	if err := e.registerNodes(ctx, e.newNodes(c.Group, each, old)); err != nil {
		return err
	}
	// All old nodes are cordoned first, so that no pod moves twice.
	for _, node := range old {
		if err := e.cordonNode(e.world().Node(node.Name), true); err != nil {
			return err
		}
	}
	for _, node := range old {
		blocked, err := e.drainNode(ctx, e.world().Node(node.Name))
		if err != nil {
			return err
		}
		if len(blocked) > 0 {
			continue
		}
		if err := e.removeNodes(ctx, []*corev1.Node{node}); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) groupNodes(name string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, group := range e.world().Groups() {
		if group.Name == name {
			nodes = append(nodes, group.Nodes...)
		}
	}
	return nodes
}

// removedNodesOf are a group's removed nodes in zones that are not lost: the group may launch others in their place.
func (e *engine) removedNodesOf(group string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, node := range e.removedNodes {
		its, ok := e.initial.GroupOf(node.Name)
		if (ok && its.Name == group || !ok && group == defaultGroupName) && !e.lostZones[cluster.Zone(node)] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// defaultGroupName is the group of all nodes in a world without groups.
const defaultGroupName = "node"

// largestGroup is the group with the most nodes, by the initial snapshot if no group has any left; without groups it is all nodes.
func (e *engine) largestGroup() ([]*corev1.Node, string) {
	groups := e.world().Groups()
	switch present := e.initial.Groups(); {
	case len(present) == 0:
		return e.world().Nodes(), defaultGroupName
	case len(groups) == 0:
		return nil, slices.MaxFunc(present, func(a, b cluster.Group) int { return len(a.Nodes) - len(b.Nodes) }).Name
	}
	most := slices.MaxFunc(groups, func(a, b cluster.Group) int { return len(a.Nodes) - len(b.Nodes) })
	return most.Nodes, most.Name
}

func (e *engine) zonesOf(nodes []*corev1.Node) []string {
	zones := map[string]bool{}
	for _, node := range nodes {
		zones[cluster.Zone(node)] = true
	}
	return slices.Sorted(maps.Keys(zones))
}

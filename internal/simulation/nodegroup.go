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
func (e *engine) addNodes(ctx context.Context, c change.AddNodes) error {
	nodes, name := e.largestGroup()
	if c.Group != "" {
		nodes, name = e.groupNodes(c.Group), c.Group
	}
	like := slices.Concat(nodes, e.removedNodesOf(name))
	if len(like) == 0 {
		return UnknownError{change.Ref{Kind: c.Subject().Kind, Name: name}}
	}
	p := launchSpec{name, like, e.zonesOf(like), oneNodePerZone(nodes)}
	if c.Zone != "" {
		p.zones, p.otherZones = []string{c.Zone}, false
	}
	return e.launchNodes(ctx, p, nodes, c.Count)
}

// resize sets a group's size: new nodes fill the emptiest zone first, and it is the fullest that loses one.
func (e *engine) resizeGroup(ctx context.Context, c change.ResizeGroup) error {
	nodes := e.groupNodes(c.Group)
	like := slices.Concat(nodes, e.removedNodesOf(c.Group))
	if len(like) == 0 {
		return UnknownError{c.Subject()}
	}
	zones := c.Zones
	if len(zones) == 0 {
		zones = e.zonesOf(like)
	}
	staying := slices.DeleteFunc(slices.Clone(nodes), isBeingRemoved) // A group's size no longer counts those that leave.
	if more := c.To - len(staying); more >= 0 {
		return e.launchNodes(ctx, launchSpec{c.Group, like, zones, len(c.Zones) == 0 && oneNodePerZone(staying)}, nodes, more)
	}
	return e.terminateNodes(ctx, c.Group, staying, len(staying)-c.To)
}

// pattern is what new nodes of a group are like, and where they may come up.
type launchSpec struct {
	group   string
	similar []*corev1.Node
	zones   []string
	// open says that they may come up elsewhere, too.
	otherZones bool
}

// equals is how many zones have as many nodes as one of them.
func zonesWithEqualCount(zones []string, nodes map[string]int, zone string) int {
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

// noteZones says that new nodes may come up in zones of which nothing is known, or, if so many are equally empty, in another
// of them.
//
// Amazon EC2 Auto Scaling keeps as many instances in each zone. In which of several with the fewest it launches, it does not say.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-availability-zone-balanced.html
func (e *engine) noteZones(p launchSpec, equals int) {
	group := "group/" + p.group
	switch args := (message.Args{"group": group}); {
	case p.otherZones:
		e.gaps.note(group, message.Of(message.GapZones, args))
	case equals > 1:
		e.gaps.note(group, message.Of(message.GapTie, args))
	}
}

// bringUp adds nodes to a group's, each in the zone that has fewest of them; of several one by chance.
func (e *engine) launchNodes(ctx context.Context, p launchSpec, nodes []*corev1.Node, count int) error {
	standing := map[string]int{}
	for _, node := range nodes {
		if !isBeingRemoved(node) {
			standing[cluster.Zone(node)]++
		}
	}
	zones := make([]string, count)
	for i := range zones {
		zone := slices.MinFunc(shuffled(e.randomness, p.zones), func(a, b string) int { return standing[a] - standing[b] })
		if i == count-1 {
			e.noteZones(p, zonesWithEqualCount(p.zones, standing, zone))
		}
		standing[zone]++
		zones[i] = zone
	}
	if err := e.registerNodes(ctx, e.newNodes(p.group, zones, p.similar)); err != nil {
		return err
	}
	return e.runVerticalAutoscalers(ctx)
}

// join adds new nodes: each gets its DaemonSets' pods, and what waited gets a place.
func (e *engine) registerNodes(ctx context.Context, made []newNode) error {
	for _, wave := range batches(e.randomness, made) {
		for _, node := range wave {
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

// takeDown removes nodes from a group, one after another from its fullest zone, of several from one by chance. Each is drained first; what a budget holds
// back then goes with the node all the same, as the clouds do after a while.
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
		leaving := byZone[fullest][len(byZone[fullest])-1]
		nodes = slices.DeleteFunc(nodes, func(n *corev1.Node) bool { return n.Name == leaving.Name })
		blocked, err := e.drainNode(ctx, leaving)
		if err != nil {
			return err
		}
		e.budgets.recordViolations(blocked...)
		if err := e.removeNodes(ctx, []*corev1.Node{leaving}); err != nil {
			return err
		}
		e.removedNodes = append(e.removedNodes, leaving)
	}
	return nil
}

// rotate replaces each node of a group: as many new ones come up first, then the old are drained. One that cannot be
// emptied stays.
func (e *engine) rotateGroup(ctx context.Context, c change.RotateGroup) error {
	old := slices.Clone(e.groupNodes(c.Group))
	if len(old) == 0 {
		return UnknownError{c.Subject()}
	}
	zones := c.Zones
	if len(zones) == 0 {
		zones = e.zonesOf(old)
	}
	zones = shuffled(e.randomness, zones)
	each := make([]string, len(old))
	for i := range each {
		each[i] = zones[i%len(zones)]
	}
	if err := e.registerNodes(ctx, e.newNodes(c.Group, each, old)); err != nil {
		return err
	}
	// The old ones are closed all at once, so that no pod moves twice.
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

// departed are a group's nodes that are gone while it could bring up others in their place, in zones that are not lost.
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

// allNodes is what the nodes are called of a world without groups.
const defaultGroupName = "node"

// largestGroup is the one with the most nodes, by the present if none has any left; without any group, all nodes are taken
// for one.
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

// leaving says whether a node's group no longer counts on it.
func isBeingRemoved(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == "ToBeDeletedByClusterAutoscaler" || t.Key == "node.cloudprovider.kubernetes.io/shutdown"
	})
}

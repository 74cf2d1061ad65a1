package nodegroup

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodelifecycle"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/workload"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// Groups simulates the groups of nodes.
type Groups struct {
	engine      *engine.Engine
	workload    *workload.Controllers
	autoscalers *verticalautoscaler.Controller
	nodes       *nodelifecycle.Controller
}

// New is the groups of an engine's nodes.
func New(e *engine.Engine, w *workload.Controllers, a *verticalautoscaler.Controller, n *nodelifecycle.Controller) *Groups {
	return &Groups{engine: e, workload: w, autoscalers: a, nodes: n}
}

// Add adds nodes like those of a group.
func (g *Groups) Add(ctx context.Context, c change.AddNodes) error {
	nodes, name := g.largestGroup()
	if c.Group != "" {
		nodes, name = g.groupNodes(c.Group), c.Group
	}
	similar := slices.Concat(nodes, g.removedNodesOf(name))
	if len(similar) == 0 {
		return outcome.UnknownError{Ref: change.Ref{Kind: c.Subject().Kind, Name: name}}
	}
	p := launchSpec{group: name, similar: similar}
	p.zones, p.otherZones = g.launchZones(similar, nodes)
	if c.Zone != "" {
		p.zones, p.otherZones = []string{c.Zone}, false
	}
	if err := g.setDesired(name, similar, len(nodes)+c.Count, 0); err != nil {
		return err
	}
	return g.launchNodes(ctx, p, nodes, c.Count)
}

// Resize sets a group's size: new nodes go to the zone with the fewest nodes, and the zone with the most loses one.
func (g *Groups) Resize(ctx context.Context, c change.ResizeGroup) error {
	nodes := g.groupNodes(c.Group)
	similar := slices.Concat(nodes, g.removedNodesOf(c.Group))
	if len(similar) == 0 {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	if err := g.setDesired(c.Group, similar, c.To, c.Max); err != nil {
		return err
	}
	staying := slices.DeleteFunc(slices.Clone(nodes), kube.IsBeingRemoved) // A group's size does not count nodes being removed.
	if more := c.To - len(staying); more >= 0 {
		p := launchSpec{group: c.Group, similar: similar, zones: c.Zones}
		if len(p.zones) == 0 {
			p.zones, p.otherZones = g.launchZones(similar, staying)
		}
		return g.launchNodes(ctx, p, nodes, more)
	}
	return g.terminateNodes(ctx, c.Group, staying, len(staying)-c.To)
}

// setDesired sets the desired size of the group of nodes, if the world has it. That the group's maximum is lower is noted, unless it is raised with it, to
// a maximum that is 0 otherwise.
func (g *Groups) setDesired(group string, similar []*corev1.Node, desired, maximum int) error {
	sizes, known := g.engine.World().SizesOf(similar)
	if !known {
		return nil
	}
	if desired > max(sizes.Max, maximum) {
		name := "group/" + group
		g.engine.Gaps.Note(name, sentence.GapMaximum(name, sizes.Max, desired))
	}
	return g.engine.Edit(sizes.Resized(desired))
}

// launchSpec is what new nodes of a group are like, and the zones they may be launched in.
type launchSpec struct {
	group   string
	similar []*corev1.Node
	zones   []string
	// otherZones says that they may be launched in other zones, too.
	otherZones bool
}

// launchZones are the zones that a group launches nodes in, as its cloud tells, or else those of nodes like its own; others says that there may be more.
func (g *Groups) launchZones(similar, staying []*corev1.Node) (zones []string, others bool) {
	sizes, _ := g.engine.Initial.SizesOf(similar)
	if zones = slices.DeleteFunc(slices.Clone(sizes.Zones), g.nodes.ZoneLost); len(zones) > 0 {
		return zones, false
	}
	return g.zonesOf(similar), g.mayHaveOtherZones(staying)
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

// usualZones is how many zones most groups span at most.
const usualZones = 3

// mayHaveOtherZones reports whether a group may span zones that none of its nodes is in. It may if a zone has only one of its nodes:
// another zone may have had one that is lost. It does not if it has nodes in three zones, one of which has two. It may in any case if
// the cluster has nodes or volumes in a zone without one of the group's.
func (g *Groups) mayHaveOtherZones(nodes []*corev1.Node) bool {
	count := map[string]int{}
	for _, node := range nodes {
		count[cluster.Zone(node)]++
	}
	alone := slices.Contains(slices.Collect(maps.Values(count)), 1)
	lacks := func(zone string) bool { return count[zone] == 0 }
	return len(count) == len(nodes) || alone && len(count) < usualZones ||
		slices.ContainsFunc(g.engine.World().Nodes(), func(node *corev1.Node) bool { return lacks(cluster.Zone(node)) }) ||
		slices.ContainsFunc(g.engine.World().Volumes(), func(volume *corev1.PersistentVolume) bool {
			affinity := volume.Spec.NodeAffinity
			return affinity != nil && affinity.Required != nil && slices.ContainsFunc(kube.NamedZones(affinity.Required), lacks)
		})
}

// noteZones notes that new nodes may be launched in zones that are not known or, if several zones have equally few nodes, in
// another of them.
//
// Amazon EC2 Auto Scaling keeps as many instances in each zone. In which of several with the fewest it launches, it does not say.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-availability-zone-balanced.html
func (g *Groups) noteZones(p launchSpec, candidates int) {
	group := "group/" + p.group
	switch {
	case p.otherZones:
		g.engine.Gaps.Note(group, sentence.GapZones(group))
	case candidates > 1:
		g.engine.Gaps.Note(group, sentence.GapTie(group))
	}
}

// launchNodes adds nodes to a group, each in the zone with the fewest; a random one of several. A zone whose subnets have no address for an instance
// is left out then.
//
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-availability-zone-balanced.html
func (g *Groups) launchNodes(ctx context.Context, p launchSpec, nodes []*corev1.Node, count int) error {
	counts := map[string]int{}
	for _, node := range nodes {
		if !kube.IsBeingRemoved(node) {
			counts[cluster.Zone(node)]++
		}
	}
	zones, f, launched := slices.Clone(p.zones), g.factory(p.group, p.similar), []newNode{}
	for len(launched) < count && len(zones) > 0 {
		zone := slices.MinFunc(randomness.Shuffled(g.engine.Randomness, zones), func(a, b string) int { return counts[a] - counts[b] })
		node, ok := f.launch(zone)
		if !ok {
			zones = slices.DeleteFunc(zones, func(other string) bool { return other == zone })
			continue
		}
		if launched = append(launched, node); len(launched) == count {
			g.noteZones(p, zonesWithEqualCount(zones, counts, zone))
		}
		counts[zone]++
	}
	if missing := count - len(launched); missing > 0 {
		g.engine.MarkUnlaunched(p.group, missing)
	}
	if err := g.registerNodes(ctx, launched); err != nil {
		return err
	}
	return g.autoscalers.Run(ctx)
}

// registerNodes adds new nodes with their DaemonSets' pods, and schedules the waiting pods.
func (g *Groups) registerNodes(ctx context.Context, nodes []newNode) error {
	for _, batch := range randomness.Batches(g.engine.Randomness, nodes) {
		for _, node := range batch {
			if err := g.engine.Edit(node.edits()...); err != nil {
				return err
			}
			g.engine.FillPool(node.Name)
			if err := g.workload.CreateDaemonPods(node.Node); err != nil {
				return err
			}
		}
		g.engine.RetryUnschedulable()
		if err := g.engine.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// terminateNodes removes nodes from a group, in some futures some of them later than others. Managed groups drain them first; pods
// that a budget protects are removed with the node all the same, after a while. Others end the machine at once.
//
// https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
func (g *Groups) terminateNodes(ctx context.Context, group string, nodes []*corev1.Node, count int) error {
	g.engine.Gaps.Note("group/"+group, sentence.GapChoice("group/"+group))
	for _, batch := range randomness.Batches(g.engine.Randomness, g.nodesToTerminate(nodes, count)) {
		var unready []*corev1.Pod
		for _, node := range batch {
			unready = append(unready, g.nodes.DrainedPods(node)...)
		}
		if g.engine.Randomness.GroupDrains() {
			var err error
			if unready, err = g.nodes.DrainNodes(ctx, batch); err != nil {
				return err
			}
		}
		g.engine.Budgets.RecordViolations(unready...)
		if err := g.nodes.RemoveNodes(ctx, batch); err != nil {
			return err
		}
		g.nodes.MarkRemoved(batch...)
		if err := g.engine.SettleStep(ctx, func() bool { return true }); err != nil {
			return err
		}
	}
	return nil
}

// nodesToTerminate are so many nodes of a group, each from the zone with the most that are left, a random one of several.
func (g *Groups) nodesToTerminate(nodes []*corev1.Node, count int) []*corev1.Node {
	byZone := map[string][]*corev1.Node{}
	for _, node := range randomness.Shuffled(g.engine.Randomness, nodes) {
		byZone[cluster.Zone(node)] = append(byZone[cluster.Zone(node)], node)
	}
	var chosen []*corev1.Node
	for range count {
		zones := randomness.Shuffled(g.engine.Randomness, slices.Sorted(maps.Keys(byZone)))
		fullest := slices.MaxFunc(zones, func(a, b string) int { return len(byZone[a]) - len(byZone[b]) })
		last := len(byZone[fullest]) - 1
		chosen = append(chosen, byZone[fullest][last])
		byZone[fullest] = byZone[fullest][:last]
	}
	return chosen
}

// Rotate replaces each node of a group: the new ones are launched first, in random ones of the zones if there are fewer nodes than zones. Then the old are drained. One
// that cannot be drained stays.
func (g *Groups) Rotate(ctx context.Context, c change.RotateGroup) error {
	old := slices.Clone(g.groupNodes(c.Group))
	if len(old) == 0 {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	zones, others := c.Zones, false
	if len(zones) == 0 {
		zones, others = g.launchZones(old, old)
	}
	count := cmp.Or(c.To, len(old))
	if err := g.setDesired(c.Group, old, count, 0); err != nil {
		return err
	}
	g.noteZones(launchSpec{group: c.Group, otherZones: others}, 1+max(0, len(zones)-count))
	zones = randomness.Shuffled(g.engine.Randomness, zones)
	f, replacements := g.factory(c.Group, old), make([]newNode, count)
	for i := range replacements {
		replacements[i] = f.make(zones[i%len(zones)])
	}
	if g.engine.CountsAddresses() {
		g.engine.Gaps.Note("group/"+c.Group, sentence.GapRotation("group/"+c.Group))
	}
	if err := g.registerNodes(ctx, replacements); err != nil {
		return err
	}
	if err := g.workload.ContinueRollouts(ctx); err != nil { // Those that waited for capacity end before the first drain.
		return err
	}
	// All old nodes are cordoned first, so that no pod moves twice.
	for _, node := range old {
		if err := g.nodes.CordonNode(g.engine.World().Node(node.Name), true); err != nil {
			return err
		}
	}
	for _, node := range old {
		blocked, err := g.nodes.DrainNode(ctx, g.engine.World().Node(node.Name))
		if err != nil {
			return err
		}
		if len(blocked) > 0 {
			continue
		}
		if err := g.nodes.RemoveNodes(ctx, []*corev1.Node{node}); err != nil {
			return err
		}
	}
	for _, node := range replacements {
		zone := cluster.Zone(node.Node)
		g.engine.CountInstance(node.Name, f.examples[zone].Name, zone)
	}
	return nil
}

func (g *Groups) groupNodes(name string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, group := range g.engine.World().Groups() {
		if group.Name == name {
			nodes = append(nodes, group.Nodes...)
		}
	}
	return nodes
}

// removedNodesOf are a group's removed nodes in zones that are not lost: the group may launch others in their place.
func (g *Groups) removedNodesOf(group string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, node := range g.nodes.RemovedOutsideLostZones() {
		its, ok := g.engine.Initial.GroupOf(node.Name)
		if ok && its.Name == group || !ok && group == defaultGroupName {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// defaultGroupName is the group of all nodes in a world without groups.
const defaultGroupName = "node"

// largestGroup is the group with the most nodes, by the initial snapshot if no group has any left; without groups it is all nodes.
func (g *Groups) largestGroup() ([]*corev1.Node, string) {
	groups := g.engine.World().Groups()
	switch present := g.engine.Initial.Groups(); {
	case len(present) == 0:
		return g.engine.World().Nodes(), defaultGroupName
	case len(groups) == 0:
		return nil, slices.MaxFunc(present, func(a, b cluster.Group) int { return len(a.Nodes) - len(b.Nodes) }).Name
	}
	most := slices.MaxFunc(groups, func(a, b cluster.Group) int { return len(a.Nodes) - len(b.Nodes) })
	return most.Nodes, most.Name
}

func (g *Groups) zonesOf(nodes []*corev1.Node) []string {
	zones := map[string]bool{}
	for _, node := range nodes {
		zones[cluster.Zone(node)] = true
	}
	return slices.Sorted(maps.Keys(zones))
}

package unschedulable

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// remedies are ways to get the pods a node, those that disturb least first.
func (a *answer) remedies(ctx context.Context, d *query.Verdict, near []query.ClosedNode) {
	var c query.Candidates
	if len(d.Everywhere) == 0 && facts.DaemonNode(a.one) == "" && a.pinnedBy() == nil {
		c = a.GroupsFor(ctx, a.one, nil)
		a.groups(c)
	}
	larger := a.Sizable(a.one, a.grow(c))
	ways := slices.Concat(
		a.Uncordon(d.Closed), larger, a.moveAside(near), a.Tolerate(a.one, d.Closed), a.lower(near),
		a.relax(d.Closed), a.Untaint(a.one, d.Closed), a.raise(near),
	)
	a.Remedies = slices.Concat(a.rollout(ctx, d), a.ScalingRemedies(a.one, c), a.Proven(ctx, ways, a.pods...))
	a.Remedies = a.Remedies[:min(len(a.Remedies), query.MostRemedies)]
}

// besidesOld are the obstacles that pods of an older version are to a new one by being where they are.
var besidesOld = map[message.ID]bool{message.ObstaclePort: true, message.ObstacleApart: true, message.ObstacleInUse: true}

// rollout says that pods wait because they cannot be beside those of the older version that they are to replace, and gives ways
// to end those first. That it is so shows in simulation: once the old ones may end first, the new ones get a node.
func (a *answer) rollout(ctx context.Context, d *query.Verdict) []finding.Remedy {
	apart := slices.ContainsFunc(d.Closed, func(n query.ClosedNode) bool {
		return !slices.ContainsFunc(n.Obstacles, func(o query.Obstacle) bool { return !besidesOld[o.Kind] })
	})
	rollout, ok := a.RolloutOf(a.one)
	if !ok || !apart {
		return nil
	}
	proven := slices.DeleteFunc(a.Proven(ctx, a.EndOldFirst(rollout), a.pods...), func(r finding.Remedy) bool { return !r.Verified })
	if len(proven) == 0 {
		return nil
	}
	args := rollout.Args()
	args["said"] = a.Message
	a.Causes = slices.Insert(a.Causes, 0, finding.Link{
		Message: a.Say.Text(message.RolloutKeepsOld, args), Evidence: []finding.Evidence{rollout.Fact()},
	})
	a.says(message.RolloutHeld, args)
	return proven
}

// pinnedBy is a volume that ties the pod to nodes by name, nil if there is none: with one, no new node helps.
func (a *answer) pinnedBy() *facts.Mount {
	for _, m := range facts.Mounts(a.World, a.one) {
		if len(m.Hosts()) > 0 {
			return &m
		}
	}
	return nil
}

// groups says which node groups would help, and what is not known of them.
func (a *answer) groups(c query.Candidates) {
	zones := map[string]bool{}
	for _, group := range c.Suited {
		zones[group.Zone] = true
	}
	if c.Asked && len(a.World.Groups()) > 0 {
		a.Causes = append(a.Causes, groupsLink(a.View, a.one, slices.Sorted(maps.Keys(zones)), c))
	}
	if query.AtMaximum(a.View, a.one) {
		a.atMaximum(c)
		return
	}
	if query.Scaled(a.View, a.one) {
		return // The autoscaler has told more than the bounds would.
	}
	for _, group := range c.Suited[:min(len(c.Suited), query.MostRemedies)] {
		about := facts.GroupRef(group.Group).String()
		id := message.UnknownGroupBounds
		if group.Provider == change.Karpenter {
			id = message.UnknownOwnPool
		}
		if group.Provider == change.Karpenter && query.KarpenterTells(a.View, a.one) {
			continue
		}
		a.unknown(about, id, message.Args{"group": about})
	}
	if c.Stray != nil {
		node := facts.RefTo(cluster.Node, c.Stray).String()
		a.unknown(node, message.UnknownGroup, message.Args{"node": node})
	}
}

// atMaximum says which groups suit and are at their maximum size.
func (a *answer) atMaximum(c query.Candidates) {
	for i, group := range c.Suited[:min(len(c.Suited), query.MostRemedies)] {
		ref := facts.GroupRef(group.Group)
		said := a.Say.Text(message.GroupAtMaximum, message.Args{"group": ref, "nodes": len(group.Nodes)})
		a.Causes = append(a.Causes, finding.Link{
			Message: said, Evidence: []finding.Evidence{facts.Fact(ref, "nodes", strconv.Itoa(len(group.Nodes)))},
		})
		if i == 0 {
			a.Message = a.Say.Text(message.UnplacedAlso, message.Args{"said": a.Message, "also": said})
		}
	}
}

// grow adds as many nodes to a group as the waiting pods are likely to need.
func (a *answer) grow(c query.Candidates) []query.Way {
	var ways []query.Way
	for _, group := range c.Suited {
		if !group.Anywhere {
			if resized := query.Resize(a.View, group.Group, group.Zone); resized.Command != "" {
				ways = append(ways, query.Way{Remedy: resized})
			}
			continue
		}
		need := a.nodesNeeded(group.Nodes[0])
		for _, more := range slices.Compact([]int{need, need + 1}) {
			if grown := a.grownBy(group, more); grown.Command != "" {
				ways = append(ways, grown)
			}
		}
	}
	return ways
}

func (a *answer) grownBy(group query.Suited, more int) query.Way {
	counts := query.Standing(group.Group)
	zones := slices.Sorted(maps.Keys(counts))
	before := 0
	for _, node := range group.Nodes {
		if !facts.Leaving(node) {
			before++
		}
	}
	done := change.ResizeGroup{
		Group: group.Name, Provider: group.Sizer(), To: before + more, Zones: zones, Cluster: group.Cluster(), Region: group.Region(),
	}
	if done.Provider == change.GKE && len(zones) > 0 {
		done.PerZone = (done.To + len(zones) - 1) / len(zones)
		done.To = done.PerZone * len(zones)
	}
	args := message.Args{
		"group": facts.GroupRef(group.Group), "to": done.To, "more": done.To - before, "n": len(a.pods), "type": query.InstanceType(group.Group),
	}
	return a.Way(done, message.RemedyGrow, message.RemedyResizeCost, message.RemedyGrowRisk, args)
}

// nodesNeeded is how many nodes like one the waiting pods fill. It is a guess to be proven: what else will run there is not
// counted.
func (a *answer) nodesNeeded(like *corev1.Node) int {
	each := int64(len(a.pods))
	if len(facts.AntiAffinity(a.one)) > 0 {
		each = 1
	}
	for name, asked := range query.Asks(a.one) {
		if want := query.Units(name, asked); want > 0 {
			each = min(each, query.Units(name, like.Status.Allocatable[name])/want)
		}
	}
	if each < 1 {
		return 1
	}
	return int((int64(len(a.pods)) + each - 1) / each)
}

// mostMoved bounds how many pods are tried to be moved from one node.
const mostMoved = 3

// moveAside deletes a pod of another workload from a near node, which must then find a place elsewhere.
func (a *answer) moveAside(near []query.ClosedNode) []query.Way {
	if len(a.pods) > 1 {
		return nil
	}
	var ways []query.Way
	for _, n := range near {
		if !n.Only(message.ObstacleFull) && !n.Only(message.ObstaclePort) {
			continue
		}
		for _, pod := range a.movable(n) {
			args := message.Args{"pod": facts.RefTo(cluster.Pod, pod), "node": facts.NodeRef(n.Node.Name)}
			done := change.DeletePod{Namespace: pod.Namespace, Name: pod.Name}
			w := a.Way(done, message.RemedyMove, message.RemedyMoveCost, message.RemedyMoveRisk, args)
			w.Command, w.Closed, w.Also = withClosed(n.Node.Name, done), n.Node.Name, []*corev1.Pod{pod}
			ways = append(ways, w)
		}
	}
	return ways
}

// withClosed does something while a node takes no new pods: what replaces a pod is placed while that still ends, and may
// well fit beside it.
func withClosed(node string, done change.Change) string {
	return strings.Join([]string{change.Cordon{Node: node}.Command(), done.Command(), change.Uncordon{Node: node}.Command()}, " && ")
}

// movable are the pods on a node that, once gone, leave enough room and that their owners recreate: one of each owner, for
// they are alike, and the smallest first.
func (a *answer) movable(n query.ClosedNode) []*corev1.Pod {
	short := a.ShortOf(a.one, n.Node)
	var pods []*corev1.Pod
	seen := map[types.UID]bool{}
	for _, pod := range a.World.PodsOn(n.Node.Name) {
		owner := a.World.Owner(pod)
		if owner == nil || seen[owner.GetUID()] || !facts.Alive(pod) || facts.IsOneOf(pod, cluster.DaemonSet) || facts.IsOneOf(pod, cluster.Job) || cluster.IsMirror(pod) {
			continue
		}
		frees := query.Asks(pod)
		enough := !slices.ContainsFunc(short, func(s query.Need) bool { return query.Units(s.Resource, frees[s.Resource]) < s.Short() })
		ports := !n.Has(message.ObstaclePort) || slices.ContainsFunc(hostPorts(pod), func(have corev1.ContainerPort) bool {
			return slices.ContainsFunc(hostPorts(a.one), func(want corev1.ContainerPort) bool { return clash(want, have) })
		})
		if enough && ports {
			seen[owner.GetUID()] = true
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(x, y *corev1.Pod) int {
		size := func(p *corev1.Pod) int64 { frees := query.Asks(p); return frees.Cpu().MilliValue() }
		return cmp.Or(cmp.Compare(corev1helpers.PodPriority(x), corev1helpers.PodPriority(y)), cmp.Compare(size(x), size(y)))
	})
	return pods[:min(len(pods), mostMoved)]
}

// lower asks for what a near node has left, if that is at least half of what is asked for now.
func (a *answer) lower(near []query.ClosedNode) []query.Way {
	for _, n := range near {
		short := a.ShortOf(a.one, n.Node)
		if !n.Only(message.ObstacleFull) || len(short) == 0 || slices.ContainsFunc(short, func(s query.Need) bool {
			return s.Resource == corev1.ResourcePods || s.Short()*2 > s.Asked
		}) {
			continue
		}
		if w, ok := a.lowerTo(n.Node, short); ok {
			return []query.Way{w}
		}
	}
	return nil
}

func (a *answer) lowerTo(node *corev1.Node, short []query.Need) (query.Way, bool) {
	changed := map[string]map[corev1.ResourceName]string{}
	var steps []string
	for _, s := range short {
		container := slices.MaxFunc(a.one.Spec.Containers, func(x, y corev1.Container) int {
			return cmp.Compare(query.Units(s.Resource, x.Resources.Requests[s.Resource]), query.Units(s.Resource, y.Resources.Requests[s.Resource]))
		})
		have := query.Units(s.Resource, container.Resources.Requests[s.Resource])
		left := rounded(s.Resource, have-s.Short())
		if left <= 0 {
			return query.Way{}, false
		}
		if changed[container.Name] == nil {
			changed[container.Name] = map[corev1.ResourceName]string{}
		}
		changed[container.Name][s.Resource] = query.Amount(s.Resource, left)
		steps = append(steps, a.Say.Text(message.LowerStep, message.Args{
			"container": container.Name, "resource": string(s.Resource), "from": query.Amount(s.Resource, have), "to": query.Amount(s.Resource, left),
		}))
	}
	var containers []map[string]any
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		containers = append(containers, map[string]any{"name": name, "resources": map[string]any{"requests": changed[name]}})
	}
	done, ok := a.PatchTemplate(a.one, map[string]any{"containers": containers})
	args := message.Args{"object": done.Object, "steps": steps, "node": facts.NodeRef(node.Name)}
	return a.Way(done, message.RemedyLower, message.RemedyReplaceCost, message.RemedyLowerRisk, args), ok
}

// rounded is an amount rounded down to one that people write.
func rounded(name corev1.ResourceName, value int64) int64 {
	const mebi = 1 << 20
	if name != corev1.ResourceCPU && value >= 10*mebi {
		return value / mebi * mebi
	}
	return value
}

// relax makes a hard spread constraint a wish, if it alone closes some node.
func (a *answer) relax(nodes []query.ClosedNode) []query.Way {
	if !slices.ContainsFunc(nodes, func(n query.ClosedNode) bool { return n.Only(message.ObstacleSpread) }) {
		return nil
	}
	var ways []query.Way
	for _, c := range a.one.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		soft := map[string]any{"topologyKey": c.TopologyKey, "whenUnsatisfiable": corev1.ScheduleAnyway}
		if done, ok := a.PatchTemplate(a.one, map[string]any{"topologySpreadConstraints": []any{soft}}); ok {
			args := message.Args{"object": done.Object, "key": c.TopologyKey}
			ways = append(ways, a.Way(done, message.RemedyRelax, message.RemedyReplaceCost, message.RemedyRelaxRisk, args))
		}
	}
	return ways
}

// systemPriority is where the priorities that Kubernetes reserves begin (k8s.io/kubernetes/pkg/apis/scheduling).
const systemPriority = 1_000_000_000

// raise gives the pods the lowest priority class above pods on a near node that are in the way.
func (a *answer) raise(near []query.ClosedNode) []query.Way {
	lowest, found := int32(0), false
	for _, n := range near {
		if !n.Only(message.ObstacleFull) && !n.Only(message.ObstaclePort) && !n.Only(message.ObstacleApart) {
			continue
		}
		for _, pod := range a.World.PodsOn(n.Node.Name) {
			if facts.Alive(pod) && (!found || corev1helpers.PodPriority(pod) < lowest) {
				lowest, found = corev1helpers.PodPriority(pod), true
			}
		}
	}
	if !found {
		return nil
	}
	classes := slices.DeleteFunc(slices.Clone(a.World.PriorityClasses()), func(c *schedulingv1.PriorityClass) bool {
		return c.Value <= lowest || c.Value <= corev1helpers.PodPriority(a.one) || c.Value >= systemPriority
	})
	slices.SortFunc(classes, func(x, y *schedulingv1.PriorityClass) int { return cmp.Compare(x.Value, y.Value) })
	if len(classes) == 0 {
		return nil
	}
	done, ok := a.PatchTemplate(a.one, map[string]any{"priorityClassName": classes[0].Name})
	if !ok {
		return nil
	}
	args := message.Args{"object": done.Object, "class": classes[0].Name, "value": int(classes[0].Value)}
	return []query.Way{a.Way(done, message.RemedyPriority, message.RemedyReplaceCost, message.RemedyPriorityRisk, args)}
}

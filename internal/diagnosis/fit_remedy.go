package diagnosis

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// remedies are ways to get the pods a node, those that disturb least first.
func (a *answer) remedies(ctx context.Context, d *verdict, near []closedNode) {
	var c candidates
	if len(d.everywhere) == 0 && daemonNode(a.one) == "" && a.pinnedBy() == nil {
		c = a.groupsFor(ctx, a.one, nil)
		a.groups(c)
	}
	ways := slices.Concat(
		a.uncordon(d.closed), a.grow(c), a.moveAside(near), a.tolerate(a.one, d.closed), a.lower(near),
		a.relax(d.closed), a.untaint(a.one, d.closed), a.raise(near),
	)
	a.Remedies = a.proven(ctx, ways, a.pods...)
}

// pinnedBy is a volume that ties the pod to nodes by name, nil if there is none: with one, no new node helps.
func (a *answer) pinnedBy() *mount {
	for _, m := range mounts(a.World, a.one) {
		if len(m.hosts()) > 0 {
			return &m
		}
	}
	return nil
}

// groups says which node groups would help, and what is not known of them.
func (a *answer) groups(c candidates) {
	zones := map[string]bool{}
	for _, group := range c.suited {
		zones[group.zone] = true
	}
	if c.asked && len(a.World.Groups()) > 0 {
		a.Causes = append(a.Causes, groupsLink(a.View, a.one, slices.Sorted(maps.Keys(zones)), c))
	}
	for _, group := range c.suited[:min(len(c.suited), mostRemedies)] {
		about := groupRef(group.Group).String()
		id := message.UnknownGroupBounds
		if group.Provider == change.Karpenter {
			id = message.UnknownOwnPool
		}
		a.unknown(about, id, message.Args{"group": about})
	}
	if c.stray != nil {
		node := refTo(cluster.Node, c.stray).String()
		a.unknown(node, message.UnknownGroup, message.Args{"node": node})
	}
}

// grow adds as many nodes to a group as the waiting pods are likely to need.
func (a *answer) grow(c candidates) []way {
	var ways []way
	for _, group := range c.suited {
		if !group.anywhere {
			if resized := resize(a.View, group.Group, group.zone); resized.Command != "" {
				ways = append(ways, way{Remedy: resized})
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

func (a *answer) grownBy(group suited, more int) way {
	counts := standing(group.Group)
	zones := slices.Sorted(maps.Keys(counts))
	before := 0
	for _, node := range group.Nodes {
		if !leaving(node) {
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
		"group": groupRef(group.Group), "to": done.To, "more": done.To - before, "n": len(a.pods), "type": instanceType(group.Group),
	}
	return a.way(done, message.RemedyGrow, message.RemedyResizeCost, message.RemedyGrowRisk, args)
}

// nodesNeeded is how many nodes like one the waiting pods fill. It is a guess to be proven: what else will run there is not
// counted.
func (a *answer) nodesNeeded(like *corev1.Node) int {
	each := int64(len(a.pods))
	if len(antiAffinity(a.one)) > 0 {
		each = 1
	}
	for name, asked := range asks(a.one) {
		if want := units(name, asked); want > 0 {
			each = min(each, units(name, like.Status.Allocatable[name])/want)
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
func (a *answer) moveAside(near []closedNode) []way {
	if len(a.pods) > 1 {
		return nil
	}
	var ways []way
	for _, n := range near {
		if !n.only(message.ObstacleFull) && !n.only(message.ObstaclePort) {
			continue
		}
		for _, pod := range a.movable(n) {
			args := message.Args{"pod": refTo(cluster.Pod, pod), "node": nodeRef(n.node.Name)}
			w := a.way(change.DeletePod{Namespace: pod.Namespace, Name: pod.Name}, message.RemedyMove, message.RemedyMoveCost, message.RemedyMoveRisk, args)
			w.also = []*corev1.Pod{pod}
			ways = append(ways, w)
		}
	}
	return ways
}

// movable are the pods on a node that, once gone, leave enough room and that their owners recreate: one of each owner, for
// they are alike, and the smallest first.
func (a *answer) movable(n closedNode) []*corev1.Pod {
	short := a.shortOf(a.one, n.node)
	var pods []*corev1.Pod
	seen := map[types.UID]bool{}
	for _, pod := range a.World.PodsOn(n.node.Name) {
		owner := a.World.Owner(pod)
		if owner == nil || seen[owner.GetUID()] || !alive(pod) || isOneOf(pod, cluster.DaemonSet) || isOneOf(pod, cluster.Job) || isStatic(pod) {
			continue
		}
		frees := asks(pod)
		enough := !slices.ContainsFunc(short, func(s need) bool { return units(s.resource, frees[s.resource]) < s.short() })
		ports := !n.has(message.ObstaclePort) || slices.ContainsFunc(hostPorts(pod), func(have corev1.ContainerPort) bool {
			return slices.ContainsFunc(hostPorts(a.one), func(want corev1.ContainerPort) bool { return clash(want, have) })
		})
		if enough && ports {
			seen[owner.GetUID()] = true
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(x, y *corev1.Pod) int {
		size := func(p *corev1.Pod) int64 { frees := asks(p); return frees.Cpu().MilliValue() }
		return cmp.Or(cmp.Compare(corev1helpers.PodPriority(x), corev1helpers.PodPriority(y)), cmp.Compare(size(x), size(y)))
	})
	return pods[:min(len(pods), mostMoved)]
}

// lower asks for what a near node has left, if that is at least half of what is asked for now.
func (a *answer) lower(near []closedNode) []way {
	for _, n := range near {
		short := a.shortOf(a.one, n.node)
		if !n.only(message.ObstacleFull) || len(short) == 0 || slices.ContainsFunc(short, func(s need) bool {
			return s.resource == corev1.ResourcePods || s.short()*2 > s.asked
		}) {
			continue
		}
		if w, ok := a.lowerTo(n.node, short); ok {
			return []way{w}
		}
	}
	return nil
}

func (a *answer) lowerTo(node *corev1.Node, short []need) (way, bool) {
	changed := map[string]map[corev1.ResourceName]string{}
	var steps []string
	for _, s := range short {
		container := slices.MaxFunc(a.one.Spec.Containers, func(x, y corev1.Container) int {
			return cmp.Compare(units(s.resource, x.Resources.Requests[s.resource]), units(s.resource, y.Resources.Requests[s.resource]))
		})
		have := units(s.resource, container.Resources.Requests[s.resource])
		left := rounded(s.resource, have-s.short())
		if left <= 0 {
			return way{}, false
		}
		if changed[container.Name] == nil {
			changed[container.Name] = map[corev1.ResourceName]string{}
		}
		changed[container.Name][s.resource] = amount(s.resource, left)
		steps = append(steps, a.Say.Text(message.LowerStep, message.Args{
			"container": container.Name, "resource": string(s.resource), "from": amount(s.resource, have), "to": amount(s.resource, left),
		}))
	}
	var containers []map[string]any
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		containers = append(containers, map[string]any{"name": name, "resources": map[string]any{"requests": changed[name]}})
	}
	done, ok := a.patchTemplate(a.one, map[string]any{"containers": containers})
	args := message.Args{"object": done.Object, "steps": steps, "node": nodeRef(node.Name)}
	return a.way(done, message.RemedyLower, message.RemedyReplaceCost, message.RemedyLowerRisk, args), ok
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
func (a *answer) relax(nodes []closedNode) []way {
	if !slices.ContainsFunc(nodes, func(n closedNode) bool { return n.only(message.ObstacleSpread) }) {
		return nil
	}
	var ways []way
	for _, c := range a.one.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		soft := map[string]any{"topologyKey": c.TopologyKey, "whenUnsatisfiable": corev1.ScheduleAnyway}
		if done, ok := a.patchTemplate(a.one, map[string]any{"topologySpreadConstraints": []any{soft}}); ok {
			args := message.Args{"object": done.Object, "key": c.TopologyKey}
			ways = append(ways, a.way(done, message.RemedyRelax, message.RemedyReplaceCost, message.RemedyRelaxRisk, args))
		}
	}
	return ways
}

// systemPriority is where the priorities that Kubernetes reserves begin (k8s.io/kubernetes/pkg/apis/scheduling).
const systemPriority = 1_000_000_000

// raise gives the pods the lowest priority class above pods on a near node that are in the way.
func (a *answer) raise(near []closedNode) []way {
	lowest, found := int32(0), false
	for _, n := range near {
		if !n.only(message.ObstacleFull) && !n.only(message.ObstaclePort) && !n.only(message.ObstacleApart) {
			continue
		}
		for _, pod := range a.World.PodsOn(n.node.Name) {
			if alive(pod) && (!found || corev1helpers.PodPriority(pod) < lowest) {
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
	done, ok := a.patchTemplate(a.one, map[string]any{"priorityClassName": classes[0].Name})
	if !ok {
		return nil
	}
	args := message.Args{"object": done.Object, "class": classes[0].Name, "value": int(classes[0].Value)}
	return []way{a.way(done, message.RemedyPriority, message.RemedyReplaceCost, message.RemedyPriorityRisk, args)}
}

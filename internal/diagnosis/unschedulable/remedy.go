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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// remedies are those that get the pods a node, the least disruptive first.
func (a *explanation) remedies(ctx context.Context, d *query.Verdict, near []query.NodeObstacles, largest *largestNode) {
	var c query.GroupCandidates
	newNodesHelp := len(d.OnAllNodes) == 0 && kube.OnlyNodeName(a.representative) == "" && a.hostVolume() == nil
	if newNodesHelp {
		c = a.GroupsFor(ctx, a.representative, nil)
		a.explainGroups(c)
	}
	larger, lower := a.ResizesLeft(a.representative, a.proposeResizes(c)), a.proposeLowerRequests(near)
	tooLarge := largest != nil && newNodesHelp && len(c.Suitable) == 0 && !a.templateFits(largest)
	if tooLarge && len(lower) == 0 {
		lower = a.proposeFittingRequests(largest)
	}
	proposals := slices.Concat(
		a.Uncordon(d.Infeasible), larger, a.proposeEvictions(near), a.Tolerate(a.representative, d.Infeasible), lower,
		a.proposeSoftSpread(d.Infeasible), a.Untaint(a.representative, d.Infeasible), a.proposePriority(near),
	)
	a.Remedies = slices.Concat(a.explainRollout(ctx, d), a.AutoscalerRemedies(a.representative, c), a.Verify(ctx, proposals, a.pods...))
	if tooLarge && !query.ScaleUpPending(a.Query, a.representative) {
		a.Remedies = append(a.Remedies, a.sizeRemedies(largest, a.Remedies)...)
	}
	a.Remedies = a.Remedies[:min(len(a.Remedies), query.MaxRemedies)]
}

// rolloutObstacles are obstacles that old pods of a rollout are for new ones.
var rolloutObstacles = map[message.ID]bool{message.ObstaclePort: true, message.ObstacleApart: true, message.ObstacleInUse: true}

// explainRollout explains new pods of a rollout that fit on no node beside the old pods which they will replace, and proposes to
// terminate old pods first. It does so only if the new pods are scheduled in simulation once old pods may be terminated first.
func (a *explanation) explainRollout(ctx context.Context, d *query.Verdict) []finding.Remedy {
	apart := slices.ContainsFunc(d.Infeasible, func(n query.NodeObstacles) bool {
		return !slices.ContainsFunc(n.Obstacles, func(o query.Obstacle) bool { return !rolloutObstacles[o.Kind] })
	})
	rollout, ok := a.RolloutOf(a.representative)
	if !ok || !apart {
		return nil
	}
	proven := slices.DeleteFunc(a.Verify(ctx, a.ReplaceOldFirst(rollout), a.pods...), func(r finding.Remedy) bool { return !r.Verified })
	if len(proven) == 0 {
		return nil
	}
	a.Causes = slices.Insert(a.Causes, 0, finding.Link{
		Message: sentence.RolloutKeepsOld(rollout.Ref, rollout.Evidence().Value, rollout.Replicas), Evidence: []finding.Evidence{rollout.Evidence()},
	})
	a.Message = sentence.RolloutHeld(rollout.Ref, len(rollout.Old), a.Message)
	return proven
}

// hostVolume is a volume that restricts the pod to nodes by name; nil if there is none. With one, no new node helps.
func (a *explanation) hostVolume() *facts.Mount {
	for _, m := range facts.Mounts(a.World, a.representative) {
		if len(m.Hostnames()) > 0 {
			return &m
		}
	}
	return nil
}

// explainGroups names the suitable node groups, and what is not known of them.
func (a *explanation) explainGroups(c query.GroupCandidates) {
	zones := map[string]bool{}
	for _, group := range c.Suitable {
		zones[group.Zone] = true
	}
	if c.Known && len(a.World.Groups()) > 0 {
		a.Causes = append(a.Causes, groupsLink(a.Query, a.representative, slices.Sorted(maps.Keys(zones)), c))
		a.explainFilledGroups(c)
	}
	if query.GroupsAtMaximum(a.Query, a.representative) {
		a.explainMaximum(c)
		return
	}
	if query.ScaleUpPending(a.Query, a.representative) {
		return // The autoscaler's report is more specific than the group's size.
	}
	for _, group := range c.Suitable[:min(len(c.Suitable), query.MaxRemedies)] {
		about := facts.GroupRef(group.Group).String()
		said := sentence.UnknownGroupBounds
		if group.Provider == change.Karpenter {
			said = sentence.UnknownOwnPool
		}
		if group.Provider == change.Karpenter && query.KarpenterReports(a.Query, a.representative) || a.HasSizes(group.Group) {
			continue
		}
		a.addUnknown(about, said(about))
	}
	if c.UngroupedNode != nil {
		node := facts.RefTo(cluster.Node, c.UngroupedNode).String()
		a.addUnknown(node, sentence.UnknownGroup(node))
	}
}

// explainFilledGroups names groups whose nodes would be large enough for the pod without those of DaemonSets and static pods.
func (a *explanation) explainFilledGroups(c query.GroupCandidates) {
	named := 0
	for _, group := range a.World.Groups() {
		if named == query.MaxRemedies || slices.ContainsFunc(c.Suitable, func(s query.SuitableGroup) bool { return s.Name == group.Name }) {
			continue
		}
		for _, s := range a.ShortagesWhenEmpty(a.representative, group.Nodes[0]) {
			if s.Requested <= s.All {
				said := sentence.CauseGroupFilled(facts.GroupRef(group), query.FormatQuantity(s.Resource, s.Free), query.FormatQuantity(s.Resource, s.All), string(s.Resource))
				a.Causes = append(a.Causes, finding.Link{Message: said})
				named++
				break
			}
		}
	}
}

// explainMaximum names the suitable groups that are at their maximum size.
func (a *explanation) explainMaximum(c query.GroupCandidates) {
	for i, group := range c.Suitable[:min(len(c.Suitable), query.MaxRemedies)] {
		ref := facts.GroupRef(group.Group)
		said := sentence.GroupAtMaximum(ref, len(group.Nodes))
		a.Causes = append(a.Causes, finding.Link{
			Message: said, Evidence: []finding.Evidence{facts.Evidence(ref, "nodes", strconv.Itoa(len(group.Nodes)))},
		})
		if i == 0 {
			a.Message = sentence.UnplacedAlso(a.Message, said)
		}
	}
}

// proposeResizes proposes as many more nodes of a group as the Pending pods probably need.
func (a *explanation) proposeResizes(c query.GroupCandidates) []query.ProposedRemedy {
	var proposals []query.ProposedRemedy
	for _, group := range c.Suitable {
		if !group.AnyZone {
			if resized := a.ResizeRemedy(group.Group, group.Zone); resized.Command != "" {
				proposals = append(proposals, query.ProposedRemedy{Remedy: resized})
			}
			continue
		}
		need := a.nodesNeeded(group.Nodes[0], len(a.pods))
		sizes := []int{need, need + 1, max(need+1, a.nodesNeeded(group.Nodes[0], a.waiting()))}
		for _, more := range slices.Compact(sizes) {
			if grown := a.resizeBy(group, more); grown.Command != "" {
				proposals = append(proposals, grown)
			}
		}
	}
	return proposals
}

func (a *explanation) resizeBy(group query.SuitableGroup, more int) query.ProposedRemedy {
	counts := query.NodesByZone(group.Group)
	zones := slices.Sorted(maps.Keys(counts))
	before := 0
	for _, node := range group.Nodes {
		if !kube.IsBeingRemoved(node) {
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
	done, lower := a.Bounded(done, group.Group)
	return a.Propose(
		done, sentence.RemedyGrow(facts.GroupRef(group.Group), done.To, lower, done.To-before, len(a.pods)),
		sentence.RemedyResizeCost(query.InstanceType(group.Group), done.To-before), sentence.RemedyGrowRisk(!a.HasSizes(group.Group)),
	)
}

// waiting is how many pods wait for a node, which may take the room that is made for this one.
func (a *explanation) waiting() int {
	n := 0
	for _, pod := range a.World.PodsOn("") {
		if facts.WaitsForNode(pod) {
			n++
		}
	}
	return n
}

// nodesNeeded is how many nodes like this one so many Pending pods fill, and those that an ordered StatefulSet creates after them. It is an estimate, to
// be verified: other pods on these nodes are not counted.
func (a *explanation) nodesNeeded(like *corev1.Node, pods int) int {
	count := int64(pods + query.ReplicasToCreate(a.World, a.representative))
	each := count
	if len(kube.RequiredAntiAffinity(a.representative)) > 0 {
		each = 1
	}
	for name, asked := range query.PodRequests(a.representative) {
		if want := query.QuantityValue(name, asked); want > 0 {
			each = min(each, query.QuantityValue(name, like.Status.Allocatable[name])/want)
		}
	}
	if each < 1 {
		return 1
	}
	return int((count + each - 1) / each)
}

// maxEvictions is the maximum number of pods of a node whose deletion is simulated.
const maxEvictions = 3

// proposeEvictions proposes to delete a pod of another workload on one of the nearest nodes; its replacement must fit elsewhere.
func (a *explanation) proposeEvictions(near []query.NodeObstacles) []query.ProposedRemedy {
	if len(a.pods) > 1 {
		return nil
	}
	var proposals []query.ProposedRemedy
	for _, n := range near {
		if !n.Only(message.ObstacleFull) && !n.Only(message.ObstaclePort) {
			continue
		}
		for _, pod := range a.evictable(n) {
			done := change.DeletePod{Namespace: pod.Namespace, Name: pod.Name}
			w := a.Propose(done, sentence.RemedyMove(facts.NodeRef(n.Node.Name), facts.RefTo(cluster.Pod, pod)), sentence.RemedyMoveCost(facts.RefTo(cluster.Pod, pod)), sentence.RemedyMoveRisk())
			w.Command, w.Cordoned, w.AlsoScheduled = whileCordoned(n.Node.Name, done), n.Node.Name, []*corev1.Pod{pod}
			proposals = append(proposals, w)
		}
	}
	return proposals
}

// whileCordoned is a command that makes a change while a node is cordoned: otherwise, the replacement of a deleted pod might be placed
// on the same node while that pod still terminates.
func whileCordoned(node string, done change.Change) string {
	return strings.Join([]string{change.Cordon{Node: node}.Command(), done.Command(), change.Uncordon{Node: node}.Command()}, " && ")
}

// evictable are pods on a node that would free enough resources and that their owners recreate: one of each owner, the smallest first.
func (a *explanation) evictable(n query.NodeObstacles) []*corev1.Pod {
	short := a.Shortages(a.representative, n.Node)
	var pods []*corev1.Pod
	seen := map[types.UID]bool{}
	for _, pod := range a.World.PodsOn(n.Node.Name) {
		owner := a.World.Owner(pod)
		if owner == nil || seen[owner.GetUID()] || !facts.IsActive(pod) || facts.ControlledBy(pod, cluster.DaemonSet) || facts.ControlledBy(pod, cluster.Job) || cluster.IsMirror(pod) {
			continue
		}
		frees := query.PodRequests(pod)
		enough := !slices.ContainsFunc(short, func(s query.Shortage) bool { return query.QuantityValue(s.Resource, frees[s.Resource]) < s.Missing() })
		ports := !n.Has(message.ObstaclePort) || slices.ContainsFunc(hostPorts(pod), func(have corev1.ContainerPort) bool {
			return slices.ContainsFunc(hostPorts(a.representative), func(want corev1.ContainerPort) bool { return portsConflict(want, have) })
		})
		if enough && ports {
			seen[owner.GetUID()] = true
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(x, y *corev1.Pod) int {
		size := func(p *corev1.Pod) int64 { frees := query.PodRequests(p); return frees.Cpu().MilliValue() }
		return cmp.Or(cmp.Compare(corev1helpers.PodPriority(x), corev1helpers.PodPriority(y)), cmp.Compare(size(x), size(y)))
	})
	return pods[:min(len(pods), maxEvictions)]
}

// proposeLowerRequests proposes requests that fit into what is left on one of the nearest nodes, if that is at least half of the
// current requests.
func (a *explanation) proposeLowerRequests(near []query.NodeObstacles) []query.ProposedRemedy {
	for _, n := range near {
		short := a.Shortages(a.representative, n.Node)
		if !n.Only(message.ObstacleFull) || len(short) == 0 || slices.ContainsFunc(short, func(s query.Shortage) bool {
			return s.Resource == corev1.ResourcePods || s.Missing()*2 > s.Requested
		}) {
			continue
		}
		if w, ok := a.lowerRequests(n.Node, short); ok {
			return []query.ProposedRemedy{w}
		}
	}
	return nil
}

func (a *explanation) lowerRequests(node *corev1.Node, short []query.Shortage) (query.ProposedRemedy, bool) {
	changed := map[string]map[corev1.ResourceName]string{}
	var steps message.List
	for _, s := range short {
		container := slices.MaxFunc(a.representative.Spec.Containers, func(x, y corev1.Container) int {
			return cmp.Compare(query.QuantityValue(s.Resource, x.Resources.Requests[s.Resource]), query.QuantityValue(s.Resource, y.Resources.Requests[s.Resource]))
		})
		have := query.QuantityValue(s.Resource, container.Resources.Requests[s.Resource])
		left := roundDown(s.Resource, have-s.Missing())
		if left <= 0 {
			return query.ProposedRemedy{}, false
		}
		if changed[container.Name] == nil {
			changed[container.Name] = map[corev1.ResourceName]string{}
		}
		changed[container.Name][s.Resource] = query.FormatQuantity(s.Resource, left)
		steps = append(steps, sentence.LowerStep(string(s.Resource), container.Name, query.FormatQuantity(s.Resource, have), query.FormatQuantity(s.Resource, left)))
	}
	var containers []map[string]any
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		containers = append(containers, map[string]any{"name": name, "resources": map[string]any{"requests": changed[name]}})
	}
	done, ok := a.PatchTemplate(a.representative, map[string]any{"containers": containers})

	return a.Propose(done, sentence.RemedyLower(done.Object, facts.NodeRef(node.Name), steps), sentence.RemedyReplaceCost(done.Object), sentence.RemedyLowerRisk()), ok
}

// roundDown rounds an amount of bytes down to whole Mi.
func roundDown(name corev1.ResourceName, value int64) int64 {
	const mebi = 1 << 20
	if name != corev1.ResourceCPU && value >= 10*mebi {
		return value / mebi * mebi
	}
	return value
}

// proposeSoftSpread proposes to make a required spread constraint a preference, if it, or a label that it needs, is the only obstacle of
// some node.
func (a *explanation) proposeSoftSpread(nodes []query.NodeObstacles) []query.ProposedRemedy {
	if !slices.ContainsFunc(nodes, func(n query.NodeObstacles) bool {
		return n.Only(message.ObstacleSpread) || n.Only(message.ObstacleDomain)
	}) {
		return nil
	}
	var proposals []query.ProposedRemedy
	for _, c := range a.representative.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		soft := map[string]any{"topologyKey": c.TopologyKey, "whenUnsatisfiable": corev1.ScheduleAnyway}
		if done, ok := a.PatchTemplate(a.representative, map[string]any{"topologySpreadConstraints": []any{soft}}); ok {
			proposals = append(proposals, a.Propose(done, sentence.RemedyRelax(done.Object, c.TopologyKey), sentence.RemedyReplaceCost(done.Object), sentence.RemedyRelaxRisk()))
		}
	}
	return proposals
}

// proposePriority proposes the lowest priority class above that of pods on one of the nearest nodes.
func (a *explanation) proposePriority(near []query.NodeObstacles) []query.ProposedRemedy {
	lowest, found := int32(0), false
	for _, n := range near {
		if !n.Only(message.ObstacleFull) && !n.Only(message.ObstaclePort) && !n.Only(message.ObstacleApart) {
			continue
		}
		for _, pod := range a.World.PodsOn(n.Node.Name) {
			if facts.IsActive(pod) && (!found || corev1helpers.PodPriority(pod) < lowest) {
				lowest, found = corev1helpers.PodPriority(pod), true
			}
		}
	}
	if !found {
		return nil
	}
	classes := slices.DeleteFunc(slices.Clone(a.World.PriorityClasses()), func(c *schedulingv1.PriorityClass) bool {
		return c.Value <= lowest || c.Value <= corev1helpers.PodPriority(a.representative) || c.Value > kube.HighestUserPriority
	})
	slices.SortFunc(classes, func(x, y *schedulingv1.PriorityClass) int { return cmp.Compare(x.Value, y.Value) })
	if len(classes) == 0 {
		return nil
	}
	done, ok := a.PatchTemplate(a.representative, map[string]any{"priorityClassName": classes[0].Name})
	if !ok {
		return nil
	}

	return []query.ProposedRemedy{a.Propose(done, sentence.RemedyPriority(done.Object, classes[0].Name, int(classes[0].Value)), sentence.RemedyReplaceCost(done.Object), sentence.RemedyPriorityRisk())}
}

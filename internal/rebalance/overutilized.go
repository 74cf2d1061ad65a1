package rebalance

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// mostFailures is after how many pods whose eviction does not help a node no more of it are tried.
const mostFailures = 32

// Overutilized are the nodes of a world of which more is requested than Options.MaxUtilizationDeviation allows, and that run pods of workloads which may be
// evicted from, by name. Nothing is planned.
func Overutilized(world *cluster.Snapshot, o Options) []change.Ref {
	o = o.withDefaults()
	u := utilizationOf(world, o.MaxUtilizationDeviation)
	if u == nil {
		return nil
	}
	var refs []change.Ref
	for _, node := range slices.Sorted(slices.Values(o.overutilized(world, u))) {
		refs = append(refs, nodeRef(node))
	}
	return refs
}

// overutilized are the nodes of a world of which more is requested than may be, and that run pods of workloads that are asked about, those with the largest
// part of them first.
func (o Options) overutilized(world *cluster.Snapshot, u *utilization) []string {
	return slices.DeleteFunc(u.exceeding(), func(node string) bool {
		return !slices.ContainsFunc(world.PodsOn(node), func(pod *corev1.Pod) bool {
			workload := world.Workload(pod)
			if workload == nil || !isReplicated(pod) {
				return false
			}
			kind, _ := cluster.KindOf(workload)
			return o.Asks(change.Ref{Kind: string(kind), Namespace: workload.GetNamespace(), Name: workload.GetName()})
		})
	})
}

func nodeRef(name string) change.Ref { return change.Ref{Kind: string(cluster.Node), Name: name} }

// relieve looks for evictions from overutilized nodes, in the world to which the steps so far lead: for all together if few are enough, else for one node
// after the other. Each eviction brings its node nearer to what may be requested of it, and no other further away, so that evictions cannot go on for ever.
func (s *search) relieve(ctx context.Context, before []step) (steps []step, unmet []Unmet, err error) {
	s.use, s.on = utilizationOf(s.judge.World(), s.o.MaxUtilizationDeviation), map[string][]*corev1.Pod{}
	for _, w := range s.workloads {
		for _, pod := range w.pods {
			s.on[pod.Spec.NodeName] = append(s.on[pod.Spec.NodeName], pod)
		}
	}
	var rest []string
	for _, node := range s.o.overutilized(s.judge.World(), s.use) {
		if reason := s.stays(node); reason != "" {
			unmet = append(unmet, Unmet{nodeRef(node), reason})
		} else {
			rest = append(rest, node)
		}
	}
	if together, err := s.relieveTogether(ctx, rest, before); err != nil || len(together.evicted) > 0 {
		return []step{together}, unmet, err
	}
	for _, node := range rest {
		if s.left == 0 {
			unmet = append(unmet, Unmet{nodeRef(node), LimitReached})
			continue
		}
		s.limited = false
		one, err := s.relieveNode(ctx, node, before)
		if err != nil {
			return nil, nil, err
		}
		if len(one.evicted) > 0 {
			steps = append(steps, one)
			s.left -= len(one.evicted)
		}
		switch {
		case !s.use.exceeds(node):
		case s.left == 0 || s.limited:
			unmet = append(unmet, Unmet{nodeRef(node), LimitReached})
		default:
			unmet = append(unmet, Unmet{nodeRef(node), NoGain})
		}
	}
	return steps, unmet, nil
}

// stays is why an overutilized node cannot be brought to what may be requested of it whatever there is room for; empty if it may be.
func (s *search) stays(node string) Reason {
	if _, enough := s.fewestOf(node, s.relieving(node)); enough {
		return ""
	}
	if slices.ContainsFunc(s.on[node], func(pod *corev1.Pod) bool { return s.ofPod[keyOf(pod)].inMotion }) {
		return InMotion
	}
	return Protected
}

// fewestOf is how many pods of some classes must leave an overutilized node at least; false if all of them are not enough.
func (s *search) fewestOf(node string, classes [][]*corev1.Pod) (int, bool) {
	return s.use.fewest(node, s.use.requested[node], requestsOfAll(slices.Concat(classes...)), amounts{})
}

func requestsOfAll(pods []*corev1.Pod) (all []amounts) {
	for _, pod := range pods {
		all = append(all, requestsOf(pod))
	}
	return all
}

func sumOf(pods []*corev1.Pod) (sum amounts) {
	for _, pod := range pods {
		sum = sum.plus(requestsOf(pod))
	}
	return sum
}

// relieving are the pods of an overutilized node that may be evicted and request some of what it lacks, by workload and requests, the least disruption
// first.
func (s *search) relieving(node string) (classes [][]*corev1.Pod) {
	type class struct {
		workload *workload
		requests amounts
	}
	index, lacks := map[class]int{}, s.use.excess(node, s.use.requested[node])
	pods := slices.Clone(s.on[node])
	slices.SortStableFunc(pods, compareDisruption)
	for _, pod := range pods {
		one := class{s.ofPod[keyOf(pod)], requestsOf(pod)}
		helps := lacks[0] > 0 && one.requests[0] > 0 || lacks[1] > 0 && one.requests[1] > 0
		if !helps || !s.mayRelieve(one.workload, pod) {
			continue
		}
		at, known := index[one]
		if !known {
			at = len(classes)
			index[one], classes = at, append(classes, nil)
		}
		classes[at] = append(classes[at], pod)
	}
	return classes
}

// mayRelieve reports whether a pod may be evicted for the utilization of nodes.
func (s *search) mayRelieve(w *workload, pod *corev1.Pod) bool {
	return !w.inMotion && s.o.Asks(w.ref) && s.mayEvict(pod) && s.judge.Models(pod)
}

// relieveTogether looks for the fewest evictions, up to exactEvictions, that bring all of some nodes to what may be requested of them.
func (s *search) relieveTogether(ctx context.Context, nodes []string, before []step) (step, error) {
	one, least := step{nodes: nodes}, 0
	if len(nodes) > exactEvictions { // Each needs one.
		return one, nil
	}
	var classes [][]*corev1.Pod
	for _, node := range nodes {
		of := s.relieving(node)
		n, _ := s.fewestOf(node, of)
		least += n
		one.bound += s.boundOf(node, of, before)(amounts{})
		classes = append(classes, of...)
	}
	if least == 0 || least > exactEvictions {
		return one, nil
	}
	reached := func(requested func(node string) amounts) bool {
		return !slices.ContainsFunc(nodes, func(node string) bool { return s.use.excess(node, requested(node)) != amounts{} })
	}
	found, err := s.fewest(ctx, least, s.left, target{
		classes: classes,
		met: func() bool {
			_, after := s.use.after(s.landed)
			return len(s.use.harmed(s.landed)) == 0 && reached(func(node string) amounts { return after[node] })
		},
		possible: func(evicted []*corev1.Pod) bool {
			left := map[string]amounts{}
			for _, pod := range evicted {
				left[pod.Spec.NodeName] = left[pod.Spec.NodeName].plus(requestsOf(pod))
			}
			return reached(func(node string) amounts { return s.use.requested[node].minus(left[node]) })
		},
		hasSpace: func(pod *corev1.Pod, node string) bool {
			return len(s.use.harmed([]landing{{requestsOf(pod), pod.Spec.NodeName, node}})) == 0
		},
		makingRoom: func() [][]*corev1.Pod { return s.makingRoomBeside(nodes) },
	})
	one.evicted = found
	return one, err
}

// makingRoomBeside are the pods, by workload and node, of nodes that are compared with overutilized ones and are none: they make room. A workload's only pod
// is not among them.
func (s *search) makingRoomBeside(nodes []string) (classes [][]*corev1.Pod) {
	groups := map[string]bool{}
	for _, node := range nodes {
		groups[s.use.group[node]] = true
	}
	for _, w := range s.workloads {
		if len(w.pods) > 1 {
			classes = append(classes, byNodes(s.movable(w, func(pod *corev1.Pod) bool {
				group, is := s.use.group[pod.Spec.NodeName]
				return is && groups[group] && !slices.Contains(nodes, pod.Spec.NodeName) && s.mayRelieve(w, pod)
			}))...)
		}
	}
	return classes
}

// relieveNode evicts one pod of an overutilized node after the other, each of which lowers its excess in every outcome, until it is zero or none does.
func (s *search) relieveNode(ctx context.Context, node string, earlier []step) (step, error) {
	one, before, untried := step{nodes: []string{node}}, s.use.requested[node], s.relieving(node)
	bound := s.boundOf(node, untried, earlier)
	for failed := 0; failed < mostFailures && len(untried) > 0 && len(one.evicted) < s.left && s.use.exceeds(node); {
		at := s.nextOf(node, untried)
		pod := untried[at][0]
		holds, err := s.lowers(ctx, node, pod)
		if err != nil {
			return one, err
		}
		holds = holds && s.withinLimits([]*corev1.Pod{pod})
		if untried[at] = untried[at][1:]; !holds || len(untried[at]) == 0 {
			untried = slices.Delete(untried, at, at+1) // The others of the class would do no better.
		}
		if !holds {
			failed++
			continue
		}
		one.evicted = append(one.evicted, pod)
		if err := s.move(ctx, []*corev1.Pod{pod}); err != nil {
			return one, err
		}
	}
	reached := s.use.excess(node, s.use.requested[node])
	one.evicted, one.bound = s.needed(node, before, one.evicted, reached), bound(reached)
	return one, nil
}

// lowers reports whether in every outcome the eviction of a pod brings its node nearer to what may be requested of it, and no other further away.
func (s *search) lowers(ctx context.Context, node string, pod *corev1.Pod) (bool, error) {
	before := s.use.excess(node, s.use.requested[node])
	return s.holds(ctx, []*corev1.Pod{pod}, func() bool {
		_, after := s.use.after(s.landed)
		return len(s.use.harmed(s.landed)) == 0 && before.exceeds(s.use.excess(node, after[node]))
	})
}

// nextOf is the class of which a pod is evicted next: the first that is enough alone, or else the one that leaves the least.
func (s *search) nextOf(node string, classes [][]*corev1.Pod) int {
	best, least := 0, math.Inf(1)
	for i, class := range classes {
		if left := s.use.over(node, s.use.requested[node].minus(requestsOf(class[0]))); left < least {
			best, least = i, left
		}
	}
	return best
}

// needed are the evicted pods of a node without those that it does not need to reach an excess. The search has moved them all the same; the plan is simulated
// without them.
func (s *search) needed(node string, requested amounts, evicted []*corev1.Pod, excess amounts) []*corev1.Pod {
	for _, pod := range byMostDisruption(evicted) {
		rest := without(evicted, pod)
		if !s.use.excess(node, requested.minus(sumOf(rest))).exceeds(excess) {
			evicted = rest
		}
	}
	return evicted
}

// boundOf is how many pods of some classes any plan must evict from a node to reach an excess, besides those that the bounds of earlier steps count: pods of
// the workloads of those steps may leave it too, or not come.
func (s *search) boundOf(node string, classes [][]*corev1.Pod, earlier []step) func(excess amounts) int {
	counted := map[*workload]bool{}
	for _, one := range earlier {
		for _, w := range one.workloads {
			counted[w] = true
		}
		for _, pod := range one.evicted {
			counted[s.original[podRef(pod)].workload] = true
		}
	}
	isCounted := func(pod *corev1.Pod) bool { return counted[s.ofPod[keyOf(pod)]] }
	requested, others := s.use.requested[node], requestsOfAll(slices.DeleteFunc(slices.Concat(classes...), isCounted))
	for _, pod := range s.on[node] {
		if isCounted(pod) {
			requested = requested.minus(requestsOf(pod))
		}
	}
	return func(excess amounts) int {
		n, _ := s.use.fewest(node, requested, others, excess)
		return n
	}
}

// landOnNodes notes what is requested of nodes once the pods in place of evicted ones run in one future, and the pods whose eviction for a node did not
// bring it nearer to what may be requested of it, or brought another further away.
func (s *search) landOnNodes(of map[change.Ref]assigned, landed map[change.Ref]string, bad map[change.Ref]bool) {
	if s.use == nil {
		return
	}
	future := utilization{group: s.use.group, most: s.use.most, allocatable: s.use.allocatable, requested: maps.Clone(s.atFirst.requested)}
	relieving := map[change.Ref]landing{}
	for ref, from := range of {
		one := landing{s.requests[ref], from.node, landed[ref]}
		if _, is := s.relieved[ref]; is {
			relieving[ref] = one
		} else if one.to != "" {
			future.move(one)
		}
	}
	landings := slices.Collect(maps.Values(relieving))
	harmed := future.harmed(landings)
	without, after := future.after(landings)
	for ref, one := range relieving {
		lowers := future.excess(one.from, future.requested[one.from]).exceeds(future.excess(one.from, without[one.from]))
		if harmed[one.to] || s.relieved[ref] && !lowers {
			bad[ref] = true
		}
	}
	maps.Copy(future.requested, after)
	for ref, from := range of {
		for _, node := range []string{from.node, landed[ref]} {
			if node != "" {
				s.highest[node] = s.highest[node].highest(future.requested[node])
			}
		}
	}
}

func (s *search) overutilizedAtFirst() []string {
	if s.atFirst == nil {
		return nil
	}
	return s.o.overutilized(s.judge.World(), s.atFirst)
}

// nodeUtilizations are those of the nodes that are overutilized before or after the plan, by name, with the reasons of those that stay so.
func (s *search) nodeUtilizations(reasons map[string]Reason) (all []NodeUtilization) {
	if s.use == nil {
		return nil
	}
	names := map[string]bool{}
	for _, node := range s.overutilizedAtFirst() {
		names[node] = true
	}
	for node, requested := range s.highest {
		if s.use.excess(node, requested) != (amounts{}) {
			names[node] = true
		}
	}
	for _, node := range slices.Sorted(maps.Keys(names)) {
		before := s.atFirst.requested[node]
		after, changed := s.highest[node]
		if !changed {
			after = before
		}
		one := NodeUtilization{
			Node: node, Most: s.use.percent(node, s.use.most[node]), Before: s.use.percent(node, before), After: s.use.percent(node, after), Excess: s.use.points(node, after),
		}
		if one.Excess > 0 {
			one.Reason = cmp.Or(reasons[node], NoGain)
		}
		all = append(all, one)
	}
	return all
}

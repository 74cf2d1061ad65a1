package rebalance

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

const (
	// exactEvictions is up to how many evictions of one workload every choice is tried.
	exactEvictions = 3
	// mostChoices bounds how many choices of one number of evictions are tried for a workload.
	mostChoices = 500
	// mostCombinations bounds how many are looked at for whether they could be enough.
	mostCombinations = 100_000
	// fewClasses is for up to how many classes of pods, by workload and node, those that need not leave are tried although there is room: the scheduler may
	// prefer nodes that do not help.
	fewClasses = 24
	// mostOutcomes is up to how many outcomes of the scheduler's ties are all looked at. Of more, sampledOutcomes are drawn.
	mostOutcomes    = 64
	sampledOutcomes = 16
)

// search looks for evictions in the Judge's world, which it edits as it goes.
type search struct {
	judge     *scheduling.Judge
	o         Options
	workloads []*workload
	byRef     map[change.Ref]*workload
	ofPod     map[types.NamespacedName]*workload
	// original are the workloads of the pods that ran before the search, and before their numbers by node.
	original  map[change.Ref]assigned
	before    map[change.Ref]map[string]int
	budgetsIn map[string][]budget
	// created are the pods in place of evicted ones: they are not evicted again.
	created map[types.UID]bool
	// landings are the nodes on which the pods in place of evicted ones run, by evicted pod, over all futures.
	landings map[change.Ref]map[string]bool
	// use is the utilization of nodes in the search's world, while it looks for evictions from overutilized ones; nil before, and if it is not considered.
	// atFirst is that before the search.
	use, atFirst *utilization
	// on are the pods of workloads, by node, without those that were created during the search.
	on map[string][]*corev1.Pod
	// landed are the evictions of the present outcome.
	landed []landing
	// requests are those of the pods that the search evicts. relieved are the ones that are evicted for overutilized nodes: true for those that run on one,
	// and false for those that make room.
	requests map[change.Ref]amounts
	relieved map[change.Ref]bool
	// highest is the most that is requested of nodes whose utilization a plan changes, over all futures.
	highest map[string]amounts
	// left is how many more evictions the plan may have, counted those that it has, by node, namespace and workload, and limited whether a pod was passed over
	// for the limits of these.
	left    int
	counted map[string]int
	limited bool
	// gone has evicted pods end before the scheduler places the ones created in their place, rather than after.
	gone bool
}

// assigned is a pod of a workload on a node.
type assigned struct {
	workload *workload
	node     string
}

// step is evictions that belong together: those for one workload, or for a few whose evictions depend on each other.
type step struct {
	// workloads are those that the step brings nearer to their targets, or to them.
	workloads []*workload
	// nodes are the overutilized ones for which pods are evicted; there are no workloads then.
	nodes   []string
	evicted []*corev1.Pod
	bound   int
}

func newSearch(judge *scheduling.Judge, o Options) *search {
	world := judge.World()
	s := &search{
		judge: judge, o: o, left: o.MaxEvictions, workloads: workloads(world, o.MaxShare), byRef: map[change.Ref]*workload{},
		ofPod: map[types.NamespacedName]*workload{}, original: map[change.Ref]assigned{}, counted: map[string]int{}, before: map[change.Ref]map[string]int{}, budgetsIn: budgetsOf(world), created: map[types.UID]bool{},
		atFirst: utilizationOf(world, o.MaxUtilizationDeviation), requests: map[change.Ref]amounts{}, relieved: map[change.Ref]bool{},
	}
	for _, w := range s.workloads {
		s.byRef[w.ref], s.before[w.ref] = w, w.byNode()
		for _, pod := range w.pods {
			s.original[podRef(pod)] = assigned{w, pod.Spec.NodeName}
			s.ofPod[keyOf(pod)] = w
		}
	}
	return s
}

// unbalanced are the workloads that miss a target and are asked about.
func (s *search) unbalanced() []*workload {
	return slices.DeleteFunc(slices.Clone(s.workloads), func(w *workload) bool { return w.excess() == 0 || !s.o.Asks(w.ref) })
}

// solveAll looks for evictions: for workloads that are out of balance, and then for overutilized nodes.
func (s *search) solveAll(ctx context.Context, unbalanced []*workload) (steps []step, unmet []Unmet, err error) {
	s.judge.Fork()
	defer s.judge.Revert()
	if len(unbalanced) > 0 {
		steps, unmet, err = s.balance(ctx, unbalanced)
	}
	if err != nil || s.atFirst == nil {
		return steps, unmet, err
	}
	relieving, staying, err := s.relieve(ctx, steps)
	return append(steps, relieving...), append(unmet, staying...), err
}

// balance looks for evictions: for all workloads together if few are enough, else for one workload after the other, each in the world that the evictions
// before it lead to.
func (s *search) balance(ctx context.Context, unbalanced []*workload) (steps []step, unmet []Unmet, err error) {
	var rest []*workload
	for _, w := range unbalanced {
		switch {
		case w.inMotion:
			unmet = append(unmet, Unmet{w.ref, InMotion})
		case len(s.leaving(w)) == 0:
			unmet = append(unmet, Unmet{w.ref, Protected})
		default:
			rest = append(rest, w)
		}
	}
	if together, err := s.exact(ctx, rest...); err != nil || len(together.evicted) > 0 {
		s.left -= len(together.evicted)
		return []step{together}, unmet, err
	}
	for i, w := range rest {
		s.o.Progress(i, len(rest))
		s.limited = false
		one, err := s.solve(ctx, w)
		if err != nil {
			return nil, nil, err
		}
		if len(one.evicted) > 0 {
			steps = append(steps, one)
			s.left -= len(one.evicted)
		}
		switch {
		case w.excess() == 0:
		case s.left == 0 || one.bound > s.left || s.limited:
			unmet = append(unmet, Unmet{w.ref, LimitReached})
		default:
			unmet = append(unmet, Unmet{w.ref, NoGain})
		}
	}
	return steps, unmet, nil
}

// solve looks for evictions for one workload.
func (s *search) solve(ctx context.Context, w *workload) (step, error) {
	if found, err := s.exact(ctx, w); err != nil || len(found.evicted) > 0 {
		return found, err
	}
	return s.descend(ctx, w)
}

// exact looks for the fewest evictions, up to exactEvictions, after which workloads meet their targets, and carries them out in the Judge's
// world. Pods of others are among them where those make room.
func (s *search) exact(ctx context.Context, ws ...*workload) (step, error) {
	one := step{workloads: ws}
	var classes [][]*corev1.Pod
	for _, w := range ws {
		one.bound += w.bound()
		classes = append(classes, s.leaving(w)...)
	}
	if one.bound == 0 || one.bound > exactEvictions {
		return one, nil
	}
	found, err := s.fewest(ctx, one.bound, s.left, target{
		classes:  classes,
		met:      func() bool { return !slices.ContainsFunc(ws, func(w *workload) bool { return w.excess() > 0 }) },
		possible: func(evicted []*corev1.Pod) bool { return s.couldMeet(ws, evicted) },
		hasSpace: func(pod *corev1.Pod, node string) bool {
			w := s.ofPod[keyOf(pod)]
			return w.hasSpace(w.byNode(), node)
		},
		makingRoom: func() [][]*corev1.Pod { return s.makingRoom(ws, classes) },
	})
	one.evicted = found
	return one, err
}

// target is what a few evictions are to reach.
type target struct {
	// classes are the pods among which they are chosen. Pods of a class are alike.
	classes [][]*corev1.Pod
	// met reports whether it is reached in the present outcome, and possible whether it could be, wherever evicted pods go: of what leaves too much behind, no
	// outcome needs to be asked.
	met      func() bool
	possible func(evicted []*corev1.Pod) bool
	// hasSpace reports whether the eviction of a pod would help if the one in its place ran on a node.
	hasSpace func(pod *corev1.Pod, node string) bool
	// makingRoom are classes of pods that make room where there is none, or take the places that the scheduler prefers.
	makingRoom func() [][]*corev1.Pod
}

// fewest looks for the fewest evictions, from the least that could be enough up to the most and exactEvictions, that reach a target, and carries them out in
// the Judge's world; nil if there are none.
func (s *search) fewest(ctx context.Context, least, most int, t target) ([]*corev1.Pod, error) {
	own := len(t.classes)
	for size := least; size <= min(exactEvictions, most); size++ {
		if size == least+1 {
			lacks, err := s.hasFewClasses(), error(nil)
			if !lacks {
				lacks, err = s.lacksRoom(ctx, t)
			}
			if err != nil {
				return nil, err
			}
			if lacks {
				t.classes = append(t.classes, t.makingRoom()...)
			}
		}
		found, err := s.choose(ctx, t, own, size)
		if err != nil || found != nil {
			return found, errors.Join(err, s.move(ctx, found))
		}
	}
	return nil, nil
}

// leaving are the pods of a workload that have to leave their nodes, or may have to, by node, the least disruption first.
func (s *search) leaving(w *workload) [][]*corev1.Pod {
	byNode := w.byNode()
	return byNodes(s.movable(w, func(pod *corev1.Pod) bool {
		return w.isMisplaced(pod) || slices.ContainsFunc(w.limits, func(l limit) bool { return l.overfull(byNode, pod.Spec.NodeName) })
	}))
}

// lacksRoom reports whether the pod in place of one that has to leave its node fits on none of the nodes on which it would help.
func (s *search) lacksRoom(ctx context.Context, t target) (bool, error) {
	for _, class := range t.classes {
		fits, err := s.withEvicted(class[0], func(created *corev1.Pod) (bool, error) {
			fit, err := s.judge.Fit(ctx, created)
			return slices.ContainsFunc(fit.Feasible, func(node string) bool { return t.hasSpace(class[0], node) }), err
		})
		if err != nil || !fits {
			return true, err
		}
	}
	return false, nil
}

// makingRoom are the pods that need not leave, by workload and node, first those on nodes that could take pods of some workloads: they make room. Where there
// are few classes, those on other nodes follow: what replaces them may take the places that the scheduler prefers. A workload's only pod is not among them:
// for the balance of others, it would not be available at all.
func (s *search) makingRoom(ws []*workload, leaving [][]*corev1.Pod) (classes [][]*corev1.Pod) {
	takes, leaves := map[string]bool{}, map[*corev1.Pod]bool{}
	for _, class := range leaving {
		for _, pod := range class {
			leaves[pod] = true
		}
	}
	for _, w := range ws {
		byNode := w.byNode()
		for node := range w.limits[0].domainOf {
			if !slices.ContainsFunc(w.limits, func(l limit) bool { return l.overfull(byNode, node) }) {
				takes[node] = true
			}
		}
	}
	staying := func(there bool) (classes [][]*corev1.Pod) {
		for _, w := range s.workloads {
			if !w.inMotion && len(w.pods) > 1 && s.o.Asks(w.ref) {
				classes = append(classes, byNodes(s.movable(w, func(pod *corev1.Pod) bool { return takes[pod.Spec.NodeName] == there && !leaves[pod] }))...)
			}
		}
		return classes
	}
	classes = staying(true)
	if s.hasFewClasses() {
		classes = append(classes, staying(false)...)
	}
	return classes
}

// hasFewClasses reports whether the pods of all workloads are few classes.
func (s *search) hasFewClasses() bool {
	return len(s.workloads)*len(s.judge.World().Nodes()) <= fewClasses
}

// byNodes groups pods by node, the largest group first.
func byNodes(pods []*corev1.Pod) (groups [][]*corev1.Pod) {
	index := map[string]int{}
	for _, pod := range pods {
		at, known := index[pod.Spec.NodeName]
		if !known {
			at = len(groups)
			index[pod.Spec.NodeName] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], pod)
	}
	slices.SortStableFunc(groups, func(a, b []*corev1.Pod) int { return len(b) - len(a) })
	return groups
}

// choose finds so many pods, in an order, whose eviction reaches a target in every outcome, those that disrupt less first; nil if there are none.
func (s *search) choose(ctx context.Context, t target, own, size int) (found []*corev1.Pod, err error) {
	tried := 0
	try := func(order []*corev1.Pod) bool {
		if tried++; tried > mostChoices {
			return true
		}
		var holds bool
		if holds, err = s.holds(ctx, order, t.met); holds {
			found = order
		}
		return holds || err != nil
	}
	for _, pods := range s.combinations(t, own, size) {
		if permute(pods, try) {
			break
		}
	}
	return found, err
}

// combinations are so many pods each that could reach a target, those that disrupt less first. Pods of a class are alike, so that only how many of each are
// evicted is chosen. Few are of the classes from own on, whose pods make room.
func (s *search) combinations(t target, own, size int) (all [][]*corev1.Pod) {
	looked, others := 0, 1
	if len(t.classes) <= fewClasses {
		others = 2
	}
	var pick func(class int, chosen []*corev1.Pod, others int)
	pick = func(class int, chosen []*corev1.Pod, others int) {
		lacks := size - len(chosen)
		switch {
		case looked > mostCombinations || len(all) >= mostChoices:
			return
		case lacks == 0:
			if looked++; s.withinLimits(chosen) && t.possible(chosen) {
				all = append(all, chosen)
			}
			return
		case class == len(t.classes), class >= own && lacks > others:
			return
		}
		most := min(lacks, len(t.classes[class]))
		if class >= own {
			most = min(most, 1)
		}
		for n := most; n >= 0; n-- {
			left := others
			if class >= own {
				left -= n
			}
			pick(class+1, append(slices.Clip(chosen), t.classes[class][:n]...), left)
		}
	}
	pick(0, nil, others)
	slices.SortStableFunc(all, compareDisruptionOfAll)
	return all
}

// permute calls do with pods in each order, until it returns true, and returns whether it did.
func permute(pods []*corev1.Pod, do func([]*corev1.Pod) bool) bool {
	if len(pods) == 1 {
		return do(slices.Clone(pods))
	}
	for i := range pods {
		rest := slices.Delete(slices.Clone(pods), i, i+1)
		if permute(rest, func(order []*corev1.Pod) bool { return do(append([]*corev1.Pod{pods[i]}, order...)) }) {
			return true
		}
	}
	return false
}

// couldMeet reports whether workloads could meet their targets wherever evicted pods go: of what leaves too much behind, no outcome needs to be asked.
func (s *search) couldMeet(ws []*workload, evicted []*corev1.Pod) bool {
	return !slices.ContainsFunc(ws, func(w *workload) bool {
		rest := workload{pods: without(w.pods, evicted...), misplaced: w.misplaced}
		for _, l := range w.limits {
			if l.most > 0 { // What comes in only adds to it.
				rest.limits = append(rest.limits, l)
			}
		}
		return rest.excess() > 0
	})
}

// holds reports whether in every outcome of evicting pods, one after the other, targets are met, and no workload of theirs is further from its own than
// before.
func (s *search) holds(ctx context.Context, pods []*corev1.Pod, met func() bool) (bool, error) {
	before := map[*workload]int{}
	for _, pod := range pods {
		before[s.ofPod[keyOf(pod)]] = s.ofPod[keyOf(pod)].excess()
	}
	check := func() bool {
		for w, excess := range before {
			if w.excess() > excess {
				return false
			}
		}
		return met()
	}
	defer func() { s.gone = false }()
	for _, s.gone = range []bool{false, true} {
		if holds, err := s.inOutcomes(ctx, pods, check); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// inOutcomes evicts pods, one after the other, and says whether check holds in each outcome of the scheduler's ties, or in some if there are many.
func (s *search) inOutcomes(ctx context.Context, pods []*corev1.Pod, check func() bool) (bool, error) {
	looked := 0
	holds, err := s.everyOutcome(ctx, pods, &looked, check)
	if !errors.Is(err, errTooMany) {
		return holds, err
	}
	seed := s.judge.Reseed(0)
	defer s.judge.Reseed(seed)
	for seed := range uint64(sampledOutcomes) {
		s.judge.Reseed(seed + 1)
		if holds, err := s.drawnOutcome(ctx, pods, check); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

var errTooMany = errors.New("more outcomes than are looked at")

// everyOutcome evicts pods, one after the other, and calls check in each outcome of the scheduler's ties; false as soon as check is.
// Where the scheduler scores some of the feasible nodes only, it does not know them all.
func (s *search) everyOutcome(ctx context.Context, pods []*corev1.Pod, looked *int, check func() bool) (bool, error) {
	if len(pods) == 0 {
		if *looked++; *looked > mostOutcomes {
			return false, errTooMany
		}
		return check(), nil
	}
	return s.withEvicted(pods[0], func(created *corev1.Pod) (bool, error) {
		fit, err := s.judge.Fit(ctx, created)
		if err != nil || len(fit.Best) == 0 {
			return false, err
		}
		if len(fit.Best) > mostOutcomes || fit.Sampled {
			return false, errTooMany
		}
		for _, node := range fit.Best {
			holds, err := s.withPlaced(pods[0], created, node, func() (bool, error) { return s.everyOutcome(ctx, pods[1:], looked, check) })
			if err != nil || !holds {
				return false, err
			}
		}
		return true, nil
	})
}

// drawnOutcome is everyOutcome of the one outcome that the Judge's seed draws.
func (s *search) drawnOutcome(ctx context.Context, pods []*corev1.Pod, check func() bool) (bool, error) {
	if len(pods) == 0 {
		return check(), nil
	}
	return s.withEvicted(pods[0], func(created *corev1.Pod) (bool, error) {
		placed, err := s.judge.Place(ctx, created)
		if err != nil || placed.Node == "" {
			return false, err
		}
		return s.withPlaced(pods[0], created, placed.Node, func() (bool, error) { return s.drawnOutcome(ctx, pods[1:], check) })
	})
}

// move evicts pods for good, to where the Judge's seed has the scheduler put them.
func (s *search) move(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if s.use != nil {
			s.relieved[podRef(pod)] = s.use.exceeds(pod.Spec.NodeName)
		}
	}
	for _, pod := range pods {
		w := s.ofPod[keyOf(pod)]
		created, edits := s.evicted(pod)
		if err := s.judge.Apply(edits...); err != nil {
			return err
		}
		placed, err := s.judge.Place(ctx, created)
		if err != nil {
			return err
		}
		there, edits := running(pod, created, placed.Node)
		if err := s.judge.Apply(edits...); err != nil {
			return err
		}
		s.requests[podRef(pod)] = requestsOf(pod)
		if s.use != nil {
			s.use.move(landing{requestsOf(pod), pod.Spec.NodeName, placed.Node})
			s.on[pod.Spec.NodeName] = without(s.on[pod.Spec.NodeName], pod)
		}
		w.pods = append(without(w.pods, pod), there)
		s.created[there.UID] = true
		s.count(pod)
		delete(s.ofPod, keyOf(pod))
		s.ofPod[keyOf(there)] = w
	}
	return nil
}

// withEvicted does something while a pod is evicted and its owner has created another.
func (s *search) withEvicted(pod *corev1.Pod, do func(created *corev1.Pod) (bool, error)) (bool, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	w := s.ofPod[keyOf(pod)]
	before := w.pods
	w.pods = without(w.pods, pod)
	defer func() { w.pods = before }()
	created, edits := s.evicted(pod)
	if err := s.judge.Apply(edits...); err != nil {
		return false, err
	}
	return do(created)
}

// withPlaced does something while the created pod runs on a node and the evicted one is gone.
func (s *search) withPlaced(pod, created *corev1.Pod, node string, do func() (bool, error)) (bool, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	w := s.ofPod[keyOf(pod)]
	before := w.pods
	there, edits := running(pod, created, node)
	w.pods = append(slices.Clip(w.pods), there)
	s.landed = append(s.landed, landing{requestsOf(pod), pod.Spec.NodeName, node})
	defer func() { w.pods, s.landed = before, s.landed[:len(s.landed)-1] }()
	if err := s.judge.Apply(edits...); err != nil {
		return false, err
	}
	return do()
}

// evicted is the pod that an owner creates in place of an evicted one, and what the eviction changes until that one is placed. A ReplicaSet
// creates it at once, so the old one still takes up its room; a StatefulSet waits until the name is free.
func (s *search) evicted(pod *corev1.Pod) (created *corev1.Pod, edits []cluster.Edit) {
	created = &corev1.Pod{TypeMeta: pod.TypeMeta, Spec: pod.Spec}
	created.ObjectMeta = metav1.ObjectMeta{
		Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID + "-next", Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
	}
	created.Spec.NodeName = ""
	created.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: pod.Status.QOSClass}
	if metav1.GetControllerOfNoCopy(pod).Kind == string(cluster.StatefulSet) {
		return created, []cluster.Edit{cluster.Remove(pod)}
	}
	created.Name += "-next"
	if s.gone {
		return created, []cluster.Edit{cluster.Remove(pod)}
	}
	terminating := *pod
	terminating.DeletionTimestamp = new(metav1.NewTime(s.judge.World().Taken()))
	return created, []cluster.Edit{cluster.Put(&terminating)}
}

// running is the created pod once it runs on a node, and what that changes: the evicted one is gone.
func running(pod, created *corev1.Pod, node string) (there *corev1.Pod, edits []cluster.Edit) {
	there = new(*created)
	there.Spec.NodeName = node
	there.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, QOSClass: pod.Status.QOSClass,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
	}
	if keyOf(pod) != keyOf(there) {
		edits = append(edits, cluster.Remove(pod))
	}
	return there, append(edits, cluster.Put(there))
}

// without are pods without some of them.
func without(pods []*corev1.Pod, some ...*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return slices.Contains(some, pod) })
}

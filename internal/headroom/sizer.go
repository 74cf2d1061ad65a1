package headroom

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

const (
	// placeholderPriority is that of placeholders in the simulation: lower than the default. It is the lowest for which cluster-autoscaler adds nodes.
	placeholderPriority = -10
	// fillerPriority is higher than any that the API server accepts: nothing preempts the pods that fill nodes.
	fillerPriority = int32(2_000_002_000)
	// mostSearched bounds what one search simulates to make its room smaller: the pods that cases displace, and podsOfFuture for each future. Up to exactNodes
	// nodes, it is mostSearchedExact, and where a case displaces more than manyPods pods, mostSearchedMany: such rooms are of so many placeholders that trying
	// each takes minutes. With many nodes, its product with them is bounded by mostSearchedNodes or mostSearchedManyNodes; with many cases, it is at least searchedPerCase
	// times what it takes to simulate each once.
	mostSearched          = 300_000
	mostSearchedExact     = 100_000
	mostSearchedMany      = 60_000
	mostSearchedNodes     = 150_000_000
	mostSearchedManyNodes = 5_000_000
	searchedPerCase       = 2
	podsOfFuture          = 30
	// preemptionWeight is how much longer it takes to place a pod that preempts.
	preemptionWeight = 10
	// fewNodesFutures and manyNodesFutures are in how many futures a room must survive a case with placeholders, up to exactNodes and with more: the scheduler
	// decides at random which of equal placeholders a pod preempts, and a small pod may take the place of a large one.
	fewNodesFutures  = 10
	manyNodesFutures = 3
	// mostConfirmed is how many cases are played with placeholders that are preempted, too, where the search leaves their room free, unless the largest case
	// displaces more than manyPods pods: with many placeholders, each preemption takes long.
	mostConfirmed = 8
	manyPods      = 200
)

// sizer looks for rooms in the Judge's world.
type sizer struct {
	*computation
	world *cluster.Snapshot
	// large is whether there are more than exactNodes nodes.
	large bool
	// free is what is free on each node that takes pods, with what placeholders hold, which the search removes.
	free map[string]amounts
	// nodes are the names of these nodes, and alike is equal for those that the scheduler treats alike.
	nodes []string
	// sizes are what these nodes have, prices what those of known prices cost an hour.
	sizes        map[string]amounts
	prices       map[string]float64
	alike        map[string]string
	placeholders []*corev1.Pod
	cases        []failureCase
	// present is what each case does with all that is free, displaced how many pods it displaces.
	present   []today
	displaced []int
	// trials are what a room must survive.
	trials []trial
	// active are those that rooms were enlarged for.
	active []trial
	// least is what any room requests at least.
	least amounts
	// shapes are the sizes of displaced pods, the largest first.
	shapes []amounts
	// numbers are those of rooms, by key, and known what is known of them.
	numbers map[[sha256.Size]byte]int
	known   map[knownRoom]bool
	// held is the room that the Judge's world holds.
	held heldRoom
	// harmed are the pods that the last simulation of a room that does not survive harms.
	harmed []change.Ref
	// taken is what displaced pods took on each node when an open trial was last survived, and of which room.
	taken map[int]takenRoom
	// searched is what was simulated, in the unit of mostSearched.
	searched int
}

// trial is a case that a room must survive. An open one leaves the room free instead of putting placeholders there, which saves the scheduler their
// preemption.
type trial struct {
	i    int
	open bool
}

// heldRoom is a room in a world; zero is none.
type heldRoom struct {
	number int
	open   bool
}

// takenRoom is what the pods that a case displaces take of a room, by its number.
type takenRoom struct {
	number int
	byNode map[string]amounts
}

type knownRoom struct {
	trial
	number int
}

func newSizer(c *computation) *sizer {
	s := &sizer{
		computation: c, world: c.judge.World(), large: len(c.ready) > exactNodes,
		free: map[string]amounts{}, alike: map[string]string{}, sizes: map[string]amounts{}, prices: map[string]float64{}, numbers: map[[sha256.Size]byte]int{}, known: map[knownRoom]bool{}, taken: map[int]takenRoom{},
	}
	own := labelsOfOneNode(s.world.Nodes())
	for _, node := range s.world.Nodes() {
		if !kube.IsNodeReady(node) || node.Spec.Unschedulable {
			continue
		}
		free := amounts{}
		for name, all := range amountsOf(node.Status.Allocatable) {
			if left := all - c.judge.Requested(node.Name, name); left > 0 {
				free[name] = left
			}
		}
		for _, pod := range s.world.PodsOn(node.Name) {
			if placeholder(pod) && !cluster.Ended(pod) {
				s.placeholders = append(s.placeholders, pod)
				free = free.plus(requestsOf(pod))
			}
		}
		s.free[node.Name] = free
		s.setPrice(node)
		s.alike[node.Name] = nodeKey(node, own)
	}
	s.nodes = slices.Sorted(maps.Keys(s.free))
	return s
}

// futures is in how many futures a trial is played. Without placeholders, none is preempted, and one future will do.
func (s *sizer) futures(open bool) int {
	switch {
	case open:
		return 1
	case len(s.free) <= exactNodes:
		return fewNodesFutures
	}
	return manyNodesFutures
}

// closed reports whether a case is played with placeholders that are preempted.
func (s *sizer) closed(i int) bool {
	return !s.large || i < mostConfirmed && slices.Max(s.displaced) <= manyPods
}

// prepare plays the cases in a world in which all that is free is there for them.
func (s *sizer) prepare(ctx context.Context, cases []failureCase) error {
	s.cases = cases
	var open, closed []trial
	seen := map[string]bool{}
	for _, one := range cases {
		s.displaced = append(s.displaced, s.displacedBy(one))
	}
	for i, one := range cases {
		if s.large {
			open = append(open, trial{i, true})
		}
		if s.closed(i) {
			closed = append(closed, trial{i, false})
		}
		present, err := s.playToday(ctx, one, !s.closed(i))
		if err != nil {
			return err
		}
		s.present = append(s.present, present)
		for _, p := range present.landing {
			if key := p.size.key(); !seen[key] {
				seen[key] = true
				s.shapes = append(s.shapes, p.size)
			}
		}
		if least, known := s.leastFor(one, present); known {
			s.least = s.least.orMore(least)
		}
	}
	s.trials = slices.Concat(open, closed)
	slices.SortFunc(s.shapes, func(a, b amounts) int { return compareFloats(s.size.share(b), s.size.share(a)) })
	return nil
}

// leastFor is what any room that survives a case requests at least, if that is known: as nothing else is free, the pods of workloads of which the case harms
// none fit only into placeholders. It is not known of a rotation, which brings nodes, and if other pods go, whose room is free then.
func (s *sizer) leastFor(one failureCase, present today) (least amounts, known bool) {
	if one.makesRoom() || one.grown != nil && len(present.harms) > 0 {
		return nil, false
	}
	harmed := map[change.Ref]bool{}
	for h := range present.harms {
		if h.kind == outcome.Preempted {
			return nil, false
		}
		harmed[h.workload] = true
	}
	for _, p := range present.landing {
		if len(harmed) > 0 {
			if workload, _ := s.displacedPod(p.pod); harmed[workload] {
				continue
			}
		}
		least = least.plus(p.size)
	}
	return least, true
}

// playToday is what a case does with all that is free, as it was simulated for its cost if that will do.
func (s *sizer) playToday(ctx context.Context, one failureCase, open bool) (today, error) {
	present := today{}
	if one.today != nil && open && s.world == s.computation.world {
		present = *one.today
	} else {
		err := simulation.EachFuture(ctx, s.judge, one.changes, simulation.Options{LeavePending: true, Seeds: s.futures(open)}, func(o outcome.Outcome) error {
			before := present.harms
			present = todayOf(s.world, costOf(s.world, o), o, one)
			for h, n := range before {
				present.harms[h] = max(present.harms[h], n)
			}
			return nil
		})
		if err != nil {
			return present, err
		}
	}
	var landing room
	if one.grown != nil {
		landing = s.growths(*one.grown)
	}
	for _, p := range present.landing {
		if s.free[p.Node] != nil {
			landing = append(landing, p)
		}
	}
	present.landing = landing.sorted(s.size)
	return present, nil
}

func compareFloats(a, b float64) int {
	const epsilon = 1e-9
	switch {
	case a < b-epsilon:
		return -1
	case a > b+epsilon:
		return 1
	}
	return 0
}

// growths are what the pods of a DaemonSet that grows request more than now, by node, where that is free.
func (s *sizer) growths(grow change.GrowDaemonSet) room {
	var all room
	for _, pod := range s.world.PodsOf(s.world.DaemonSet(grow.Namespace, grow.Name).UID) {
		more := requestsOf(grownPod(pod, grow)).minus(requestsOf(pod))
		if len(more) > 0 && more.within(s.free[pod.Spec.NodeName]) {
			all = append(all, newPlaceholder(pod.Spec.NodeName, more))
		}
	}
	return all
}

// grownPod is a pod as it requests after a step.
func grownPod(pod *corev1.Pod, grow change.GrowDaemonSet) *corev1.Pod {
	grown := pod.DeepCopy()
	for i := range grown.Spec.Containers {
		c := &grown.Spec.Containers[i]
		if c.Name == grow.Container || grow.Container == "" && i == 0 {
			if c.Resources.Requests == nil {
				c.Resources.Requests = corev1.ResourceList{}
			}
			maps.Copy(c.Resources.Requests, grow.Requests)
		}
	}
	return grown
}

// wholeRoom is the room that a HeadroomPolicy would hold for a step.
func (s *sizer) wholeRoom(grow change.GrowDaemonSet) *WholeRoom {
	set := s.world.DaemonSet(grow.Namespace, grow.Name)
	all := requestsOf(grownPod(&corev1.Pod{Spec: set.Spec.Template.Spec}, grow))
	size := amounts{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if all[name] > 0 {
			size[name] = all[name]
		}
	}
	w := &WholeRoom{Requests: size.list()}
	for node, free := range s.free {
		if kube.ShouldRunDaemonPod(set, s.world.Node(node)) {
			w.Nodes++
			if size.within(free) {
				w.Free++
			}
		}
	}
	return w
}

// fits reports whether today's nodes have the room.
func (s *sizer) fits(r room) bool {
	for node, sum := range r.byNode() {
		if !sum.within(s.free[node]) {
			return false
		}
	}
	return true
}

// survives reports whether a room survives trials although nothing else is free: no more pods are harmed than with all that is free today.
func (s *sizer) survives(ctx context.Context, r room, trials ...trial) (bool, error) {
	number := s.number(r)
	for _, t := range trials {
		held, known := s.known[knownRoom{t, number}]
		if !known {
			var err error
			if held, err = s.simulateRoom(ctx, r, t); err != nil {
				return false, err
			}
			s.known[knownRoom{t, number}] = held
		}
		if !held {
			return false, nil
		}
	}
	return true, nil
}

// number is the number of a room, equal for rooms with the same placeholders.
func (s *sizer) number(r room) int {
	key := sha256.Sum256([]byte(r.key()))
	if s.numbers[key] == 0 {
		s.numbers[key] = len(s.numbers) + 1
	}
	return s.numbers[key]
}

// errHarmed is that a future harms more pods than is allowed.
var errHarmed = errors.New("more pods are harmed")

func (s *sizer) simulateRoom(ctx context.Context, r room, t trial) (bool, error) {
	if err := s.hold(r, t.open); err != nil {
		return false, err
	}
	world := s.judge.World()
	weight := 1
	if s.large && !t.open {
		weight = preemptionWeight
	}
	err := simulation.EachFuture(ctx, s.judge, s.cases[t.i].changes, simulation.Options{LeavePending: true, Seeds: s.futures(t.open)}, func(o outcome.Outcome) error {
		s.searched += (s.displaced[t.i] + podsOfFuture) * weight
		cost := costOf(world, o)
		for h, n := range harms(cost) {
			if n > s.present[t.i].harms[h] {
				s.harmed = s.harmed[:0]
				for _, one := range slices.Concat(cost.Waiting, cost.Preempted) {
					s.harmed = append(s.harmed, one.Pod)
				}
				return errHarmed
			}
		}
		if t.open {
			s.taken[t.i] = takenRoom{s.number(r), landed(world, o, s.cases[t.i]).byNode()}
		}
		return nil
	})
	if errors.Is(err, errHarmed) {
		return false, nil
	}
	return err == nil, err
}

// spent reports whether the search has simulated as much as it may.
func (s *sizer) spent() bool {
	if !s.large {
		return s.searched > mostSearchedExact
	}
	most, nodes := mostSearched, mostSearchedNodes
	if slices.Max(s.displaced) > manyPods {
		most, nodes = mostSearchedMany, mostSearchedManyNodes
	}
	once := 0
	for _, n := range s.displaced {
		once += n + podsOfFuture
	}
	return s.searched > max(min(most, nodes/len(s.nodes)), searchedPerCase*once)
}

// fill removes the placeholders that are there, and fills all that is free on every node; unfill reverts that.
func (s *sizer) fill() error {
	s.judge.Fork()
	var edits []cluster.Edit
	for _, pod := range s.placeholders {
		edits = append(edits, cluster.Remove(pod))
	}
	for _, node := range s.nodes {
		edits = append(edits, cluster.Put(filler(node, s.free[node])))
	}
	return s.judge.Apply(edits...)
}

func (s *sizer) unfill() {
	s.release()
	s.judge.Revert()
}

// hold has the filled world hold a room, until it holds another or none.
func (s *sizer) hold(r room, open bool) error {
	next := heldRoom{s.number(r), open}
	if s.held == next {
		return nil
	}
	s.release()
	s.judge.Fork()
	s.held = next
	return s.judge.Apply(s.edits(r, open)...)
}

func (s *sizer) release() {
	if s.held != (heldRoom{}) {
		s.judge.Revert()
		s.held = heldRoom{}
	}
}

// edits put a room into the filled world: its placeholders, in place of some of what fills their nodes. Their names, by which the scheduler
// chooses among equals, do not depend on the order in which the search has found them.
func (s *sizer) edits(r room, open bool) []cluster.Edit {
	var edits []cluster.Edit
	sums := r.byNode()
	for _, node := range slices.Sorted(maps.Keys(sums)) {
		edits = append(edits, cluster.Put(filler(node, s.free[node].minus(sums[node]))))
	}
	if open {
		return edits
	}
	for i, p := range slices.Clone(r).sorted(s.size) {
		edits = append(edits, cluster.Put(placeholderPod(fmt.Sprintf("naosu-placeholder-%d", i), p)))
	}
	return edits
}

// filler is a pod that fills a node and that nothing evicts: a mirror pod of the highest priority.
func filler(node string, size amounts) *corev1.Pod {
	pod := boundPod("naosu-filler-"+node, node, size)
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: node}
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node, Controller: new(true)}}
	pod.Spec.Priority = new(fillerPriority)
	return pod
}

// placeholderPod is a placeholder as a pod: of a low priority, without an owner.
func placeholderPod(name string, p Placeholder) *corev1.Pod {
	pod := boundPod(name, p.Node, p.size)
	pod.Spec.Priority, pod.Spec.PreemptionPolicy = ptr.To[int32](placeholderPriority), new(corev1.PreemptNever)
	return pod
}

func boundPod(name, node string, size amounts) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault, UID: types.UID(name), Labels: map[string]string{"app": "naosu-headroom"}},
		Spec: corev1.PodSpec{
			NodeName: node, SchedulerName: corev1.DefaultSchedulerName, TerminationGracePeriodSeconds: ptr.To[int64](0),
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers:  []corev1.Container{{Name: "pause", Resources: corev1.ResourceRequirements{Requests: size.list()}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

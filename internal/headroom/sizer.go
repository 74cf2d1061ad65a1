package headroom

import (
	"context"
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
	// mostSimulated bounds the simulations of one search, and mostPlayed their number times that of the nodes.
	mostSimulated = 3_000
	mostPlayed    = 100_000
	// fewNodesFutures and manyNodesFutures are in how many futures a room must survive a case, up to exactNodes and with more: the scheduler decides at random
	// which of equal placeholders a pod preempts, and a small pod may take the place of a large one.
	fewNodesFutures  = 10
	manyNodesFutures = 3
	// mostConfirmed is how many cases are played with placeholders that are preempted, where the search leaves their room free.
	mostConfirmed = 8
)

// sizer looks for rooms in the Judge's world.
type sizer struct {
	*computation
	world *cluster.Snapshot
	// free is what is free on each node that takes pods, with what placeholders hold, which the search removes.
	free         map[string]amounts
	placeholders []*corev1.Pod
	// allowed is what a case costs although all that is free is there for it, by index of the case.
	allowed []map[harm]int
	// landings are where the pods that a case displaces find room, in shapes of the pods.
	landings []room
	cases    []failureCase
	// shapes are the sizes of displaced pods, the largest first.
	shapes    []amounts
	simulated int
	known     map[string]bool
	// harmed are the pods that the last simulation of a room that does not survive harms.
	harmed []change.Ref
	// open leaves the room free instead of putting placeholders there, which saves the scheduler their preemption.
	open bool
}

// harm is a fate of a workload's pods.
type harm struct {
	kind     outcome.Kind
	workload change.Ref
}

func harms(c Cost) map[harm]int {
	count := map[harm]int{}
	for kind, pods := range map[outcome.Kind][]Affected{outcome.Waiting: c.Waiting, outcome.Preempted: c.Preempted, outcome.Lost: c.Lost} {
		for _, one := range pods {
			count[harm{kind, one.Workload}]++
		}
	}
	return count
}

func newSizer(c *computation) *sizer {
	s := &sizer{computation: c, world: c.judge.World(), free: map[string]amounts{}, known: map[string]bool{}, open: len(c.ready) > exactNodes}
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
	}
	return s
}

// futures is in how many futures a case is played. Without placeholders, none is preempted, and one future will do.
func (s *sizer) futures() int {
	switch {
	case s.open:
		return 1
	case len(s.free) <= exactNodes:
		return fewNodesFutures
	}
	return manyNodesFutures
}

// prepare plays the cases in a world in which all that is free is there for them.
func (s *sizer) prepare(ctx context.Context, cases []failureCase) error {
	s.cases = cases
	seen := map[string]bool{}
	open := s.open
	defer func() { s.open = open }()
	for i, one := range cases {
		s.open = open && i >= mostConfirmed
		var landing room
		allowed := map[harm]int{}
		err := simulation.EachFuture(ctx, s.judge, one.changes, simulation.Options{LeavePending: true, Seeds: s.futures()}, func(o outcome.Outcome) error {
			for h, n := range harms(costOf(s.world, o)) {
				allowed[h] = max(allowed[h], n)
			}
			landing = s.landed(one, o)
			return nil
		})
		if err != nil {
			return err
		}
		s.allowed, s.landings = append(s.allowed, allowed), append(s.landings, landing)
		for _, p := range landing {
			if key := fmt.Sprint(p.size); !seen[key] {
				seen[key] = true
				s.shapes = append(s.shapes, p.size)
			}
		}
	}
	slices.SortFunc(s.shapes, func(a, b amounts) int { return compareFloats(s.size.share(b), s.size.share(a)) })
	return nil
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

// landed is where the pods run that a case displaces or adds, on nodes that are there today; of a step, also what each of the DaemonSet's pods grows by.
func (s *sizer) landed(one failureCase, o outcome.Outcome) room {
	var all room
	own := change.Ref{}
	if one.grown != nil {
		own, all = one.grown.Subject(), s.growths(*one.grown)
	}
	for _, fate := range o.Fates {
		if fate.To == "" || fate.To == fate.From || s.free[fate.To] == nil || !slices.Contains([]outcome.Kind{outcome.Moved, outcome.Delayed, outcome.Created}, fate.Kind) {
			continue
		}
		pod := s.world.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if pod == nil {
			pod = o.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		}
		if pod == nil || placeholder(pod) {
			continue
		}
		if object := s.world.Workload(pod); object != nil && refTo(object) == own {
			continue
		}
		if size := requestsOf(pod); len(size) > 0 {
			p := newPlaceholder(fate.To, size)
			p.pod = fate.Pod
			all = append(all, p)
		}
	}
	return all.sorted(s.size)
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

// whole is the room that a HeadroomPolicy would hold for a step.
func (s *sizer) whole(grow change.GrowDaemonSet) *WholeRoom {
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
	for _, p := range r {
		if !r.on(p.Node).within(s.free[p.Node]) {
			return false
		}
	}
	return true
}

// survives reports whether a room survives cases although nothing else is free: no more pods are harmed than with all that is free today.
func (s *sizer) survives(ctx context.Context, r room, cases ...int) (bool, error) {
	for _, i := range cases {
		key := fmt.Sprint(i, s.open, "\x00", r.key())
		held, known := s.known[key]
		if !known {
			var err error
			if held, err = s.simulateRoom(ctx, r, i); err != nil {
				return false, err
			}
			s.known[key] = held
		}
		if !held {
			return false, nil
		}
	}
	return true, nil
}

// errHarmed is that a future harms more pods than is allowed.
var errHarmed = errors.New("more pods are harmed")

func (s *sizer) simulateRoom(ctx context.Context, r room, i int) (bool, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	if err := s.judge.Apply(s.held(r)...); err != nil {
		return false, err
	}
	world := s.judge.World()
	err := simulation.EachFuture(ctx, s.judge, s.cases[i].changes, simulation.Options{LeavePending: true, Seeds: s.futures()}, func(o outcome.Outcome) error {
		s.simulated++
		cost := costOf(world, o)
		for h, n := range harms(cost) {
			if n > s.allowed[i][h] {
				s.harmed = s.harmed[:0]
				for _, one := range slices.Concat(cost.Waiting, cost.Preempted) {
					s.harmed = append(s.harmed, one.Pod)
				}
				return errHarmed
			}
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
	return s.simulated > mostSimulated || s.simulated*len(s.free) > mostPlayed
}

// fill removes the placeholders that are there, and fills all that is free on every node.
func (s *sizer) fill() error {
	var edits []cluster.Edit
	for _, pod := range s.placeholders {
		edits = append(edits, cluster.Remove(pod))
	}
	for _, node := range slices.Sorted(maps.Keys(s.free)) {
		edits = append(edits, cluster.Put(filler(node, s.free[node])))
	}
	return s.judge.Apply(edits...)
}

// held are the edits that put a room into the filled world: its placeholders, in place of some of what fills their nodes. Their names, by which the scheduler
// chooses among equals, do not depend on the order in which the search has found them.
func (s *sizer) held(r room) []cluster.Edit {
	var edits []cluster.Edit
	done := map[string]bool{}
	for i, p := range slices.Clone(r).sorted(s.size) {
		if !done[p.Node] {
			done[p.Node] = true
			edits = append(edits, cluster.Put(filler(p.Node, s.free[p.Node].minus(r.on(p.Node)))))
		}
		if !s.open {
			edits = append(edits, cluster.Put(placeholderPod(fmt.Sprintf("naosu-placeholder-%d", i), p)))
		}
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

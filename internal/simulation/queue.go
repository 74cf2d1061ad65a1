package simulation

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// attemptsPerPod bounds how often the scheduler tries, on average, before the future is cut short. Each preemption takes
// from lower priorities only, so that it ends by itself; the bound is for what nobody thought of.
const maxAttemptsPerPod = 50

// never is when a pod was last tried that has not been.
const notTried = -1

// offer is a pod that asks for a node.
type queuedPod struct {
	pod      *corev1.Pod
	priority int32
	queuedAt time.Duration
	sequence int
	// tried is the room there was when it last fitted nowhere, and landed how many pods had got a node by then.
	triedCycle, triedBoundPods int
	// shown says that the world holds the pod already.
	stored  bool
	delayed bool
}

// queue is the scheduler's: by priority, then by time (kube-scheduler's PrioritySort). What fits nowhere is held until
// there is more room.
type queue struct {
	active        []*queuedPod
	unschedulable []*queuedPod
	sequence      int
	// room grows by one whenever something may make a pod fit; landed when a pod gets a node.
	cycle, boundPods int
	attempts         int
	maxAttempts      int
	// hopeless are classes of pods of which one fitted nowhere.
	failedClasses map[equivalenceClass]failedAttempt
}

func (q *queue) Len() int { return len(q.active) }
func (q *queue) Less(i, j int) bool {
	a, b := q.active[i], q.active[j]
	return cmp.Or(compareBools(a.delayed, b.delayed), cmp.Compare(b.priority, a.priority), cmp.Compare(a.queuedAt, b.queuedAt), cmp.Compare(a.sequence, b.sequence)) < 0
}
func (q *queue) Swap(i, j int) { q.active[i], q.active[j] = q.active[j], q.active[i] }

// Push and Pop are container/heap's.
func (q *queue) Push(o any) { q.active = append(q.active, o.(*queuedPod)) }

// Pop takes the last.
func (q *queue) Pop() any {
	last := len(q.active) - 1
	o := q.active[last]
	q.active = q.active[:last]
	return o
}

func (q *queue) addUnschedulable(o *queuedPod) { q.unschedulable = append(q.unschedulable, o) }

// holdTried holds a pod that has been tried as things are.
func (q *queue) addTried(o *queuedPod) {
	o.triedCycle, o.triedBoundPods = q.cycle, q.boundPods
	q.addUnschedulable(o)
}

// next is the pod to be tried next, nil if nothing is left to try. Pods to which it matters where others run are tried once
// more when some have landed, after all else.
func (q *queue) next(c randomness) *queuedPod {
	q.activate(c, func(o *queuedPod) bool { return o.triedCycle < q.cycle })
	if len(q.active) == 0 {
		q.activate(c, func(o *queuedPod) bool { return o.triedBoundPods < q.boundPods && dependsOnOtherPods(o.pod) })
	}
	if len(q.active) == 0 {
		return nil
	}
	return heap.Pop(q).(*queuedPod)
}

// release lets held pods be tried again.
func (q *queue) activate(c randomness, which func(*queuedPod) bool) {
	kept := q.unschedulable[:0]
	for _, o := range q.unschedulable {
		if which(o) {
			o.delayed = c.delayed()
			heap.Push(q, o)
		} else {
			kept = append(kept, o)
		}
	}
	q.unschedulable = kept
}

// of are the pods of a controller that ask for a node.
func (q *queue) podsOf(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, o := range slices.Concat(q.active, q.unschedulable) {
		if owner := metav1.GetControllerOfNoCopy(o.pod); owner != nil && owner.UID == controller {
			pods = append(pods, o.pod)
		}
	}
	return pods
}

// drop forgets a pod that is no more.
func (q *queue) remove(pod *corev1.Pod) {
	q.unschedulable = without(q.unschedulable, pod)
	q.active = without(q.active, pod)
	heap.Init(q)
}

func without(offers []*queuedPod, pod *corev1.Pod) []*queuedPod {
	kept := offers[:0]
	for _, o := range offers {
		if o.pod.UID != pod.UID || nameOf(o.pod) != nameOf(pod) {
			kept = append(kept, o)
		}
	}
	return kept
}

// offer asks the scheduler for a node, in turn.
func (e *engine) enqueue(pod *corev1.Pod) {
	e.queue.sequence++
	heap.Push(&e.queue, &queuedPod{
		pod: pod, priority: priorityOf(pod), queuedAt: e.now, sequence: e.queue.sequence, triedCycle: notTried, delayed: e.randomness.delayed(),
	})
}

// room says that something may make a pod fit.
func (e *engine) retryUnschedulable() { e.queue.cycle++ }

// schedule tries every pod that asks for a node, until none is left that might get one.
func (e *engine) schedule(ctx context.Context) error {
	for o := e.queue.next(e.randomness); o != nil; o = e.queue.next(e.randomness) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.queue.attempts++; e.queue.attempts > e.queue.maxAttempts {
			e.gaps.note("scheduling", message.Of(message.GapAttempts, message.Args{"attempts": e.queue.maxAttempts}))
			e.queue.addTried(o)
			continue
		}
		if err := e.scheduleOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) scheduleOne(ctx context.Context, o *queuedPod) error {
	alike := equivalenceClassOf(o.pod)
	if o.pod.Status.NominatedNodeName == "" && e.queue.knownUnschedulable(alike) { // A promised node is kept from others like it.
		return e.handleFailure(o)
	}
	placement, err := e.judge.Place(ctx, e.podForJudge(o.pod))
	switch {
	case err != nil:
		return fmt.Errorf("placing %s: %w", podRef(o.pod), err)
	case placement.Node != "":
		return e.bind(o.pod, placement.Node)
	case placement.Preemption != nil:
		return e.preemptFor(ctx, o, *placement.Preemption)
	}
	e.queue.markUnschedulable(alike)
	return e.handleFailure(o)
}

// fail holds a pod back until there is more room. What it was promised is no longer held for it, but there for others.
func (e *engine) handleFailure(o *queuedPod) error {
	if o.pod.Status.NominatedNodeName != "" {
		free := *o.pod
		free.Status.NominatedNodeName = ""
		o.pod, o.stored = &free, false
		e.retryUnschedulable()
	}
	e.queue.addTried(o)
	e.fates.markWaiting(o.pod)
	if o.stored {
		return nil
	}
	o.stored = true
	return e.edit(cluster.Put(o.pod))
}

// speakable is the pod as the Judge can be asked about it: one that another scheduler places is taken for its own, which
// is a gap.
func (e *engine) podForJudge(pod *corev1.Pod) *corev1.Pod {
	if e.judge.Models(pod) {
		return pod
	}
	profiles := e.judge.Basis().Profiles
	if len(profiles) == 0 {
		return pod
	}
	e.gaps.note(pod.Spec.SchedulerName, message.Of(message.GapScheduler, message.Args{"scheduler": pod.Spec.SchedulerName}))
	taken := *pod
	taken.Spec.SchedulerName = profiles[0]
	return &taken
}

func priorityOf(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

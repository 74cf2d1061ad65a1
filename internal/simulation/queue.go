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
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// maxAttemptsPerPod bounds the number of scheduling attempts, on average per pod, before the simulation is cut short. Preemption
// ends by itself, since it only takes from lower priorities; the bound is a safeguard.
const maxAttemptsPerPod = 50

// notTried is the cycle of a pod that was not tried yet.
const notTried = -1

// queuedPod is a pod in the scheduling queue.
type queuedPod struct {
	pod      *corev1.Pod
	priority int32
	queuedAt time.Duration
	sequence int
	// triedCycle is the queue's cycle when the pod was last unschedulable, triedBoundPods the number of pods bound by then.
	triedCycle, triedBoundPods int
	// stored says that the world has the pod already.
	stored  bool
	delayed bool
}

// queue is the scheduling queue: by priority, then by time (kube-scheduler's PrioritySort). Unschedulable pods are kept apart
// until an event may make them schedulable.
type queue struct {
	active        []*queuedPod
	unschedulable []*queuedPod
	sequence      int
	// cycle grows by one with every event that may make a pod schedulable, boundPods with every pod that is bound.
	cycle, boundPods int
	attempts         int
	maxAttempts      int
	// failedClasses are the classes with an unschedulable pod.
	failedClasses map[equivalenceClass]failedAttempt
}

func (q *queue) Len() int { return len(q.active) }
func (q *queue) Less(i, j int) bool {
	a, b := q.active[i], q.active[j]
	return cmp.Or(compareBools(a.delayed, b.delayed), cmp.Compare(b.priority, a.priority), cmp.Compare(a.queuedAt, b.queuedAt), cmp.Compare(a.sequence, b.sequence)) < 0
}
func (q *queue) Swap(i, j int) { q.active[i], q.active[j] = q.active[j], q.active[i] }

// Push and Pop are container/heap's.
func (q *queue) Push(queued any) { q.active = append(q.active, queued.(*queuedPod)) }

// Pop takes the last.
func (q *queue) Pop() any {
	last := len(q.active) - 1
	queued := q.active[last]
	q.active = q.active[:last]
	return queued
}

func (q *queue) addUnschedulable(queued *queuedPod) {
	q.unschedulable = append(q.unschedulable, queued)
}

// addTried adds a pod that was unschedulable in the present cycle.
func (q *queue) addTried(queued *queuedPod) {
	queued.triedCycle, queued.triedBoundPods = q.cycle, q.boundPods
	q.addUnschedulable(queued)
}

// next is the pod to schedule next, nil if there is none. Pods that depend on where other pods run are tried again after all
// others if any pod was bound since.
func (q *queue) next(r randomness) *queuedPod {
	q.activate(r, func(queued *queuedPod) bool { return queued.triedCycle < q.cycle })
	if len(q.active) == 0 {
		q.activate(r, func(queued *queuedPod) bool {
			return queued.triedBoundPods < q.boundPods && dependsOnOtherPods(queued.pod)
		})
	}
	if len(q.active) == 0 {
		return nil
	}
	return heap.Pop(q).(*queuedPod)
}

// activate moves unschedulable pods back to the active ones.
func (q *queue) activate(r randomness, which func(*queuedPod) bool) {
	kept := q.unschedulable[:0]
	for _, queued := range q.unschedulable {
		if which(queued) {
			queued.delayed = r.delayed()
			heap.Push(q, queued)
		} else {
			kept = append(kept, queued)
		}
	}
	q.unschedulable = kept
}

// podsOf are the pods of a controller in the queue.
func (q *queue) podsOf(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, queued := range slices.Concat(q.active, q.unschedulable) {
		if owner := metav1.GetControllerOfNoCopy(queued.pod); owner != nil && owner.UID == controller {
			pods = append(pods, queued.pod)
		}
	}
	return pods
}

// remove removes a pod from the queue.
func (q *queue) remove(pod *corev1.Pod) {
	q.unschedulable = without(q.unschedulable, pod)
	q.active = without(q.active, pod)
	heap.Init(q)
}

func without(queuedPods []*queuedPod, pod *corev1.Pod) []*queuedPod {
	kept := queuedPods[:0]
	for _, queued := range queuedPods {
		if queued.pod.UID != pod.UID || nameOf(queued.pod) != nameOf(pod) {
			kept = append(kept, queued)
		}
	}
	return kept
}

// enqueue adds a pod to the scheduling queue.
func (e *engine) enqueue(pod *corev1.Pod) {
	e.queue.sequence++
	heap.Push(&e.queue, &queuedPod{
		pod: pod, priority: corev1helpers.PodPriority(pod), queuedAt: e.now, sequence: e.queue.sequence, triedCycle: notTried, delayed: e.randomness.delayed(),
	})
}

// retryUnschedulable has unschedulable pods tried again, since something may have made them schedulable.
func (e *engine) retryUnschedulable() { e.queue.cycle++ }

// schedule schedules pods until the queue has none left to try.
func (e *engine) schedule(ctx context.Context) error {
	for queued := e.queue.next(e.randomness); queued != nil; queued = e.queue.next(e.randomness) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.queue.attempts++; e.queue.attempts > e.queue.maxAttempts {
			e.gaps.note("scheduling", message.Of(message.GapAttempts, message.Args{"attempts": e.queue.maxAttempts}))
			e.queue.addTried(queued)
			continue
		}
		if err := e.scheduleOne(ctx, queued); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) scheduleOne(ctx context.Context, queued *queuedPod) error {
	class := equivalenceClassOf(queued.pod)
	if queued.pod.Status.NominatedNodeName == "" && e.queue.knownUnschedulable(class) { // A nominated pod is not like others of its class.
		return e.handleFailure(queued)
	}
	placement, err := e.judge.Place(ctx, e.podForJudge(queued.pod))
	switch {
	case err != nil:
		return fmt.Errorf("placing %s: %w", podRef(queued.pod), err)
	case placement.Node != "":
		return e.bind(queued.pod, placement.Node)
	case placement.Preemption != nil:
		return e.preemptFor(ctx, queued, *placement.Preemption)
	case e.waitsForVictims(queued.pod):
		e.queue.addTried(queued)
		return nil
	}
	e.queue.markUnschedulable(class)
	return e.handleFailure(queued)
}

// handleFailure keeps a pod as unschedulable. The capacity of the node that it was nominated for is free again.
func (e *engine) handleFailure(queued *queuedPod) error {
	if queued.pod.Status.NominatedNodeName != "" {
		free := *queued.pod
		free.Status.NominatedNodeName = ""
		queued.pod, queued.stored = &free, false
		e.retryUnschedulable()
	}
	e.queue.addTried(queued)
	e.fates.markWaiting(queued.pod)
	if queued.stored {
		return nil
	}
	queued.stored = true
	return e.edit(cluster.Put(queued.pod))
}

// podForJudge is the pod as the Judge can schedule it: a pod of another scheduler is treated as one of kube-scheduler, which is
// noted as a gap.
func (e *engine) podForJudge(pod *corev1.Pod) *corev1.Pod {
	if e.judge.Models(pod) {
		return pod
	}
	profiles := e.judge.Basis().Profiles
	if len(profiles) == 0 {
		return pod
	}
	e.gaps.note(pod.Spec.SchedulerName, message.Of(message.GapScheduler, message.Args{"scheduler": pod.Spec.SchedulerName}))
	modelled := *pod
	modelled.Spec.SchedulerName = profiles[0]
	return &modelled
}

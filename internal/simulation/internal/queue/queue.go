package queue

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

// maxAttemptsPerPod bounds the number of scheduling attempts, on average per pod, before the simulation is cut short. Preemption
// ends by itself, since it only takes from lower priorities; the bound is a safeguard.
const maxAttemptsPerPod = 50

// notTried is the cycle of a pod that was not tried yet.
const notTried = -1

// Pod is a pod in the scheduling queue.
type Pod struct {
	Pod      *corev1.Pod
	priority int32
	queuedAt time.Duration
	sequence int
	// triedCycle is the queue's cycle when the pod was last unschedulable, triedBoundPods the number of pods bound by then.
	triedCycle, triedBoundPods int
	// Stored says that the world has the pod already.
	Stored  bool
	Delayed bool
}

// Queue is the scheduling queue: by priority, then by time (kube-scheduler's PrioritySort). Unschedulable pods are kept apart
// until an event may make them schedulable.
type Queue struct {
	active        []*Pod
	unschedulable []*Pod
	sequence      int
	// cycle grows by one with every event that may make a pod schedulable, boundPods with every pod that is bound.
	cycle, boundPods int
	attempts         int
	MaxAttempts      int
	// failedClasses are the classes with an unschedulable pod.
	failedClasses map[Class]failedAttempt
}

// Len, Less and Swap are container/heap's.
func (q *Queue) Len() int { return len(q.active) }

func (q *Queue) Less(i, j int) bool {
	a, b := q.active[i], q.active[j]
	if a.Delayed != b.Delayed {
		return b.Delayed
	}
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.queuedAt, b.queuedAt), cmp.Compare(a.sequence, b.sequence)) < 0
}

func (q *Queue) Swap(i, j int) { q.active[i], q.active[j] = q.active[j], q.active[i] }

// Push and Pop are container/heap's.
func (q *Queue) Push(queued any) { q.active = append(q.active, queued.(*Pod)) }

// Pop takes the last.
func (q *Queue) Pop() any {
	last := len(q.active) - 1
	queued := q.active[last]
	q.active = q.active[:last]
	return queued
}

// New is an empty queue of a cluster with a number of pods.
func New(pods int) Queue { return Queue{MaxAttempts: maxAttemptsPerPod * (pods + 100)} }

// Add adds a pod that was created at a time.
func (q *Queue) Add(pod *corev1.Pod, now time.Duration, delayed bool) {
	q.sequence++
	heap.Push(q, &Pod{Pod: pod, priority: corev1helpers.PodPriority(pod), queuedAt: now, sequence: q.sequence, triedCycle: notTried, Delayed: delayed})
}

// AddAgain adds a pod that was in the queue before.
func (q *Queue) AddAgain(queued *Pod) { heap.Push(q, queued) }

// AddExisting adds a pod that the world has, and that the queue has not seen.
func (q *Queue) AddExisting(pod *corev1.Pod) {
	q.unschedulable = append(q.unschedulable, &Pod{Pod: pod, priority: corev1helpers.PodPriority(pod), triedCycle: notTried, Stored: true})
}

// Retry has unschedulable pods tried again, since something may have made them schedulable.
func (q *Queue) Retry() { q.cycle++ }

// MarkBound says that a pod was bound.
func (q *Queue) MarkBound() { q.boundPods++ }

// Attempt counts an attempt, and reports whether it may be made.
func (q *Queue) Attempt() bool {
	q.attempts++
	return q.attempts <= q.MaxAttempts
}

// AddTried adds a pod that was unschedulable in the present cycle.
func (q *Queue) AddTried(queued *Pod) {
	queued.triedCycle, queued.triedBoundPods = q.cycle, q.boundPods
	q.unschedulable = append(q.unschedulable, queued)
}

// Next is the pod to schedule next, nil if there is none. Pods that depend on where other pods run are tried again after all
// others if any pod was bound since.
func (q *Queue) Next(r randomness.Source) *Pod {
	q.activate(r, func(queued *Pod) bool { return queued.triedCycle < q.cycle })
	if len(q.active) == 0 {
		q.activate(r, func(queued *Pod) bool {
			return queued.triedBoundPods < q.boundPods && dependsOnOtherPods(queued.Pod)
		})
	}
	if len(q.active) == 0 {
		return nil
	}
	return heap.Pop(q).(*Pod)
}

// activate moves unschedulable pods back to the active ones.
func (q *Queue) activate(r randomness.Source, which func(*Pod) bool) {
	kept := q.unschedulable[:0]
	for _, queued := range q.unschedulable {
		if which(queued) {
			queued.Delayed = r.Delayed()
			heap.Push(q, queued)
		} else {
			kept = append(kept, queued)
		}
	}
	q.unschedulable = kept
}

// PodsOf are the pods of a controller in the queue.
func (q *Queue) PodsOf(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, queued := range slices.Concat(q.active, q.unschedulable) {
		if owner := metav1.GetControllerOfNoCopy(queued.Pod); owner != nil && owner.UID == controller {
			pods = append(pods, queued.Pod)
		}
	}
	return pods
}

// Remove removes a pod from the queue.
func (q *Queue) Remove(pod *corev1.Pod) {
	q.unschedulable = without(q.unschedulable, pod)
	q.active = without(q.active, pod)
	heap.Init(q)
}

func without(queuedPods []*Pod, pod *corev1.Pod) []*Pod {
	kept := queuedPods[:0]
	for _, queued := range queuedPods {
		if queued.Pod.UID != pod.UID || names.Of(queued.Pod) != names.Of(pod) {
			kept = append(kept, queued)
		}
	}
	return kept
}

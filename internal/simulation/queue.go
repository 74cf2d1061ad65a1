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
const attemptsPerPod = 50

// never is when a pod was last tried that has not been.
const never = -1

// offer is a pod that asks for a node.
type offer struct {
	pod      *corev1.Pod
	priority int32
	since    time.Duration
	turn     int
	// tried is the room there was when it last fitted nowhere, and landed how many pods had got a node by then.
	tried, landed int
	// shown says that the world holds the pod already.
	shown bool
	late  bool
}

// queue is the scheduler's: by priority, then by time (kube-scheduler's PrioritySort). What fits nowhere is held until
// there is more room.
type queue struct {
	ready []*offer
	held  []*offer
	turns int
	// room grows by one whenever something may make a pod fit; landed when a pod gets a node.
	room, landed int
	attempts     int
	most         int
	// hopeless are classes of pods of which one fitted nowhere.
	hopeless map[class]failure
}

func (q *queue) Len() int { return len(q.ready) }
func (q *queue) Less(i, j int) bool {
	a, b := q.ready[i], q.ready[j]
	return cmp.Or(compareBools(a.late, b.late), cmp.Compare(b.priority, a.priority), cmp.Compare(a.since, b.since), cmp.Compare(a.turn, b.turn)) < 0
}
func (q *queue) Swap(i, j int) { q.ready[i], q.ready[j] = q.ready[j], q.ready[i] }

// Push and Pop are container/heap's.
func (q *queue) Push(o any) { q.ready = append(q.ready, o.(*offer)) }

// Pop takes the last.
func (q *queue) Pop() any {
	last := len(q.ready) - 1
	o := q.ready[last]
	q.ready = q.ready[:last]
	return o
}

func (q *queue) hold(o *offer) { q.held = append(q.held, o) }

// holdTried holds a pod that has been tried as things are.
func (q *queue) holdTried(o *offer) {
	o.tried, o.landed = q.room, q.landed
	q.hold(o)
}

// next is the pod to be tried next, nil if nothing is left to try. Pods to which it matters where others run are tried once
// more when some have landed, after all else.
func (q *queue) next(c chance) *offer {
	q.release(c, func(o *offer) bool { return o.tried < q.room })
	if len(q.ready) == 0 {
		q.release(c, func(o *offer) bool { return o.landed < q.landed && minds(o.pod) })
	}
	if len(q.ready) == 0 {
		return nil
	}
	return heap.Pop(q).(*offer)
}

// release lets held pods be tried again.
func (q *queue) release(c chance, which func(*offer) bool) {
	kept := q.held[:0]
	for _, o := range q.held {
		if which(o) {
			o.late = c.late()
			heap.Push(q, o)
		} else {
			kept = append(kept, o)
		}
	}
	q.held = kept
}

// of are the pods of a controller that ask for a node.
func (q *queue) of(controller types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, o := range slices.Concat(q.ready, q.held) {
		if owner := metav1.GetControllerOfNoCopy(o.pod); owner != nil && owner.UID == controller {
			pods = append(pods, o.pod)
		}
	}
	return pods
}

// drop forgets a pod that is no more.
func (q *queue) drop(pod *corev1.Pod) {
	q.held = without(q.held, pod)
	q.ready = without(q.ready, pod)
	heap.Init(q)
}

func without(offers []*offer, pod *corev1.Pod) []*offer {
	kept := offers[:0]
	for _, o := range offers {
		if o.pod.UID != pod.UID || nameOf(o.pod) != nameOf(pod) {
			kept = append(kept, o)
		}
	}
	return kept
}

// offer asks the scheduler for a node, in turn.
func (f *future) offer(pod *corev1.Pod) {
	f.queue.turns++
	heap.Push(&f.queue, &offer{
		pod: pod, priority: priorityOf(pod), since: f.now, turn: f.queue.turns, tried: never, late: f.chance.late(),
	})
}

// room says that something may make a pod fit.
func (f *future) room() { f.queue.room++ }

// schedule tries every pod that asks for a node, until none is left that might get one.
func (f *future) schedule(ctx context.Context) error {
	for o := f.queue.next(f.chance); o != nil; o = f.queue.next(f.chance) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.queue.attempts++; f.queue.attempts > f.queue.most {
			f.gaps.note("scheduling", message.Of(message.GapAttempts, message.Args{"attempts": f.queue.most}))
			f.queue.holdTried(o)
			continue
		}
		if err := f.try(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (f *future) try(ctx context.Context, o *offer) error {
	alike := classOf(o.pod)
	if o.pod.Status.NominatedNodeName == "" && f.queue.hopelessFor(alike) { // A promised node is kept from others like it.
		return f.fail(o)
	}
	placement, err := f.judge.Place(ctx, f.speakable(o.pod))
	switch {
	case err != nil:
		return fmt.Errorf("placing %s: %w", podRef(o.pod), err)
	case placement.Node != "":
		return f.bind(o.pod, placement.Node)
	case placement.Preemption != nil:
		return f.push(ctx, o, *placement.Preemption)
	}
	f.queue.giveUp(alike)
	return f.fail(o)
}

// fail holds a pod back until there is more room. What it was promised is no longer held for it, but there for others.
func (f *future) fail(o *offer) error {
	if o.pod.Status.NominatedNodeName != "" {
		free := *o.pod
		free.Status.NominatedNodeName = ""
		o.pod, o.shown = &free, false
		f.room()
	}
	f.queue.holdTried(o)
	f.book.waits(o.pod)
	if o.shown {
		return nil
	}
	o.shown = true
	return f.apply(cluster.Put(o.pod))
}

// speakable is the pod as the Judge can be asked about it: one that another scheduler places is taken for its own, which
// is a gap.
func (f *future) speakable(pod *corev1.Pod) *corev1.Pod {
	if f.judge.Models(pod) {
		return pod
	}
	profiles := f.judge.Basis().Profiles
	if len(profiles) == 0 {
		return pod
	}
	f.gaps.note(pod.Spec.SchedulerName, message.Of(message.GapScheduler, message.Args{"scheduler": pod.Spec.SchedulerName}))
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

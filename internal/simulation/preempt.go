package simulation

import (
	"container/heap"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// push gives a pod the node from which others have to go for it. If others come to the scheduler's turn before those are
// gone, the pod is only promised the node: what they do may be such that it has to look elsewhere.
func (f *future) push(ctx context.Context, o *offer, p scheduling.Preemption) error {
	if err := f.preempt(ctx, o.pod, p); err != nil {
		return err
	}
	if o.late = f.chance.overtaken(); !o.late {
		return f.bind(o.pod, p.Node)
	}
	promised := *o.pod
	promised.Status.NominatedNodeName = p.Node
	o.pod, o.shown = &promised, true
	heap.Push(&f.queue, o)
	return f.apply(cluster.Put(&promised))
}

// preempt makes the room that the scheduler decided on: the victims go, and their owners make others, which queue up.
func (f *future) preempt(ctx context.Context, pod *corev1.Pod, p scheduling.Preemption) error {
	f.budgets.disrupt(p.Victims...)
	edits := f.budgets.gone(p.Victims...)
	for _, victim := range p.Victims {
		f.book.preempted(victim, podRef(pod), f.now+graceOf(victim))
		edits = append(edits, cluster.Remove(victim))
	}
	if err := f.apply(edits...); err != nil {
		return err
	}
	f.room()
	for _, victim := range p.Victims {
		f.uncount(victim)
		if err := f.replace(ctx, victim); err != nil {
			return err
		}
	}
	return nil
}

// graceOf is how long a pod may take to end.
func graceOf(pod *corev1.Pod) time.Duration {
	if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

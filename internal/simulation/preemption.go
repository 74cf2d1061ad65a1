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
func (e *engine) preemptFor(ctx context.Context, o *queuedPod, p scheduling.Preemption) error {
	if err := e.preempt(ctx, o.pod, p); err != nil {
		return err
	}
	if o.delayed = e.randomness.bindDelayed(); !o.delayed {
		return e.bind(o.pod, p.Node)
	}
	nominated := *o.pod
	nominated.Status.NominatedNodeName = p.Node
	o.pod, o.stored = &nominated, true
	heap.Push(&e.queue, o)
	return e.edit(cluster.Put(&nominated))
}

// preempt makes the room that the scheduler decided on: the victims go, and their owners make others, which queue up.
func (e *engine) preempt(ctx context.Context, pod *corev1.Pod, p scheduling.Preemption) error {
	e.budgets.recordViolations(p.Victims...)
	edits := e.budgets.markUnhealthy(p.Victims...)
	for _, victim := range p.Victims {
		e.fates.markPreempted(victim, podRef(pod), e.now+terminationGracePeriod(victim))
		edits = append(edits, cluster.Remove(victim))
	}
	if err := e.edit(edits...); err != nil {
		return err
	}
	e.retryUnschedulable()
	for _, victim := range p.Victims {
		e.decrementActive(victim)
		if err := e.replacePod(ctx, victim); err != nil {
			return err
		}
	}
	return nil
}

// graceOf is how long a pod may take to end.
func terminationGracePeriod(pod *corev1.Pod) time.Duration {
	if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

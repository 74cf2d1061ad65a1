package simulation

import (
	"container/heap"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// preemptFor preempts victims and binds the pod to their node. If other pods are scheduled before the victims are gone, the pod is
// only nominated for the node, and may have to be scheduled elsewhere.
func (e *engine) preemptFor(ctx context.Context, queued *queuedPod, p scheduling.Preemption) error {
	if err := e.preempt(ctx, queued.pod, p); err != nil {
		return err
	}
	if queued.delayed = e.randomness.bindDelayed(); !queued.delayed {
		return e.bind(queued.pod, p.Node)
	}
	nominated := *queued.pod
	nominated.Status.NominatedNodeName = p.Node
	queued.pod, queued.stored = &nominated, true
	heap.Push(&e.queue, queued)
	return e.edit(cluster.Put(&nominated))
}

// preempt removes the victims that the scheduler chose, and has their owners replace them.
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

// terminationGracePeriod is how long a pod may take to end.
func terminationGracePeriod(pod *corev1.Pod) time.Duration {
	if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

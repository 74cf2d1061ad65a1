package simulation

import (
	"container/heap"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// preemptFor preempts victims and binds the pod to their node. If other pods are scheduled before the victims are gone, the pod is
// only nominated for the node, and may have to be scheduled elsewhere.
func (e *engine) preemptFor(ctx context.Context, queued *queuedPod, p scheduling.Preemption) error {
	queued.delayed = e.randomness.bindDelayed()
	if err := e.preempt(ctx, queued.pod, p, queued.delayed); err != nil {
		return err
	}
	if !queued.delayed {
		return e.bind(queued.pod, p.Node)
	}
	nominated := *queued.pod
	nominated.Status.NominatedNodeName = p.Node
	queued.pod, queued.stored = &nominated, true
	if e.waitsForVictims(&nominated) {
		e.queue.addTried(queued)
	} else {
		heap.Push(&e.queue, queued)
	}
	return e.edit(cluster.Put(&nominated))
}

// preempt removes the victims that the scheduler chose, and has their owners replace them. Gracefully they still terminate while
// other pods are scheduled.
func (e *engine) preempt(ctx context.Context, pod *corev1.Pod, p scheduling.Preemption, gracefully bool) error {
	e.budgets.recordViolations(p.Victims...)
	for _, victim := range p.Victims {
		e.fates.markPreempted(victim, podRef(pod), e.now+terminationGracePeriod(victim))
	}
	slow := func(victim *corev1.Pod) bool { return gracefully && terminatesSlowly(victim) }
	for _, victim := range p.Victims {
		if !slow(victim) {
			continue
		}
		if err := e.terminateVictim(ctx, victim); err != nil {
			return err
		}
	}
	return e.removeVictims(ctx, slices.DeleteFunc(slices.Clone(p.Victims), slow))
}

// terminateVictim deletes a victim that still terminates while other pods are scheduled. Until it has ended, the scheduler preempts
// no others for the pod nominated for its node, but counts it among the victims of further pods.
//
// Source: pkg/scheduler/framework/plugins/defaultpreemption of Kubernetes (podTerminatingByPreemption).
func (e *engine) terminateVictim(ctx context.Context, victim *corev1.Pod) error {
	ending := e.terminatingPod(victim)
	ending.Status.Conditions = append(slices.Clone(ending.Status.Conditions), corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler, LastTransitionTime: *e.apiTime(),
	})
	if !e.replacedOnTermination(victim) {
		return e.terminateThen(victim, ending, func(ctx context.Context) error { return e.removeAndReplaceNow(ctx, victim) })
	}
	err := e.terminateThen(victim, ending, func(context.Context) error {
		e.retryUnschedulable()
		return e.edit(cluster.Remove(ending))
	})
	if err != nil {
		return err
	}
	e.decrementActive(victim)
	return e.replacePod(ctx, victim)
}

// removeVictims removes victims that are gone at once, and has their owners replace them.
func (e *engine) removeVictims(ctx context.Context, victims []*corev1.Pod) error {
	edits := e.budgets.markUnhealthy(victims...)
	for _, victim := range victims {
		edits = append(edits, cluster.Remove(victim))
	}
	if err := e.edit(edits...); err != nil {
		return err
	}
	e.retryUnschedulable()
	for _, victim := range victims {
		e.decrementActive(victim)
		if err := e.replacePod(ctx, victim); err != nil {
			return err
		}
	}
	return nil
}

// waitsForVictims says whether victims of a nominated pod still terminate on its node.
func (e *engine) waitsForVictims(pod *corev1.Pod) bool {
	node := pod.Status.NominatedNodeName
	return node != "" && slices.ContainsFunc(e.pods.onNode(node), func(other *corev1.Pod) bool {
		return other.DeletionTimestamp != nil && corev1helpers.PodPriority(other) < corev1helpers.PodPriority(pod) && slices.ContainsFunc(other.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler
		})
	})
}

// terminationGracePeriod is how long a pod may take to end.
func terminationGracePeriod(pod *corev1.Pod) time.Duration {
	if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

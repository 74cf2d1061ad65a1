package engine

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/queue"
)

// preemptFor preempts victims and binds the pod to their node. If other pods are scheduled before the victims are gone, the pod is
// only nominated for the node, and may have to be scheduled elsewhere.
func (e *Engine) preemptFor(ctx context.Context, queued *queue.Pod, p scheduling.Preemption) error {
	queued.Delayed = e.Randomness.BindDelayed()
	if err := e.preempt(ctx, queued.Pod, p, queued.Delayed); err != nil {
		return err
	}
	if !queued.Delayed {
		return e.Bind(queued.Pod, p.Node)
	}
	nominated := *queued.Pod
	nominated.Status.NominatedNodeName = p.Node
	queued.Pod, queued.Stored = &nominated, true
	if e.waitsForVictims(&nominated) {
		e.Queue.AddTried(queued)
	} else {
		e.Queue.AddAgain(queued)
	}
	return e.Edit(cluster.Put(&nominated))
}

// preempt removes the victims that the scheduler chose, and has their owners replace them. Gracefully they still terminate while
// other pods are scheduled. Those that are not bound yet only wait again.
func (e *Engine) preempt(ctx context.Context, pod *corev1.Pod, p scheduling.Preemption, gracefully bool) error {
	var victims []*corev1.Pod
	for _, victim := range p.Victims {
		if !e.isInPreBind(victim) {
			victims = append(victims, victim)
		} else if err := e.cancelBinding(victim); err != nil {
			return err
		}
	}
	e.Budgets.RecordViolations(victims...)
	for _, victim := range victims {
		e.Fates.MarkPreempted(victim, names.PodRef(pod), e.now+terminationGracePeriod(victim))
	}
	slow := func(victim *corev1.Pod) bool { return gracefully && terminatesSlowly(victim) }
	for _, victim := range victims {
		if !slow(victim) {
			continue
		}
		if err := e.terminateVictim(ctx, victim); err != nil {
			return err
		}
	}
	return e.removeVictims(ctx, slices.DeleteFunc(victims, slow))
}

// terminateVictim deletes a victim that still terminates while other pods are scheduled. Until it has ended, the scheduler preempts
// no others for the pod nominated for its node, but counts it among the victims of further pods.
//
// Source: pkg/scheduler/framework/plugins/defaultpreemption of Kubernetes (podTerminatingByPreemption).
func (e *Engine) terminateVictim(ctx context.Context, victim *corev1.Pod) error {
	if e.Randomness.CountsBudgetsLater() {
		e.Budgets.MarkUnhealthyUnpublished(victim)
	}
	ending := e.terminatingPod(victim)
	ending.Status.Conditions = append(slices.Clone(ending.Status.Conditions), corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler, LastTransitionTime: *e.APITime(),
	})
	if !e.owners.ReplacedOnTermination(victim) {
		return e.terminateThen(victim, ending, func(ctx context.Context) error { return e.RemoveAndReplaceNow(ctx, victim) })
	}
	err := e.terminateThen(victim, ending, func(context.Context) error {
		e.RetryUnschedulable()
		return e.Edit(cluster.Remove(ending))
	})
	if err != nil {
		return err
	}
	e.DecrementActive(victim)
	return e.owners.ReplacePod(ctx, victim)
}

// removeVictims removes victims that are gone at once, and has their owners replace them.
func (e *Engine) removeVictims(ctx context.Context, victims []*corev1.Pod) error {
	edits := e.Budgets.MarkUnhealthy(victims...)
	for _, victim := range victims {
		edits = append(edits, cluster.Remove(victim))
	}
	if err := e.Edit(edits...); err != nil {
		return err
	}
	e.RetryUnschedulable()
	for _, victim := range victims {
		e.DecrementActive(victim)
		if err := e.owners.ReplacePod(ctx, victim); err != nil {
			return err
		}
	}
	return nil
}

// waitsForVictims reports whether victims of a nominated pod still terminate on its node.
func (e *Engine) waitsForVictims(pod *corev1.Pod) bool {
	node := pod.Status.NominatedNodeName
	return node != "" && slices.ContainsFunc(e.Pods.OnNode(node), func(other *corev1.Pod) bool {
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

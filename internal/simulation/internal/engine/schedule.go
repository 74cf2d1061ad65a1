package engine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/queue"
)

// enqueue adds a pod to the scheduling queue.
func (e *Engine) enqueue(pod *corev1.Pod) {
	e.Queue.Add(pod, e.now, e.Randomness.Delayed())
}

// RetryUnschedulable has unschedulable pods tried again, since something may have made them schedulable.
func (e *Engine) RetryUnschedulable() { e.Queue.Retry() }

// Schedule schedules pods until the queue has none left to try.
func (e *Engine) Schedule(ctx context.Context) error {
	for queued := e.Queue.Next(e.Randomness); queued != nil; queued = e.Queue.Next(e.Randomness) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Queue.Attempt() {
			e.Gaps.Note("scheduling", sentence.GapAttempts(e.Queue.MaxAttempts))
			e.Queue.AddTried(queued)
			continue
		}
		if e.Budgets.HasUnpublished() && e.Randomness.BudgetsCounted() {
			if err := e.Edit(e.Budgets.Publish()...); err != nil {
				return err
			}
		}
		if err := e.scheduleOne(ctx, queued); err != nil {
			return err
		}
		if err := e.endBeforeNextPod(ctx); err != nil {
			return err
		}
	}
	if e.Budgets.HasUnpublished() {
		return e.Edit(e.Budgets.Publish()...)
	}
	return nil
}

func (e *Engine) scheduleOne(ctx context.Context, queued *queue.Pod) error {
	class := queue.ClassOf(queued.Pod)
	if queued.Pod.Status.NominatedNodeName == "" && e.Queue.KnownUnschedulable(class) { // A nominated pod is not like others of its class.
		return e.handleFailure(queued)
	}
	placement, err := e.Judge.Place(ctx, e.podForJudge(queued.Pod))
	switch {
	case err != nil:
		return fmt.Errorf("placing %s: %w", names.PodRef(queued.Pod), err)
	case placement.Node != "":
		return e.Bind(queued.Pod, placement.Node)
	case placement.Preemption != nil:
		return e.preemptFor(ctx, queued, *placement.Preemption)
	case e.waitsForVictims(queued.Pod):
		e.Queue.AddTried(queued)
		return nil
	}
	e.Queue.MarkUnschedulable(class)
	return e.handleFailure(queued)
}

// handleFailure keeps a pod as unschedulable. The capacity of the node that it was nominated for is free again.
func (e *Engine) handleFailure(queued *queue.Pod) error {
	if queued.Pod.Status.NominatedNodeName != "" {
		free := *queued.Pod
		free.Status.NominatedNodeName = ""
		queued.Pod, queued.Stored = &free, false
		e.RetryUnschedulable()
	}
	e.Queue.AddTried(queued)
	e.Fates.MarkWaiting(queued.Pod)
	if queued.Stored {
		return nil
	}
	queued.Stored = true
	return e.Edit(cluster.Put(queued.Pod))
}

// podForJudge is the pod as the Judge can schedule it: a pod of another scheduler is treated as one of kube-scheduler, which is
// noted as a gap.
func (e *Engine) podForJudge(pod *corev1.Pod) *corev1.Pod {
	if e.Judge.Models(pod) {
		return pod
	}
	profiles := e.Judge.Basis().Profiles
	if len(profiles) == 0 {
		return pod
	}
	e.Gaps.Note(pod.Spec.SchedulerName, sentence.GapScheduler(pod.Spec.SchedulerName))
	modelled := *pod
	modelled.Spec.SchedulerName = profiles[0]
	return &modelled
}

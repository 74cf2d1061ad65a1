package simulation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/queue"
)

// enqueue adds a pod to the scheduling queue.
func (e *engine) enqueue(pod *corev1.Pod) {
	e.queue.Add(pod, e.now, e.randomness.Delayed())
}

// retryUnschedulable has unschedulable pods tried again, since something may have made them schedulable.
func (e *engine) retryUnschedulable() { e.queue.Retry() }

// schedule schedules pods until the queue has none left to try.
func (e *engine) schedule(ctx context.Context) error {
	for queued := e.queue.Next(e.randomness); queued != nil; queued = e.queue.Next(e.randomness) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.queue.Attempt() {
			e.gaps.Note("scheduling", message.Of(message.GapAttempts, message.Args{"attempts": e.queue.MaxAttempts}))
			e.queue.AddTried(queued)
			continue
		}
		if err := e.scheduleOne(ctx, queued); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) scheduleOne(ctx context.Context, queued *queue.Pod) error {
	class := queue.ClassOf(queued.Pod)
	if queued.Pod.Status.NominatedNodeName == "" && e.queue.KnownUnschedulable(class) { // A nominated pod is not like others of its class.
		return e.handleFailure(queued)
	}
	placement, err := e.judge.Place(ctx, e.podForJudge(queued.Pod))
	switch {
	case err != nil:
		return fmt.Errorf("placing %s: %w", names.PodRef(queued.Pod), err)
	case placement.Node != "":
		return e.bind(queued.Pod, placement.Node)
	case placement.Preemption != nil:
		return e.preemptFor(ctx, queued, *placement.Preemption)
	case e.waitsForVictims(queued.Pod):
		e.queue.AddTried(queued)
		return nil
	}
	e.queue.MarkUnschedulable(class)
	return e.handleFailure(queued)
}

// handleFailure keeps a pod as unschedulable. The capacity of the node that it was nominated for is free again.
func (e *engine) handleFailure(queued *queue.Pod) error {
	if queued.Pod.Status.NominatedNodeName != "" {
		free := *queued.Pod
		free.Status.NominatedNodeName = ""
		queued.Pod, queued.Stored = &free, false
		e.retryUnschedulable()
	}
	e.queue.AddTried(queued)
	e.fates.MarkWaiting(queued.Pod)
	if queued.Stored {
		return nil
	}
	queued.Stored = true
	return e.edit(cluster.Put(queued.Pod))
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
	e.gaps.Note(pod.Spec.SchedulerName, message.Of(message.GapScheduler, message.Args{"scheduler": pod.Spec.SchedulerName}))
	modelled := *pod
	modelled.Spec.SchedulerName = profiles[0]
	return &modelled
}

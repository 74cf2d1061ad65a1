package simulation

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// removeAndReplace removes a pod, as an eviction on a healthy node does, and has its owner replace it: at once or, if the owner
// creates no other before, when the pod is gone.
func (e *engine) removeAndReplace(ctx context.Context, pod *corev1.Pod) error {
	switch {
	case !terminatesSlowly(pod) || !e.replacedOnTermination(pod) && e.randomness.EndsBeforeReplacement():
		return e.removeAndReplaceNow(ctx, pod)
	case e.replacedOnTermination(pod):
		return e.terminateAndReplace(ctx, pod)
	}
	return e.terminateThen(pod, e.terminatingPod(pod), func(ctx context.Context) error { return e.removeAndReplaceNow(ctx, pod) })
}

// terminatesSlowly says whether a pod that is deleted still runs for a while.
func terminatesSlowly(pod *corev1.Pod) bool {
	return pod.Spec.NodeName != "" && !cluster.Ended(pod) && pod.DeletionTimestamp == nil && terminationGracePeriod(pod) > 0
}

// terminateThen deletes a pod that still takes up its node's capacity when the pods that are queued now are scheduled. Then follows
// what happens once it has ended.
func (e *engine) terminateThen(pod, ending *corev1.Pod, ended func(context.Context) error) error {
	if err := e.edit(append(e.budgets.MarkUnhealthy(pod), cluster.Put(ending))...); err != nil {
		return err
	}
	e.after(0, func(ctx context.Context) error {
		if now := e.pods.Get(pod.Namespace, pod.Name); now == nil || now.UID != pod.UID {
			return nil
		}
		return ended(ctx)
	})
	return nil
}

// removeAndReplaceNow is removeAndReplace for a pod that is gone before its owner reacts.
func (e *engine) removeAndReplaceNow(ctx context.Context, pod *corev1.Pod) error {
	if err := e.edit(append(e.budgets.MarkUnhealthy(pod), cluster.Remove(pod))...); err != nil {
		return err
	}
	e.retryUnschedulable()
	e.decrementActive(pod)
	return e.replacePod(ctx, pod)
}

// replacedOnTermination says whether a pod's owner creates another as soon as the pod is being deleted.
//
// Source: pkg/controller/replicaset of Kubernetes (claimPods and manageReplicas count no pod that is being deleted).
func (e *engine) replacedOnTermination(pod *corev1.Pod) bool {
	switch e.world().Owner(pod).(type) {
	case *appsv1.ReplicaSet, *corev1.ReplicationController:
		return true
	default:
		return false
	}
}

// terminateAndReplace is removeAndReplace for a pod that still takes up its node's capacity when its replacement is scheduled.
func (e *engine) terminateAndReplace(ctx context.Context, pod *corev1.Pod) error {
	if err := e.terminate(pod); err != nil {
		return err
	}
	e.decrementActive(pod)
	return e.replacePod(ctx, pod)
}

// removePodGracefully is removePod for a pod that still terminates while others are created in its place.
func (e *engine) removePodGracefully(pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" {
		return e.removePod(pod)
	}
	e.decrementActive(pod)
	return e.terminate(pod)
}

// terminate deletes a pod. It is gone after the scheduler has handled the pods that are queued now or, by chance, at once.
func (e *engine) terminate(pod *corev1.Pod) error {
	if e.randomness.EndsBeforeReplacement() {
		e.retryUnschedulable()
		return e.edit(append(e.budgets.MarkUnhealthy(pod), cluster.Remove(pod))...)
	}
	ending := e.terminatingPod(pod)
	return e.terminateThen(pod, ending, func(context.Context) error {
		e.retryUnschedulable()
		return e.edit(cluster.Remove(ending))
	})
}

// leaveTerminating leaves a pod Terminating on a node whose kubelet cannot confirm that its containers ended, and has its owner
// react.
func (e *engine) leaveTerminating(ctx context.Context, pod *corev1.Pod) error {
	stuck := e.terminatingPod(pod)
	if err := e.edit(append(e.budgets.MarkUnhealthy(pod), cluster.Put(stuck))...); err != nil {
		return err
	}
	e.retryUnschedulable()
	if e.replacedAfterRemoval(pod) {
		return nil // Its owner creates no other before this one is removed.
	}
	e.decrementActive(pod)
	e.delayUntilDetached(pod)
	e.releaseQuotaAfterGrace(stuck)
	return e.replacePod(ctx, pod)
}

// bind binds a pod to a node. The capacity of another node that it was nominated for is free again.
func (e *engine) bind(pod *corev1.Pod, node string) error {
	if nominated := pod.Status.NominatedNodeName; nominated != "" && nominated != node {
		e.retryUnschedulable()
	}
	placed := e.runningPod(pod, node)
	edits := e.provisionVolumes(placed)
	held, shared := e.attachedElsewhere(placed)
	if held != nil || shared && e.attachContested(placed) {
		return e.bindBeforeAttach(pod, placed, held, edits)
	}
	edits = append(append(edits, cluster.Put(placed)), e.markHealthy(placed)...)
	if err := e.edit(edits...); err != nil {
		return err
	}
	e.queue.MarkBound()
	e.podRuns(pod, node)
	return nil
}

// podRuns records that a pod runs on a node, which a StatefulSet that creates its pods in order may have waited for.
func (e *engine) podRuns(pod *corev1.Pod, node string) {
	if record := e.fates.Of(pod); e.timeUnknown && record.Fate.Kind == outcome.Waiting && !record.Pending && record.Delay.Why.ID == "" {
		record.Delay.Why = message.Of(message.FateOnceGone, nil)
	}
	if record := e.fates.Of(pod); record.Pending && (record.Fate.Kind == "" || record.Fate.Kind == outcome.Waiting) {
		e.after(0, func(context.Context) error { return e.continueStatefulSet(pod) })
	}
	e.fates.MarkRunning(pod, node, e.elapsed())
}

// markHealthy counts a new pod as healthy: at once or, by chance, only after a rollout that does not wait for it.
func (e *engine) markHealthy(pod *corev1.Pod) []cluster.Edit {
	if e.rollingOut && e.randomness.Delayed() {
		e.delayedReady = append(e.delayedReady, pod)
		e.budgets.Hold(pod)
		return nil
	}
	return e.budgets.MarkHealthy(pod)
}

// markDelayedHealthy counts the delayed pods as healthy, if they still exist.
func (e *engine) markDelayedHealthy() error {
	var edits []cluster.Edit
	for _, pod := range e.delayedReady {
		if now := e.pods.Get(pod.Namespace, pod.Name); now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil {
			e.budgets.Release(pod)
			edits = append(edits, e.budgets.MarkHealthy(pod)...)
		}
	}
	e.delayedReady = nil
	return e.edit(edits...)
}

// decrementActive takes a pod from its controller's active pods.
func (e *engine) decrementActive(pod *corev1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && pod.DeletionTimestamp == nil {
		e.activePods[owner.UID] = e.activeCount(owner) - 1
	}
}

// incrementActive adds a pod to its controller's active pods.
func (e *engine) incrementActive(pod *corev1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		e.activePods[owner.UID] = e.activeCount(owner) + 1
	}
}

// activeCount is the number of a controller's active pods.
func (e *engine) activeCount(owner *metav1.OwnerReference) int {
	n, ok := e.activePods[owner.UID]
	if !ok {
		for _, pod := range e.initial.PodsOf(owner.UID) {
			if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
				n++
			}
		}
		e.activePods[owner.UID] = n
	}
	return n
}

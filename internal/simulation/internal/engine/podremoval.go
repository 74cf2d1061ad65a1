package engine

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// RemoveAndReplace removes a pod, as an eviction on a healthy node does, and has its owner replace it: at once or, if the owner
// creates no other before, when the pod is gone.
func (e *Engine) RemoveAndReplace(ctx context.Context, pod *corev1.Pod) error {
	switch {
	case !terminatesSlowly(pod) || !e.owners.ReplacedOnTermination(pod) && e.Randomness.EndsBeforeReplacement():
		return e.RemoveAndReplaceNow(ctx, pod)
	case e.owners.ReplacedOnTermination(pod):
		return e.terminateAndReplace(ctx, pod)
	}
	return e.terminateThen(pod, e.terminatingPod(pod), func(ctx context.Context) error { return e.RemoveAndReplaceNow(ctx, pod) })
}

// terminatesSlowly reports whether a pod that is deleted still runs for a while.
func terminatesSlowly(pod *corev1.Pod) bool {
	return pod.Spec.NodeName != "" && !cluster.Ended(pod) && pod.DeletionTimestamp == nil && terminationGracePeriod(pod) > 0
}

// terminateThen deletes a pod that still takes up its node's capacity when the pods that are queued now are scheduled or, in some
// futures, only some of them. Then follows what happens once it has ended.
func (e *Engine) terminateThen(pod, ending *corev1.Pod, ended func(context.Context) error) error {
	if err := e.Edit(append(e.Budgets.MarkUnhealthy(pod), cluster.Put(ending))...); err != nil {
		return err
	}
	end := func(ctx context.Context) error {
		if now := e.Pods.Get(pod.Namespace, pod.Name); now == nil || now.UID != pod.UID {
			return nil
		}
		return ended(ctx)
	}
	e.terminating = append(e.terminating, end)
	e.After(0, end)
	return nil
}

// endBeforeNextPod ends, in some futures, a terminating pod before the next pod is scheduled.
func (e *Engine) endBeforeNextPod(ctx context.Context) error {
	i, ends := e.Randomness.EndsBeforeNextPod(len(e.terminating))
	if !ends {
		return nil
	}
	end, last := e.terminating[i], len(e.terminating)-1
	e.terminating[i] = e.terminating[last]
	e.terminating = e.terminating[:last]
	return end(ctx)
}

// RemoveAndReplaceNow is RemoveAndReplace for a pod that is gone before its owner reacts.
func (e *Engine) RemoveAndReplaceNow(ctx context.Context, pod *corev1.Pod) error {
	if err := e.Edit(append(e.Budgets.MarkUnhealthy(pod), cluster.Remove(pod))...); err != nil {
		return err
	}
	e.RetryUnschedulable()
	e.DecrementActive(pod)
	return e.owners.ReplacePod(ctx, pod)
}

// terminateAndReplace is RemoveAndReplace for a pod that still takes up its node's capacity when its replacement is scheduled.
func (e *Engine) terminateAndReplace(ctx context.Context, pod *corev1.Pod) error {
	if err := e.terminate(pod); err != nil {
		return err
	}
	e.DecrementActive(pod)
	return e.owners.ReplacePod(ctx, pod)
}

// RemovePodGracefully is RemovePod for a pod that still terminates while others are created in its place.
func (e *Engine) RemovePodGracefully(pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" {
		return e.RemovePod(pod)
	}
	e.DecrementActive(pod)
	return e.terminate(pod)
}

// terminate deletes a pod. It is gone after the scheduler has handled the pods that are queued now or, in some futures, at once.
func (e *Engine) terminate(pod *corev1.Pod) error {
	if e.Randomness.EndsBeforeReplacement() {
		e.RetryUnschedulable()
		return e.Edit(append(e.Budgets.MarkUnhealthy(pod), cluster.Remove(pod))...)
	}
	ending := e.terminatingPod(pod)
	return e.terminateThen(pod, ending, func(context.Context) error {
		e.RetryUnschedulable()
		return e.Edit(cluster.Remove(ending))
	})
}

// LeaveTerminating leaves a pod Terminating on a node whose kubelet cannot confirm that its containers ended, and has its owner
// react.
func (e *Engine) LeaveTerminating(ctx context.Context, pod *corev1.Pod) error {
	stuck := e.terminatingPod(pod)
	if err := e.Edit(append(e.Budgets.MarkUnhealthy(pod), cluster.Put(stuck))...); err != nil {
		return err
	}
	e.RetryUnschedulable()
	if e.owners.ReplacedAfterRemoval(pod) {
		return nil // Its owner creates no other before this one is removed.
	}
	e.DecrementActive(pod)
	e.DelayUntilDetached(pod)
	e.releaseQuotaAfterGrace(stuck)
	return e.owners.ReplacePod(ctx, pod)
}

// Bind binds a pod to a node. The capacity of another node that it was nominated for is free again.
func (e *Engine) Bind(pod *corev1.Pod, node string) error {
	if nominated := pod.Status.NominatedNodeName; nominated != "" && nominated != node {
		e.RetryUnschedulable()
	}
	placed := e.runningPod(pod, node)
	edits := e.provisionVolumes(placed)
	if at := e.World().Node(node); at != nil && kube.IsNodeUnreachable(at) {
		return e.bindToUnreachable(pod, placed, edits)
	}
	held, shared := e.attachedElsewhere(placed)
	if held != nil || shared && e.attachContested(placed) {
		return e.bindBeforeAttach(pod, placed, held, edits)
	}
	if !e.assignAddress(placed) {
		return e.bindWithoutAddress(pod, placed, edits)
	}
	if len(edits) > 0 {
		e.provisionedAt[placed.UID] = e.now
	}
	edits = append(append(edits, cluster.Put(placed)), e.markHealthy(placed)...)
	if err := e.Edit(edits...); err != nil {
		return err
	}
	e.Queue.MarkBound()
	e.podRuns(pod, node)
	return nil
}

// bindToUnreachable binds a pod that tolerates the taints of an unreachable node: no kubelet starts it there.
func (e *Engine) bindToUnreachable(pod, placed *corev1.Pod, edits []cluster.Edit) error {
	e.Fates.Of(pod)
	pending := e.startingPod(placed)
	if err := e.Edit(append(edits, cluster.Put(pending))...); err != nil {
		return err
	}
	e.Queue.MarkBound()
	e.Fates.MarkBound(pending, sentence.FateUnreachable(names.NodeRef(pending.Spec.NodeName)))
	return nil
}

// podRuns records that a pod runs on a node, which a StatefulSet that creates its pods in order may have waited for.
func (e *Engine) podRuns(pod *corev1.Pod, node string) {
	if record := e.Fates.Of(pod); e.timeUnknown && record.Fate.Kind == outcome.Waiting && !record.Pending && record.Delay.Why.ID == "" {
		record.Delay.Why = sentence.FateOnceGone()
		if record.Fate.Why.ID == message.FateAddressSubnets {
			record.Delay.Why = sentence.FateAddressOnceGone(names.NodeRef(node))
		}
	}
	if record := e.Fates.Of(pod); record.Pending && (record.Fate.Kind == "" || record.Fate.Kind == outcome.Waiting) {
		e.After(0, func(context.Context) error { return e.owners.ContinueStatefulSet(pod) })
	}
	e.Fates.MarkRunning(pod, node, e.Elapsed())
}

// DecrementActive takes a pod from its controller's active pods.
func (e *Engine) DecrementActive(pod *corev1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && pod.DeletionTimestamp == nil {
		e.activePods[owner.UID] = e.ActiveCount(owner) - 1
	}
}

// incrementActive adds a pod to its controller's active pods.
func (e *Engine) incrementActive(pod *corev1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		e.activePods[owner.UID] = e.ActiveCount(owner) + 1
	}
}

// ActiveCount is the number of a controller's active pods.
func (e *Engine) ActiveCount(owner *metav1.OwnerReference) int {
	n, ok := e.activePods[owner.UID]
	if !ok {
		n = initiallyActive(e.Initial, owner.UID)
		e.activePods[owner.UID] = n
	}
	return n
}

// initiallyActiveKey is the key of initiallyActive in a Snapshot's memo: futures begin with the same Snapshot.
type initiallyActiveKey struct{ controller types.UID }

// initiallyActive is the number of a controller's active pods in a Snapshot.
func initiallyActive(world *cluster.Snapshot, controller types.UID) int {
	return cluster.Memoize(world, initiallyActiveKey{controller}, func() int {
		n := 0
		for _, pod := range world.PodsOf(controller) {
			if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
				n++
			}
		}
		return n
	})
}

// RemovePod removes a pod that its owner does not replace.
func (e *Engine) RemovePod(pod *corev1.Pod) error {
	e.Queue.Remove(pod)
	e.DecrementActive(pod)
	e.RetryUnschedulable()
	return e.Edit(append(e.Budgets.MarkUnhealthy(pod), cluster.Remove(pod))...)
}

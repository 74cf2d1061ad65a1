package simulation

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// leave takes a pod away, as an eviction on a living node does, and lets its owner react.
func (f *future) leave(ctx context.Context, pod *corev1.Pod) error {
	if f.replacedAtOnce(pod) {
		return f.leaveInTime(ctx, pod)
	}
	return f.vanish(ctx, pod)
}

// vanish is leave for a pod that is gone before its owner reacts.
func (f *future) vanish(ctx context.Context, pod *corev1.Pod) error {
	if err := f.apply(append(f.budgets.gone(pod), cluster.Remove(pod))...); err != nil {
		return err
	}
	f.room()
	f.uncount(pod)
	return f.replace(ctx, pod)
}

// replacedAtOnce says whether a pod's owner makes another as soon as the pod is told to end.
//
// Source: pkg/controller/replicaset of Kubernetes (claimPods and manageReplicas count no pod that is being deleted).
func (f *future) replacedAtOnce(pod *corev1.Pod) bool {
	if pod.Spec.NodeName == "" || cluster.Ended(pod) || pod.DeletionTimestamp != nil || graceOf(pod) == 0 {
		return false
	}
	switch f.world().Owner(pod).(type) {
	case *appsv1.ReplicaSet, *corev1.ReplicationController:
		return true
	default:
		return false
	}
}

// leaveInTime is leave for a pod whose replacement comes to the scheduler while the pod still ends, and takes up its room.
func (f *future) leaveInTime(ctx context.Context, pod *corev1.Pod) error {
	if err := f.terminate(pod); err != nil {
		return err
	}
	f.uncount(pod)
	return f.replace(ctx, pod)
}

// retireInTime is retire for a pod in whose place others come while it still ends.
func (f *future) retireInTime(pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" {
		return f.retire(pod)
	}
	f.uncount(pod)
	return f.terminate(pod)
}

// terminate tells a pod to end. It is gone once the scheduler has looked at what asks for a node by now, or, if it so falls, at once.
func (f *future) terminate(pod *corev1.Pod) error {
	if f.chance.endsFirst() {
		f.room()
		return f.apply(append(f.budgets.gone(pod), cluster.Remove(pod))...)
	}
	ending := f.terminating(pod)
	if err := f.apply(append(f.budgets.gone(pod), cluster.Put(ending))...); err != nil {
		return err
	}
	f.in(0, func(context.Context) error {
		if now := f.pods.get(pod.Namespace, pod.Name); now == nil || now.UID != pod.UID {
			return nil
		}
		f.room()
		return f.apply(cluster.Remove(ending))
	})
	return nil
}

// hang leaves a pod Terminating on a node that cannot say that its containers have ended, and lets its owner react as far
// as it does then.
func (f *future) hang(ctx context.Context, pod *corev1.Pod) error {
	stuck := f.terminating(pod)
	if err := f.apply(append(f.budgets.gone(pod), cluster.Put(stuck))...); err != nil {
		return err
	}
	f.room()
	if f.waitsForEnd(pod) {
		return nil // Its owner makes no other before this one is gone.
	}
	f.uncount(pod)
	f.delayForVolume(pod)
	f.unchargeStuck(stuck)
	return f.replace(ctx, pod)
}

// bind gives a pod its node. If it was promised another, the room there is for others now.
func (f *future) bind(pod *corev1.Pod, node string) error {
	if promised := pod.Status.NominatedNodeName; promised != "" && promised != node {
		f.room()
	}
	placed := f.running(pod, node)
	edits := f.provision(placed)
	held, shared := f.attachedElsewhere(placed)
	if held != nil || shared && f.contested(placed) {
		return f.attachLater(pod, placed, held, edits)
	}
	edits = append(append(edits, cluster.Put(placed)), f.recovers(placed)...)
	if err := f.apply(edits...); err != nil {
		return err
	}
	f.queue.landed++
	f.lands(pod, node)
	return nil
}

// lands says that a pod runs on a node, which a StatefulSet that makes one pod after another may have waited for.
func (f *future) lands(pod *corev1.Pod, node string) {
	if l := f.book.lineOf(pod); f.sometime && l.fate.Kind == Waiting && !l.pending && l.delay.Why.ID == "" {
		l.delay.Why = message.Of(message.FateOnceGone, nil)
	}
	if l := f.book.lineOf(pod); l.pending && (l.fate.Kind == "" || l.fate.Kind == Waiting) {
		f.in(0, func(context.Context) error { return f.goOn(pod) })
	}
	f.book.lands(pod, node, f.until())
}

// recovers counts a new pod as healthy: at once, or, if it so falls, not before a rollout has gone on that does not wait
// for it.
func (f *future) recovers(pod *corev1.Pod) []cluster.Edit {
	if f.rolling && f.chance.late() {
		f.slow = append(f.slow, pod)
		f.budgets.down[pod.UID] = true
		return nil
	}
	return f.budgets.back(pod)
}

// recoverSlow counts the pods as healthy that were not in time, if they are there yet.
func (f *future) recoverSlow() error {
	var edits []cluster.Edit
	for _, pod := range f.slow {
		if now := f.pods.get(pod.Namespace, pod.Name); now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil {
			delete(f.budgets.down, pod.UID)
			edits = append(edits, f.budgets.back(pod)...)
		}
	}
	f.slow = nil
	return f.apply(edits...)
}

// uncount takes a pod from its controller's count.
func (f *future) uncount(pod *corev1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && pod.DeletionTimestamp == nil {
		f.active[owner.UID] = f.activeOf(owner) - 1
	}
}

// count adds a pod to its controller's count.
func (f *future) count(pod *corev1.Pod) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		f.active[owner.UID] = f.activeOf(owner) + 1
	}
}

// activeOf is how many pods a controller has that count for it.
func (f *future) activeOf(owner *metav1.OwnerReference) int {
	n, ok := f.active[owner.UID]
	if !ok {
		for _, pod := range f.present.PodsOf(owner.UID) {
			if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
				n++
			}
		}
		f.active[owner.UID] = n
	}
	return n
}

package engine

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// PodReady reports whether a pod is ready, or will be at once: one that terminates on a healthy node is soon recreated. A pod
// without the condition, as in a manifest, counts as ready.
func (e *Engine) PodReady(pod *corev1.Pod) bool {
	if pod.Spec.NodeName == "" || e.Budgets.IsUnhealthy(pod) || cluster.Ended(pod) {
		return false
	}
	if pod.DeletionTimestamp != nil {
		node := e.World().Node(pod.Spec.NodeName)
		return node != nil && !kube.IsNodeUnreachable(node)
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true
}

// IsWaiting reports whether a pod is unschedulable, waits on its node for a volume or an address, or is bound to a node that does not start it.
func (e *Engine) IsWaiting(pod *corev1.Pod) bool {
	record := e.Fates.Find(names.Of(pod))
	if record == nil {
		return pod.Spec.NodeName == "" // It was pending in the initial snapshot, and still is.
	}
	return record.Fate.Kind == outcome.Waiting && record.Fate.To == "" || e.isAttaching(pod) || e.waitsForAddress(pod) || e.isBoundToUnreachable(pod)
}

// isBoundToUnreachable reports whether a pod is bound to an unreachable node on which it has not started.
func (e *Engine) isBoundToUnreachable(pod *corev1.Pod) bool {
	current := e.Pods.Get(pod.Namespace, pod.Name)
	if current == nil || current.UID != pod.UID || current.Status.Phase != corev1.PodPending {
		return false
	}
	node := e.World().Node(current.Spec.NodeName)
	return node != nil && kube.IsNodeUnreachable(node)
}

// markHealthy counts a new pod as healthy: at once or, in some futures, only after a rollout that does not wait for it, or after the events
// of its first minute. A StatefulSet outside a rollout may wait for its pod before it creates or deletes another.
func (e *Engine) markHealthy(pod *corev1.Pod) []cluster.Edit {
	if (e.rollingOut || !ownedByStatefulSet(pod)) && e.Randomness.Delayed() {
		e.delayedReady = append(e.delayedReady, pod)
		e.Budgets.Hold(pod)
		return nil
	}
	return e.Budgets.MarkHealthy(pod)
}

// maxStart is how long a new pod takes at most to get ready.
const maxStart = time.Minute

// delayedGetReady reports whether the delayed pods get ready before the next event: if it is late enough and, in some futures, earlier.
func (e *Engine) delayedGetReady() bool {
	return len(e.delayedReady) > 0 && !e.rollingOut && (e.nextEvent()-e.now >= maxStart || !e.Randomness.Delayed())
}

// markDelayedHealthy counts the delayed pods as healthy, if they still exist.
func (e *Engine) markDelayedHealthy() error {
	var edits []cluster.Edit
	for _, pod := range e.delayedReady {
		if now := e.Pods.Get(pod.Namespace, pod.Name); now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil {
			e.Budgets.Release(pod)
			edits = append(edits, e.Budgets.MarkHealthy(pod)...)
		}
	}
	e.delayedReady = nil
	return e.Edit(edits...)
}

// WithDelayedReadiness runs a rollout that waits for its own pods only: in some futures, new pods count as healthy only after it.
func (e *Engine) WithDelayedReadiness(run func() error) error {
	e.rollingOut = true
	err := run()
	e.rollingOut = false
	return errors.Join(err, e.markDelayedHealthy())
}

func ownedByStatefulSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner != nil && owner.Kind == string(cluster.StatefulSet)
}

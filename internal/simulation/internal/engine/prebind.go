package engine

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// maxProvisioning is how long a driver may take to provision a pod's volumes once the scheduler has chosen a node.
const maxProvisioning = 30 * time.Second

// isInPreBind reports whether the scheduler still waits for a pod's volumes before it binds the pod. In the world it is bound at once: how long drivers take
// is not known.
func (e *Engine) isInPreBind(pod *corev1.Pod) bool {
	at, is := e.provisionedAt[pod.UID]
	return is && e.now-at < maxProvisioning && e.Randomness.Provisioning()
}

// cancelBinding has a victim of a preemption that is not bound yet wait for the scheduler again: it is not deleted. What was provisioned for it stays.
//
// Source: pkg/scheduler/framework/preemption of Kubernetes (Executor: a pod in PreBind is cancelled in place of its deletion).
func (e *Engine) cancelBinding(pod *corev1.Pod) error {
	delete(e.provisionedAt, pod.UID)
	waiting := *pod
	waiting.Spec.NodeName = ""
	waiting.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: pod.Status.QOSClass}
	if err := e.Edit(append(e.Budgets.MarkUnhealthy(pod), cluster.Put(&waiting))...); err != nil {
		return err
	}
	e.Queue.AddExisting(&waiting)
	e.RetryUnschedulable()
	e.Fates.MarkWaiting(&waiting)
	return nil
}

package workload

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
)

// Controllers are the controllers of workloads.
type Controllers struct {
	engine *engine.Engine

	// deferredReplicas are pods of StatefulSets that are created once those before them are ready.
	deferredReplicas []deferredReplica
	// scalingDown are StatefulSets that remove surplus pods one by one.
	scalingDown []types.NamespacedName
	// unfinishedRollouts are workloads, by their UIDs, whose rollouts began in this future and may not have ended.
	unfinishedRollouts map[types.UID]bool
	// finished are Deployments of a Snapshot, of which none was unfinished when they were looked at.
	finished []*appsv1.Deployment
	// jobFailures is the number of each Job's pods that failed in this future.
	jobFailures map[types.UID]int
	// ignoredJobFailures are those that the podFailurePolicy of their Job ignores.
	ignoredJobFailures map[types.UID]int
	// deletedByUser are pods, by their UIDs, that were deleted without being disrupted: they get no condition DisruptionTarget.
	deletedByUser map[types.UID]bool
	// jobBackoffs are when each Job's back-off ends, as time since the change began.
	jobBackoffs map[types.UID]time.Duration
}

// New is the controllers of workloads that act through an engine.
func New(e *engine.Engine) *Controllers {
	return &Controllers{
		engine: e, unfinishedRollouts: map[types.UID]bool{}, jobFailures: map[types.UID]int{}, ignoredJobFailures: map[types.UID]int{}, deletedByUser: map[types.UID]bool{},
		jobBackoffs: map[types.UID]time.Duration{},
	}
}

// ContinueOngoing has controllers go on with what they do in the initial snapshot.
func (w *Controllers) ContinueOngoing() error {
	if err := w.continueQuotaRefused(); err != nil {
		return err
	}
	w.continueScaleDowns()
	w.continueJobs()
	return nil
}

// Sync removes surplus pods, or creates deferred ones. It reports whether there were any.
func (w *Controllers) Sync() (again bool, err error) {
	removed, err := w.removeNextSurplus()
	if err != nil {
		return false, err
	}
	return removed || w.createDeferredReplicas(), nil
}

// NoteSettled notes the StatefulSets that keep surplus pods.
func (w *Controllers) NoteSettled() { w.noteScaleDowns() }

// Rebase moves all times, which count from the change, by the time that has passed before it.
func (w *Controllers) Rebase(lag time.Duration) {
	for job := range w.jobBackoffs {
		w.jobBackoffs[job] -= lag
	}
	for i := range w.deferredReplicas {
		w.deferredReplicas[i].deferredAt = 0
	}
}

// MarkDeletedByUser says that a pod is deleted without being disrupted.
func (w *Controllers) MarkDeletedByUser(pod *corev1.Pod) { w.deletedByUser[pod.UID] = true }

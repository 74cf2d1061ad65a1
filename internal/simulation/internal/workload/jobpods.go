package workload

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// SyncJob creates a Job's missing pods, or removes those that are too many.
//
// Source: pkg/controller/job of Kubernetes (manageJob).
func (w *Controllers) SyncJob(job *batchv1.Job) error {
	if jobFinished(job) {
		return nil
	}
	w.engine.AbandonRefused(w.engine.RefusedPodsOf(job.UID)) // The Job creates them again.
	active, lacking := w.activeJobPods(job)
	if lacking < 0 {
		why := sentence.FateScaled()
		if ptr.Deref(job.Spec.Suspend, false) {
			why = sentence.FateSuspended(job.Name)
		}
		return w.scaleDown(active, nil, -lacking, why)
	}
	w.createJobPods(job, lacking)
	return nil
}

// createJobPods creates a number of pods of a Job, none if it is negative.
func (w *Controllers) createJobPods(job *batchv1.Job, count int) {
	for range max(count, 0) {
		name := w.engine.Names.Pod(job.Namespace, job.Name+"-")
		w.engine.CreatePod(nil, w.engine.PodFromTemplate(&job.Spec.Template, job.Namespace, name, controllerRef("batch/v1", "Job", job)))
	}
}

// activeJobPods are a Job's active pods, and how many more it should have, or fewer if that is negative.
func (w *Controllers) activeJobPods(job *batchv1.Job) (active []*corev1.Pod, lacking int) {
	terminating := 0
	for _, pod := range w.engine.Pods.OwnedBy(job.UID) {
		switch {
		case cluster.Ended(pod):
		case pod.DeletionTimestamp != nil:
			terminating++
		default:
			active = append(active, pod)
		}
	}
	lacking = wantedJobPods(job, len(active)) - len(active)
	if lacking > 0 && replacesOnlyFailed(job) {
		lacking = max(lacking-terminating, 0)
	}
	return active, lacking
}

// wantedJobPods is how many active pods a Job should have.
func wantedJobPods(job *batchv1.Job, active int) int {
	if ptr.Deref(job.Spec.Suspend, false) {
		return 0
	}
	parallelism := int(ptr.Deref(job.Spec.Parallelism, 1))
	if job.Spec.Completions == nil {
		if job.Status.Succeeded > 0 {
			return active // After the first success no pods are created; those that run go on.
		}
		return parallelism
	}
	left := int(*job.Spec.Completions) - int(job.Status.Succeeded)
	if job.Spec.BackoffLimitPerIndex != nil {
		left -= countIndexes(ptr.Deref(job.Status.FailedIndexes, ""))
	}
	return max(min(parallelism, left), 0)
}

// continueJobs has Jobs create their missing pods, once the back-off after earlier failures is over.
func (w *Controllers) continueJobs() {
	if w.engine.Initial.Knowledge(cluster.Pod) != cluster.Complete {
		return
	}
	for _, job := range w.engine.Initial.Jobs() {
		_, lacked := w.activeJobPods(job)
		if jobFinished(job) || lacked <= 0 || !w.jobPodsCounted(job) && !w.jobRefusedByQuota(job) {
			continue
		}
		w.engine.After(jobBackoffAfter(int(job.Status.Failed)), func(context.Context) error {
			if now := w.engine.World().Job(job.Namespace, job.Name); now != nil && !jobFinished(now) {
				_, lacking := w.activeJobPods(now)
				w.createJobPods(now, min(lacking, lacked)) // Pods that failed since have a back-off of their own.
			}
			return nil
		})
	}
}

// jobRefusedByQuota reports whether quotas have refused a Job all of its pods.
func (w *Controllers) jobRefusedByQuota(job *batchv1.Job) bool {
	if job.Status.StartTime == nil || w.engine.QuotasOf(job.Namespace) == nil {
		return false
	}
	return w.refusedByQuotaOnly(w.engine.PodFromTemplate(&job.Spec.Template, job.Namespace, job.Name, controllerRef("batch/v1", "Job", job)))
}

// jobPodsCounted reports whether the Job controller has created pods for a Job, and has counted all that ended. Of other Jobs it
// is not known whether pods are missing or refused.
func (w *Controllers) jobPodsCounted(job *batchv1.Job) bool {
	if ptr.Deref(job.Spec.ManagedBy, batchv1.JobControllerName) != batchv1.JobControllerName || job.Status.StartTime == nil {
		return false
	}
	if job.Status.Active+job.Status.Succeeded+job.Status.Failed == 0 {
		return false
	}
	if u := job.Status.UncountedTerminatedPods; u != nil && len(u.Succeeded)+len(u.Failed) > 0 {
		return false
	}
	return !slices.ContainsFunc(w.engine.Pods.OwnedBy(job.UID), func(pod *corev1.Pod) bool {
		return cluster.Ended(pod) && slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
	})
}

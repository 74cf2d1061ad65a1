package simulation

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// fillJob gives a Job as many pods as it should have: it makes those that it lacks, and ends those that are too many.
//
// Source: pkg/controller/job of Kubernetes (manageJob).
func (f *future) fillJob(job *batchv1.Job) error {
	if over(job) {
		return nil
	}
	var active []*corev1.Pod
	terminating := 0
	for _, pod := range f.pods.of(job.UID) {
		switch {
		case cluster.Ended(pod):
		case pod.DeletionTimestamp != nil:
			terminating++
		default:
			active = append(active, pod)
		}
	}
	wanted := wantedOf(job, len(active))
	if surplus := len(active) - wanted; surplus > 0 {
		why := message.Of(message.FateScaled, nil)
		if ptr.Deref(job.Spec.Suspend, false) {
			why = message.Of(message.FateSuspended, message.Args{"job": job.Name})
		}
		return f.thin(active, surplus, why)
	}
	lacking := wanted - len(active)
	if replacesOnlyFailed(job) {
		lacking -= terminating
	}
	for range lacking {
		name := f.names.pod(job.Namespace, job.Name+"-")
		f.create(nil, f.fromTemplate(&job.Spec.Template, job.Namespace, name, ownerOf("batch/v1", "Job", job)))
	}
	return nil
}

// wantedOf is how many pods a Job that has some should have.
func wantedOf(job *batchv1.Job, active int) int {
	if ptr.Deref(job.Spec.Suspend, false) {
		return 0
	}
	parallelism := int(ptr.Deref(job.Spec.Parallelism, 1))
	if job.Spec.Completions == nil {
		if job.Status.Succeeded > 0 {
			return active // Once one has found the work done, the others run out and none follow.
		}
		return parallelism
	}
	left := int(*job.Spec.Completions) - int(job.Status.Succeeded)
	if job.Spec.BackoffLimitPerIndex != nil {
		left -= indexes(ptr.Deref(job.Status.FailedIndexes, ""))
	}
	return max(min(parallelism, left), 0)
}

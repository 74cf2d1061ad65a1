package workload

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// replacesOnlyFailed reports whether a Job creates a replacement only once a pod has failed, and not while it is being deleted.
//
// Source: KEP-3939; a Job with a podFailurePolicy always does.
func replacesOnlyFailed(job *batchv1.Job) bool {
	if policy := job.Spec.PodReplacementPolicy; policy != nil {
		return *policy == batchv1.Failed
	}
	return job.Spec.PodFailurePolicy != nil
}

// replaceJobPod replaces a pod unless the Job exceeds its backoffLimit. A pod that is evicted, preempted or lost with its node
// counts as failed.
//
// Source: pkg/controller/job of Kubernetes; KEP-3329 for podFailurePolicy (what counts as a disruption), KEP-3850 for
// backoffLimitPerIndex.
func (w *Controllers) replaceJobPod(ctx context.Context, pod *corev1.Pod, job *batchv1.Job) error {
	if jobFinished(job) {
		w.markLost(pod, sentence.FateJobOver(job.Name))
		return nil
	}
	action := disruptionAction(job)
	if w.deletedByUser[pod.UID] {
		action = ""
	}
	switch {
	case action == batchv1.PodFailurePolicyActionIgnore:
		w.ignoredJobFailures[job.UID]++
		return w.recreateAfterBackoff(pod, w.failuresForBackoff(job), job.UID)
	case action == batchv1.PodFailurePolicyActionFailJob:
		w.markLost(pod, sentence.FateJobPolicy(job.Name))
		return w.failJob(ctx, job)
	case job.Spec.BackoffLimitPerIndex != nil:
		return w.replaceIndexedJobPod(ctx, pod, job, action)
	}
	w.jobFailures[job.UID]++
	limit := 6 // k8s.io/api/batch/v1: the default of backoffLimit.
	if job.Spec.BackoffLimit != nil {
		limit = int(*job.Spec.BackoffLimit)
	}
	failed := int(job.Status.Failed) + w.jobFailures[job.UID]
	if failed > limit {
		w.markLost(pod, sentence.FateJobFailed(job.Name, limit))
		return w.failJob(ctx, job)
	}
	return w.recreateAfterBackoff(pod, w.failuresForBackoff(job), job.UID)
}

// failuresForBackoff is how many failures since a Job's last success prolong its back-off: those that its podFailurePolicy ignores
// as well. How many it ignored before, or how many came after its last success, is not known.
//
// Source: pkg/controller/job of Kubernetes (getNewFinishedPods, newBackoffRecord).
func (w *Controllers) failuresForBackoff(job *batchv1.Job) int {
	failures := w.jobFailures[job.UID] + w.ignoredJobFailures[job.UID]
	if job.Status.Succeeded == 0 {
		failures += int(job.Status.Failed)
	}
	return failures
}

// Delays before a Job creates another pod: twice as long after each failure, counted from the pod's end, and at least the time
// over which the controller batches pod events.
//
// Source: pkg/controller/job (DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, syncJobBatchPeriod).
const (
	jobBackoff    = 10 * time.Second
	maxJobBackoff = 10 * time.Minute
	jobSyncBatch  = time.Second
)

// recreateAfterBackoff replaces a pod once the back-off after a number of failures is over. Pods of a Job share its back-off:
// another failure delays all of them. A pod on an unreachable node counts as failed when its node was marked as not ready, so that
// most or all of the back-off is over when the pod is deleted.
func (w *Controllers) recreateAfterBackoff(pod *corev1.Pod, failures int, job types.UID) error {
	delay := jobBackoffAfter(failures)
	if node := w.engine.World().Node(pod.Spec.NodeName); node != nil && kube.IsNodeUnreachable(node) {
		delay -= w.engine.APITime().Sub(kube.NodeReady(node).LastTransitionTime.Time)
	}
	due := w.engine.Clock() + max(delay, jobSyncBatch)
	if job != "" {
		w.jobBackoffs[job] = max(w.jobBackoffs[job], due)
	}
	w.engine.After(due-w.engine.Clock(), func(context.Context) error { return w.recreateWhenDue(pod, job) })
	return nil
}

// jobBackoffAfter is how long a Job waits after a number of failures.
func jobBackoffAfter(failures int) time.Duration {
	if failures <= 0 {
		return jobSyncBatch
	}
	return min(jobBackoff<<min(failures-1, 10), maxJobBackoff) // 10 doublings exceed the maximum by far
}

// recreateWhenDue replaces the pod unless another has failed since and prolonged the back-off.
func (w *Controllers) recreateWhenDue(pod *corev1.Pod, job types.UID) error {
	if due := w.jobBackoffs[job]; due > w.engine.Clock() {
		w.engine.After(due-w.engine.Clock(), func(context.Context) error { return w.recreateWhenDue(pod, job) })
		return nil
	}
	return w.recreate(pod)
}

// replaceIndexedJobPod is replaceJobPod for Jobs that count failures by index.
func (w *Controllers) replaceIndexedJobPod(ctx context.Context, pod *corev1.Pod, job *batchv1.Job, action batchv1.PodFailurePolicyAction) error {
	limit := int(*job.Spec.BackoffLimitPerIndex)
	failed, err := strconv.Atoi(pod.Annotations[batchv1.JobIndexFailureCountAnnotation])
	if err != nil {
		failed = 0 // The first pod of an index has no annotation.
	}
	if failed+1 > limit || action == batchv1.PodFailurePolicyActionFailIndex {
		w.markLost(pod, sentence.FateJobIndex(job.Name, limit))
		w.jobFailures[job.UID]++
		if most := job.Spec.MaxFailedIndexes; most != nil && countIndexes(ptr.Deref(job.Status.FailedIndexes, ""))+w.jobFailures[job.UID] > int(*most) {
			return w.failJob(ctx, job)
		}
		return nil
	}
	return w.recreateAfterBackoff(pod, failed+1, "") // Each index has its own back-off.
}

// countIndexes is the number of indexes in a Job's status, as in "1,3-5".
func countIndexes(text string) int {
	n := 0
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		if err != nil {
			continue // There are none.
		}
		n++
		if last, err := strconv.Atoi(to); isRange && err == nil {
			n += last - first
		}
	}
	return n
}

// failJob fails a Job and removes its active pods.
func (w *Controllers) failJob(_ context.Context, job *batchv1.Job) error {
	failed := job.DeepCopy()
	failed.Status.Conditions = append(failed.Status.Conditions, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded, LastTransitionTime: *w.engine.APITime(),
	})
	if err := w.engine.Edit(cluster.Put(failed)); err != nil {
		return err
	}
	for _, pod := range w.engine.Pods.OwnedBy(job.UID) {
		if cluster.Ended(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		if err := w.engine.RemovePodGracefully(pod); err != nil {
			return err
		}
		w.markLost(pod, sentence.FateJobSibling(job.Name))
	}
	w.engine.AbandonRefused(w.engine.RefusedPodsOf(job.UID))
	for _, pod := range w.engine.Queue.PodsOf(job.UID) {
		w.engine.Queue.Remove(pod)
		w.markLost(pod, sentence.FateJobSibling(job.Name))
	}
	w.engine.RetryUnschedulable()
	return nil
}

// jobFinished reports whether a Job has completed, failed or is being deleted.
func jobFinished(job *batchv1.Job) bool {
	return job.DeletionTimestamp != nil || slices.ContainsFunc([]batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget},
		func(kind batchv1.JobConditionType) bool { return kube.TrueJobCondition(job, kind) != nil })
}

// disruptionAction is what a Job's podFailurePolicy does about a disrupted pod, empty if no rule applies.
func disruptionAction(job *batchv1.Job) batchv1.PodFailurePolicyAction {
	if job.Spec.PodFailurePolicy == nil {
		return ""
	}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		for _, condition := range rule.OnPodConditions {
			if condition.Type == corev1.DisruptionTarget && condition.Status != corev1.ConditionFalse {
				return rule.Action
			}
		}
	}
	return ""
}

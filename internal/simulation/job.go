package simulation

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
	"github.com/naosu-dev/naosu/internal/message"
)

// replacesOnlyFailed says whether a Job creates a replacement only once a pod has failed, and not while it is being deleted.
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
func (e *engine) replaceJobPod(ctx context.Context, pod *corev1.Pod, job *batchv1.Job) error {
	if jobFinished(job) {
		e.markLost(pod, message.Of(message.FateJobOver, message.Args{"job": job.Name}))
		return nil
	}
	action := disruptionAction(job)
	if e.deletedByUser[pod.UID] {
		action = ""
	}
	switch {
	case action == batchv1.PodFailurePolicyActionIgnore:
		return e.recreateAfterBackoff(pod, 0, job.UID)
	case action == batchv1.PodFailurePolicyActionFailJob:
		e.markLost(pod, message.Of(message.FateJobPolicy, message.Args{"job": job.Name}))
		return e.failJob(ctx, job)
	case job.Spec.BackoffLimitPerIndex != nil:
		return e.replaceIndexedJobPod(ctx, pod, job, action)
	}
	e.jobFailures[job.UID]++
	limit := 6 // k8s.io/api/batch/v1: the default of backoffLimit.
	if job.Spec.BackoffLimit != nil {
		limit = int(*job.Spec.BackoffLimit)
	}
	failed := int(job.Status.Failed) + e.jobFailures[job.UID]
	if failed > limit {
		e.markLost(pod, message.Of(message.FateJobFailed, message.Args{"job": job.Name, "limit": limit}))
		return e.failJob(ctx, job)
	}
	if job.Status.Succeeded > 0 {
		failed = e.jobFailures[job.UID] // A success resets the count; how many failed since is not known.
	}
	return e.recreateAfterBackoff(pod, failed, job.UID)
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
func (e *engine) recreateAfterBackoff(pod *corev1.Pod, failures int, job types.UID) error {
	delay := jobBackoffAfter(failures)
	if node := e.world().Node(pod.Spec.NodeName); node != nil && kube.IsNodeUnreachable(node) {
		delay -= e.apiTime().Sub(kube.NodeReady(node).LastTransitionTime.Time)
	}
	due := e.now + max(delay, jobSyncBatch)
	if job != "" {
		e.jobBackoffs[job] = max(e.jobBackoffs[job], due)
	}
	e.after(due-e.now, func(context.Context) error { return e.recreateWhenDue(pod, job) })
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
func (e *engine) recreateWhenDue(pod *corev1.Pod, job types.UID) error {
	if due := e.jobBackoffs[job]; due > e.now {
		e.after(due-e.now, func(context.Context) error { return e.recreateWhenDue(pod, job) })
		return nil
	}
	return e.recreate(pod)
}

// replaceIndexedJobPod is replaceJobPod for Jobs that count failures by index.
func (e *engine) replaceIndexedJobPod(ctx context.Context, pod *corev1.Pod, job *batchv1.Job, action batchv1.PodFailurePolicyAction) error {
	limit := int(*job.Spec.BackoffLimitPerIndex)
	failed, err := strconv.Atoi(pod.Annotations[batchv1.JobIndexFailureCountAnnotation])
	if err != nil {
		failed = 0 // The first pod of an index has no annotation.
	}
	if failed+1 > limit || action == batchv1.PodFailurePolicyActionFailIndex {
		e.markLost(pod, message.Of(message.FateJobIndex, message.Args{"job": job.Name, "limit": limit}))
		e.jobFailures[job.UID]++
		if most := job.Spec.MaxFailedIndexes; most != nil && countIndexes(ptr.Deref(job.Status.FailedIndexes, ""))+e.jobFailures[job.UID] > int(*most) {
			return e.failJob(ctx, job)
		}
		return nil
	}
	return e.recreateAfterBackoff(pod, failed+1, "") // Each index has its own back-off.
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
func (e *engine) failJob(_ context.Context, job *batchv1.Job) error {
	failed := job.DeepCopy()
	failed.Status.Conditions = append(failed.Status.Conditions, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded, LastTransitionTime: *e.apiTime(),
	})
	if err := e.edit(cluster.Put(failed)); err != nil {
		return err
	}
	for _, pod := range e.pods.ownedBy(job.UID) {
		if cluster.Ended(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		if err := e.removePodGracefully(pod); err != nil {
			return err
		}
		e.markLost(pod, message.Of(message.FateJobSibling, message.Args{"job": job.Name}))
	}
	e.abandonRefused(e.refusedPodsOf(job.UID))
	for _, pod := range e.queue.podsOf(job.UID) {
		e.queue.remove(pod)
		e.markLost(pod, message.Of(message.FateJobSibling, message.Args{"job": job.Name}))
	}
	e.retryUnschedulable()
	return nil
}

// jobFinished says whether a Job has completed, failed or is being deleted.
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

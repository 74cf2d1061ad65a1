package simulation

import (
	"context"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// replacesOnlyFailed says whether a Job waits until a pod has failed before it makes another, and does not count one that
// is merely being deleted.
//
// Source: KEP-3939; a Job with a podFailurePolicy always does.
func replacesOnlyFailed(job *batchv1.Job) bool {
	if policy := job.Spec.PodReplacementPolicy; policy != nil {
		return *policy == batchv1.Failed
	}
	return job.Spec.PodFailurePolicy != nil
}

// replaceOfJob makes another pod unless the Job has failed once too often. A pod that is evicted, preempted or lost with
// its node counts as failed.
//
// Source: pkg/controller/job of Kubernetes; KEP-3329 for podFailurePolicy, KEP-3850 for backoffLimitPerIndex.
func (f *future) replaceOfJob(ctx context.Context, pod *corev1.Pod, job *batchv1.Job) error {
	if over(job) {
		f.lose(pod, message.Of(message.FateJobOver, message.Args{"job": job.Name}))
		return nil
	}
	action := onDisruption(job)
	switch {
	case action == batchv1.PodFailurePolicyActionIgnore:
		return f.recreateLater(pod, 0, job.UID)
	case action == batchv1.PodFailurePolicyActionFailJob:
		f.lose(pod, message.Of(message.FateJobPolicy, message.Args{"job": job.Name}))
		return f.failJob(ctx, job)
	case job.Spec.BackoffLimitPerIndex != nil:
		return f.replaceIndexed(ctx, pod, job, action)
	}
	f.failures[job.UID]++
	limit := 6 // k8s.io/api/batch/v1: the default of backoffLimit.
	if job.Spec.BackoffLimit != nil {
		limit = int(*job.Spec.BackoffLimit)
	}
	failed := int(job.Status.Failed) + f.failures[job.UID]
	if failed > limit {
		f.lose(pod, message.Of(message.FateJobFailed, message.Args{"job": job.Name, "limit": limit}))
		return f.failJob(ctx, job)
	}
	if job.Status.Succeeded > 0 {
		failed = f.failures[job.UID] // A success starts the count anew; how many have failed since is not known.
	}
	return f.recreateLater(pod, failed, job.UID)
}

// How long a Job waits before it makes another pod: after each failure twice as long, counted from the pod's end; and a
// moment in any case, in which it gathers what has happened.
//
// Source: pkg/controller/job (DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, syncJobBatchPeriod).
const (
	jobBackoff     = 10 * time.Second
	longestBackoff = 10 * time.Minute
	jobBatch       = time.Second
)

// recreateLater makes another pod once the back-off after so many failures is over, which pods that back off together share:
// a further failure keeps all of them waiting. A pod on a dead node counts as
// ended when it was marked as not ready, so that by the time it is told to go most of the back-off, or all, has passed.
func (f *future) recreateLater(pod *corev1.Pod, failures int, together types.UID) error {
	delay := backoffAfter(failures)
	if node := f.world().Node(pod.Spec.NodeName); node != nil && cluster.Unreachable(node) {
		delay -= f.moment().Sub(readySince(node))
	}
	due := f.now + max(delay, jobBatch)
	if together != "" {
		f.backoffs[together] = max(f.backoffs[together], due)
	}
	f.in(due-f.now, func(context.Context) error { return f.recreateWhenDue(pod, together) })
	return nil
}

// backoffAfter is how long a Job waits after so many failures.
func backoffAfter(failures int) time.Duration {
	if failures <= 0 {
		return jobBatch
	}
	return min(jobBackoff<<min(failures-1, 10), longestBackoff) // 10 doublings exceed the longest by far
}

// recreateWhenDue makes the pod unless another has failed since and prolonged the back-off.
func (f *future) recreateWhenDue(pod *corev1.Pod, together types.UID) error {
	if due := f.backoffs[together]; due > f.now {
		f.in(due-f.now, func(context.Context) error { return f.recreateWhenDue(pod, together) })
		return nil
	}
	return f.recreate(pod)
}

// readySince is when a node's readiness last changed.
func readySince(node *corev1.Node) time.Time {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// replaceIndexed is for Jobs that count failures by index.
func (f *future) replaceIndexed(ctx context.Context, pod *corev1.Pod, job *batchv1.Job, action batchv1.PodFailurePolicyAction) error {
	limit := int(*job.Spec.BackoffLimitPerIndex)
	failed, err := strconv.Atoi(pod.Annotations[batchv1.JobIndexFailureCountAnnotation])
	if err != nil {
		failed = 0 // A pod without the annotation is its index's first.
	}
	if failed+1 > limit || action == batchv1.PodFailurePolicyActionFailIndex {
		f.lose(pod, message.Of(message.FateJobIndex, message.Args{"job": job.Name, "limit": limit}))
		f.failures[job.UID]++
		if most := job.Spec.MaxFailedIndexes; most != nil && indexes(ptr.Deref(job.Status.FailedIndexes, ""))+f.failures[job.UID] > int(*most) {
			return f.failJob(ctx, job)
		}
		return nil
	}
	return f.recreateLater(pod, failed+1, "") // Each index backs off by itself.
}

// indexes is how many a Job's status names, as in "1,3-5".
func indexes(text string) int {
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

// failJob ends a Job and with it the pods it still has.
func (f *future) failJob(_ context.Context, job *batchv1.Job) error {
	failed := job.DeepCopy()
	failed.Status.Conditions = append(failed.Status.Conditions, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded, LastTransitionTime: *f.moment(),
	})
	edits := []cluster.Edit{cluster.Put(failed)}
	var ended []*corev1.Pod
	for _, pod := range f.pods.of(job.UID) {
		if cluster.Ended(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		ended = append(ended, pod)
		edits = append(edits, cluster.Remove(pod))
		f.queue.drop(pod)
		f.lose(pod, message.Of(message.FateJobSibling, message.Args{"job": job.Name}))
	}
	f.giveUp(f.refusedOf(job.UID))
	for _, pod := range f.queue.of(job.UID) {
		f.queue.drop(pod)
		f.lose(pod, message.Of(message.FateJobSibling, message.Args{"job": job.Name}))
	}
	f.room()
	return f.apply(append(edits, f.budgets.gone(ended...)...)...)
}

// over says whether a Job has ended.
func over(job *batchv1.Job) bool {
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailureTarget) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return job.DeletionTimestamp != nil
}

// onDisruption is what a Job's podFailurePolicy does about a pod that was disrupted, empty if it has no rule for that.
func onDisruption(job *batchv1.Job) batchv1.PodFailurePolicyAction {
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

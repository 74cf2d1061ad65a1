package status

import (
	"math"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// proposeDeadline proposes a longer activeDeadlineSeconds for a Job that exceeded it. The field of a failed Job can be changed, but the Job does
// not run again (pkg/apis/batch/validation; pkg/controller/job): it must be recreated, or the CronJob changed for its next Jobs. There is no
// proposal if the pods failed by themselves or never started: then the deadline is not the cause.
func (s *Status) proposeDeadline(job *batchv1.Job, failure *batchv1.JobCondition, pods []*corev1.Pod) {
	if failure.Reason != batchv1.JobReasonDeadlineExceeded || slices.ContainsFunc(pods, unaffectedByDeadline) {
		return
	}
	seconds := proposedDeadline(job)
	if seconds == 0 {
		return
	}
	limit, of, paced := int(*job.Spec.ActiveDeadlineSeconds), jobSize(job), partlySucceeded(job)
	owner := metav1.GetControllerOfNoCopy(job)
	switch {
	case owner == nil:
		line := change.Recreate(s.ref, jobWithDeadline(job, seconds)...)
		s.addRemedies(s.proposeCommand(line, sentence.RemedyJobTime(s.ref, seconds, paced, int(job.Status.Succeeded), of, limit), sentence.RemedyJobTimeCost(int(job.Status.Succeeded)), sentence.RemedyJobTimeRisk()))
	case owner.Kind == string(cluster.CronJob):
		cron := change.Ref{Kind: owner.Kind, Namespace: job.Namespace, Name: owner.Name}
		done := change.Patch{Object: cron, Patch: specPatch(map[string]any{"jobTemplate": map[string]any{"spec": map[string]any{"activeDeadlineSeconds": seconds}}})}
		s.addRemedies(s.Propose(done, sentence.RemedyCronTime(cron, seconds, paced, int(job.Status.Succeeded), of, limit), sentence.RemedyCronTimeCost(), sentence.RemedyJobTimeRisk()).Remedy)
	}
}

// unaffectedByDeadline reports whether a pod of a Job that exceeded its deadline failed by itself or never started: the controller deletes pods
// that are running.
func unaffectedByDeadline(pod *corev1.Pod) bool {
	began := slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.State.Running != nil || c.State.Terminated != nil || c.LastTerminationState.Terminated != nil
	})
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodPending && !began
}

// proposedDeadline is the time that a Job takes at the rate at which its pods succeeded, or twice the current deadline if none did, in whole
// minutes; zero if it cannot be computed.
func proposedDeadline(job *batchv1.Job) int {
	if job.Spec.ActiveDeadlineSeconds == nil {
		return 0
	}
	share := 0.5
	if partlySucceeded(job) {
		share = float64(job.Status.Succeeded) / float64(jobSize(job))
	}
	minutes := math.Ceil(float64(*job.Spec.ActiveDeadlineSeconds) / share / 60)
	if minutes*60 > math.MaxInt32 {
		return 0
	}
	return int(minutes) * 60
}

// partlySucceeded reports whether some of a Job's pods have succeeded, and not all.
func partlySucceeded(job *batchv1.Job) bool {
	return job.Status.Succeeded > 0 && int(job.Status.Succeeded) < jobSize(job)
}

// jobWithDeadline are the changes with which the API server accepts a Job as a new one with another deadline: the generated fields of the old one
// are removed (pkg/registry/batch/job, generateSelector).
func jobWithDeadline(job *batchv1.Job, seconds int) []change.Edit {
	var edits []change.Edit
	if job.Spec.ManualSelector == nil || !*job.Spec.ManualSelector {
		if job.Spec.Selector != nil {
			edits = append(edits, change.Edit{Op: "remove", Path: []string{"spec", "selector"}})
		}
		for _, label := range []string{batchv1.ControllerUidLabel, "controller-uid"} {
			if _, ok := job.Spec.Template.Labels[label]; ok {
				edits = append(edits, change.Edit{Op: "remove", Path: []string{"spec", "template", "metadata", "labels", label}})
			}
		}
	}
	return append(edits, change.Edit{Op: "replace", Path: []string{"spec", "activeDeadlineSeconds"}, Value: seconds})
}

package status

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// job explains the progress of a Job, and why it makes none.
func (s *Status) job(ctx context.Context, job *batchv1.Job) {
	pods := s.World.PodsOf(job.UID)
	failure, failing := kube.TrueJobCondition(job, batchv1.JobFailed), kube.TrueJobCondition(job, batchv1.JobFailureTarget)
	switch complete := kube.TrueJobCondition(job, batchv1.JobComplete); {
	case failure != nil:
		s.jobFailed(ctx, job, failure, pods)
	case failing != nil:
		s.jobFailing(ctx, failing, pods)
	case complete != nil:
		s.set("Complete", "", sentence.JobDone(s.ref, int(job.Status.Succeeded)))
	case job.Spec.Suspend != nil && *job.Spec.Suspend:
		s.set("Suspended", finding.Warning, sentence.JobSuspended(s.ref))
		s.addCause(sentence.JobSuspended(s.ref), facts.Evidence(s.ref, "spec.suspend", "true"))
		s.explainQueue(job, false)
	default:
		s.jobRuns(ctx, job, pods)
	}
}

func (s *Status) jobFailed(ctx context.Context, job *batchv1.Job, failure *batchv1.JobCondition, pods []*corev1.Pod) {
	why := s.jobFailure(job, failure)
	s.set("Failed", finding.Critical, why)
	s.addCause(why, jobEvidence(s.ref, failure))
	s.proposeDeadline(job, failure, pods)
	s.explainFailures(ctx, pods)
}

// jobFailing explains a Job that fails once its pods have terminated (pkg/controller/job, FailureTarget).
func (s *Status) jobFailing(ctx context.Context, failure *batchv1.JobCondition, pods []*corev1.Pod) {
	why := sentence.JobFailing(s.ref, cmp.Or(failure.Message, failure.Reason))
	s.set(string(batchv1.JobFailureTarget), finding.Critical, why)
	s.addCause(why, jobEvidence(s.ref, failure))
	alive := slices.DeleteFunc(slices.Clone(pods), cluster.Ended)
	if len(alive) > 0 {
		s.addCause(sentence.JobFailingPods(len(alive), s.Enumerate(facts.PodRefs(alive))))
		s.addPodProblems(ctx, alive, false)
	}
	s.explainFailures(ctx, pods)
}

// jobFailure explains why a Job has failed, by the reason of its condition (pkg/controller/job; k8s.io/api/batch/v1).
func (s *Status) jobFailure(job *batchv1.Job, failure *batchv1.JobCondition) message.Sentence {
	switch failure.Reason {
	case batchv1.JobReasonBackoffLimitExceeded:
		return sentence.JobBackoff(s.ref, int(job.Status.Failed), jobLimit(job))
	case batchv1.JobReasonDeadlineExceeded:
		return sentence.JobDeadline(s.ref, int(ptr.Deref(job.Spec.ActiveDeadlineSeconds, 0)))
	case batchv1.JobReasonPodFailurePolicy:
		return sentence.JobPolicy(s.ref)
	case batchv1.JobReasonFailedIndexes, batchv1.JobReasonMaxFailedIndexesExceeded:
		return sentence.JobIndexes(s.ref, ptr.Deref(job.Status.FailedIndexes, ""))
	default:
		return sentence.JobFailed(s.ref, failure.Message)
	}
}

// jobEvidence is a Job's condition as evidence.
func jobEvidence(ref change.Ref, c *batchv1.JobCondition) finding.Evidence {
	return facts.EvidenceSince(ref, "status.conditions["+string(c.Type)+"]", c.Reason+": "+c.Message, c.LastTransitionTime)
}

// jobRuns explains a Job that is not finished: its pods may have problems, or fail repeatedly.
func (s *Status) jobRuns(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod) {
	if len(pods) == 0 && job.Status.Active == 0 && job.Spec.ManagedBy == nil && s.creationRefused(ctx, "Running", job, nil) {
		return
	}
	s.set("Running", "", sentence.JobRuns(s.ref, int(job.Status.Active), int(job.Status.Succeeded), jobSize(job)))
	if all := s.addPodProblems(ctx, pods, true); len(all) > 0 {
		why := all[0].explanation.Summary
		s.set("Running", finding.Critical, sentence.JobHeld(s.ref, int(job.Status.Succeeded), jobSize(job), why))
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning && IsKnownWell(s.Query, p) }) {
			s.set("Running", finding.Warning, sentence.JobHeldPartly(s.ref, int(job.Status.Succeeded), jobSize(job), why))
		}
	}
	if job.Status.Failed > 0 {
		s.addCause(sentence.JobRetries(int(job.Status.Failed), jobLimit(job)), facts.Evidence(s.ref, "status.failed", strconv.Itoa(int(job.Status.Failed))))
		s.explainFailures(ctx, pods)
	}
}

// explainFailures groups the failed pods by how they ended, and explains one of each group.
func (s *Status) explainFailures(ctx context.Context, pods []*corev1.Pod) {
	var states []string
	byState := map[string][]*corev1.Pod{}
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodFailed {
			continue
		}
		state := PodState(pod)
		if c := kube.PodCondition(pod, corev1.DisruptionTarget); c != nil {
			state = c.Reason
		}
		if byState[state] == nil {
			states = append(states, state)
		}
		byState[state] = append(byState[state], pod)
	}
	for _, state := range states {
		group := byState[state]
		last := group[len(group)-1]
		why := s.Query
		why.Subject = new(facts.RefTo(cluster.Pod, last))
		one := Of(ctx, why)
		s.addCause(sentence.PodsFailed(len(group), state, s.Enumerate(facts.PodRefs(group)), one.Summary),
			stateEvidence(last))
		if len(states) == 1 {
			s.Causes = append(s.Causes, slices.DeleteFunc(one.Causes, func(l finding.Link) bool { return l.Message.Equal(one.Summary) })...)
			s.Unknown = append(s.Unknown, one.Unknown...)
		}
	}
	if len(states) == 0 && !s.preempted() && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !cluster.Ended(p) }) {
		s.addUnknown(s.ref, sentence.PodsGone())
	}
}

// preempted says that pods of the subject were preempted; N501 has the details.
func (s *Status) preempted() bool {
	who := query.FindFormerOwners(s.World)
	return slices.ContainsFunc(query.Victims(s.World), func(v query.Victim) bool {
		owner := who.OwnerOf(v.Ref)
		return owner != nil && owner.GetNamespace() == s.ref.Namespace && owner.GetName() == s.ref.Name
	})
}

// jobSize is the number of pods of a Job that must succeed.
func jobSize(job *batchv1.Job) int {
	if job.Spec.Completions == nil {
		return 1
	}
	return int(*job.Spec.Completions)
}

// jobLimit is the Job's backoffLimit (k8s.io/api/batch/v1: 6 by default).
func jobLimit(job *batchv1.Job) int {
	if job.Spec.BackoffLimit == nil {
		return 6
	}
	return int(*job.Spec.BackoffLimit)
}

// cronJob reports whether a CronJob creates Jobs on schedule, and how its last Job ended.
func (s *Status) cronJob(ctx context.Context, cron *batchv1.CronJob) {
	jobs := s.jobsOf(cron)
	missed, behind := s.missedRun(cron, jobs)
	switch {
	case cron.Spec.Suspend != nil && *cron.Spec.Suspend:
		s.set("Suspended", finding.Warning, sentence.CronSuspended(s.ref))
		s.addCause(sentence.CronSuspended(s.ref), facts.Evidence(s.ref, "spec.suspend", "true"))
		s.proposeUnsuspend()
	case missed != nil && missed.Reason == "JobAlreadyActive":
		s.cronJobStillActive(ctx, cron, missed)
		return
	case missed != nil:
		s.set("Active", finding.Critical, sentence.CronMissed(s.ref, missed.Message))
		s.addCause(sentence.CronMissed(s.ref, missed.Message), query.EventEvidence(missed))
		s.cronJobNext(cron)
	case behind != nil:
		s.cronJobTooManyMissed(cron, behind)
		s.cronJobNext(cron)
	default:
		s.cronJobActive(cron)
	}
	if len(jobs) > 0 {
		last := facts.RefTo(cluster.Job, jobs[len(jobs)-1])
		q := s.Query
		q.Subject = &last
		why := Of(ctx, q)
		s.addCause(sentence.CronLast(last, why.Summary), facts.OwnerEvidence(last, jobs[len(jobs)-1]))
		if why.Severity == finding.Critical && s.Severity == "" {
			s.set("Active", finding.Critical, sentence.CronLastFails(s.ref, cron.Spec.Schedule, last, why.Summary))
			s.addRemedies(why.Remedies...)
		}
		s.Causes = append(s.Causes, why.Causes...)
	}
}

// notCreatedReasons are the reasons for which the controller does not create a Job (pkg/controller/cronjob). TooManyMissedTimes
// is no longer one of them: the controller continues.
var notCreatedReasons = []string{
	"MissSchedule", "UnparseableSchedule", "UnParseableCronJobSchedule", "InvalidSchedule", "FailedNeedsStart", "FailedCreate", "FailedGet",
	"UnknownTimeZone", "JobAlreadyActive",
}

// missedRun are the latest Events with which the controller reports that it did not create a Job, and that it missed many; each
// is nil if there is none since the last Job.
func (s *Status) missedRun(cron *batchv1.CronJob, jobs []*batchv1.Job) (why, behind *corev1.Event) {
	var made metav1.Time
	later := func(t *metav1.Time) {
		if t != nil && made.Before(t) {
			made = *t
		}
	}
	later(cron.Status.LastScheduleTime)
	for _, job := range jobs {
		later(&job.CreationTimestamp)
	}
	for _, e := range s.Events(cron, "SuccessfulCreate") {
		_, _, last := query.Occurrences(e)
		later(&last)
	}
	newest := func(reasons ...string) *corev1.Event {
		events := s.Events(cron, reasons...)
		if len(events) == 0 {
			return nil
		}
		if _, _, last := query.Occurrences(events[0]); !made.Before(&last) {
			return nil
		}
		return events[0]
	}
	return newest(notCreatedReasons...), newest("TooManyMissedTimes")
}

// cronJobStillActive explains a CronJob that creates no Job until the last one has finished, and why that has not.
func (s *Status) cronJobStillActive(ctx context.Context, cron *batchv1.CronJob, e *corev1.Event) {
	ref := change.Ref{Kind: string(cluster.Job), Namespace: cron.Namespace}
	if len(cron.Status.Active) > 0 {
		ref.Name = cron.Status.Active[0].Name
	}
	evidence := []finding.Evidence{query.EventEvidence(e), facts.Evidence(s.ref, "spec.concurrencyPolicy", string(cron.Spec.ConcurrencyPolicy))}
	if s.World.Object(cluster.Job, ref.Namespace, ref.Name) == nil {
		s.set("Active", finding.Critical, sentence.CronBusy(s.ref, ref, ""))
		s.addCause(sentence.CronBusy(s.ref, ref, ""), evidence...)
		s.AddUnknownKinds(cluster.Job)
		return
	}
	q := s.Query
	q.Subject = &ref
	why := Of(ctx, q)
	s.addCause(sentence.CronBusy(s.ref, ref, ""), evidence...)
	s.set("Active", finding.Critical, sentence.CronBusy(s.ref, ref, why.Summary))
	s.cronJobNext(cron)
	if why.Severity == "" { // Otherwise its problem must be solved.
		s.proposeDeleteJob(ref)
	}
	s.addRemedies(why.Remedies...)
	s.Causes = append(s.Causes, why.Causes...)
	s.Findings, s.Unknown = AppendFindings(s.Findings, why.Findings), append(s.Unknown, why.Unknown...)
	s.NotModelled = append(s.NotModelled, why.NotModelled...)
}

// cronJobTooManyMissed explains a CronJob of which only TooManyMissedTimes is known.
func (s *Status) cronJobTooManyMissed(cron *batchv1.CronJob, e *corev1.Event) {
	var last []finding.Evidence
	if at := cron.Status.LastScheduleTime; at != nil {
		last = append(last, facts.EvidenceSince(s.ref, "status.lastScheduleTime", at.UTC().Format(time.RFC3339), *at))
	}
	s.set("Active", finding.Critical, sentence.CronBehind(s.ref, s.cronJobAge(cron), cron.Spec.Schedule))
	s.addCause(sentence.CronBehind(s.ref, s.cronJobAge(cron), cron.Spec.Schedule), last...)
	s.addCause(sentence.CronBehindWarns(), query.EventEvidence(e))
	s.proposeRun()
	s.addUnknown(s.ref, sentence.CronControllerUntold())
}

// jobsOf are a CronJob's Jobs, the oldest first.
func (s *Status) jobsOf(cron *batchv1.CronJob) []*batchv1.Job {
	jobs := slices.DeleteFunc(slices.Clone(s.World.Jobs()), func(job *batchv1.Job) bool {
		owner := s.World.Owner(job)
		return owner == nil || owner.GetUID() != cron.UID
	})
	slices.SortStableFunc(jobs, func(a, b *batchv1.Job) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return jobs
}

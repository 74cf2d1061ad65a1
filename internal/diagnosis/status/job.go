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

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// jobFailureMessages are the reasons a Job gives up for (pkg/controller/job; k8s.io/api/batch/v1).
var jobFailureMessages = map[string]message.ID{
	batchv1.JobReasonBackoffLimitExceeded:     message.JobBackoff,
	batchv1.JobReasonDeadlineExceeded:         message.JobDeadline,
	batchv1.JobReasonPodFailurePolicy:         message.JobPolicy,
	batchv1.JobReasonFailedIndexes:            message.JobIndexes,
	batchv1.JobReasonMaxFailedIndexesExceeded: message.JobIndexes,
}

// job says how far a Job has come, and why it gets no further.
func (s *Status) job(ctx context.Context, job *batchv1.Job) {
	pods := s.World.PodsOf(job.UID)
	args := message.Args{
		"failed": int(job.Status.Failed), "done": int(job.Status.Succeeded), "active": int(job.Status.Active), "of": jobSize(job), "why": "", "limit": jobLimit(job), "seconds": 0,
		"indexes": "",
	}
	if job.Status.FailedIndexes != nil {
		args["indexes"] = *job.Status.FailedIndexes
	}
	failure, failing := kube.TrueJobCondition(job, batchv1.JobFailed), kube.TrueJobCondition(job, batchv1.JobFailureTarget)
	switch complete := kube.TrueJobCondition(job, batchv1.JobComplete); {
	case failure != nil:
		s.jobFailed(ctx, job, failure, pods, args)
	case failing != nil:
		s.jobFailing(ctx, failing, pods, args)
	case complete != nil:
		s.set("Complete", "", message.JobDone, args)
	case job.Spec.Suspend != nil && *job.Spec.Suspend:
		s.set("Suspended", finding.Warning, message.JobSuspended, args)
		s.addCause(message.JobSuspended, args, facts.Evidence(s.ref, "spec.suspend", "true"))
		s.explainQueue(job, false)
	default:
		s.jobRuns(ctx, job, pods, args)
	}
}

func (s *Status) jobFailed(ctx context.Context, job *batchv1.Job, failure *batchv1.JobCondition, pods []*corev1.Pod, args message.Args) {
	id := failureMessage(job, failure, args)
	s.set("Failed", finding.Critical, id, args)
	s.addCause(id, args, jobEvidence(s.ref, failure))
	s.proposeDeadline(job, failure, pods)
	s.explainFailures(ctx, pods)
}

// jobFailing is about a Job that is to fail, and does once its pods have ended (pkg/controller/job, FailureTarget).
func (s *Status) jobFailing(ctx context.Context, failure *batchv1.JobCondition, pods []*corev1.Pod, args message.Args) {
	args["why"] = cmp.Or(failure.Message, failure.Reason)
	s.set(string(batchv1.JobFailureTarget), finding.Critical, message.JobFailing, args)
	s.addCause(message.JobFailing, args, jobEvidence(s.ref, failure))
	alive := slices.DeleteFunc(slices.Clone(pods), cluster.Ended)
	if len(alive) > 0 {
		s.addCause(message.JobFailingPods, message.Args{"n": len(alive), "pods": s.Enumerate(facts.PodRefs(alive))})
		s.addPodProblems(ctx, alive, false)
	}
	s.explainFailures(ctx, pods)
}

// failureMessage is the sentence for why a Job fails, with what it needs among the args.
func failureMessage(job *batchv1.Job, failure *batchv1.JobCondition, args message.Args) message.ID {
	if job.Spec.ActiveDeadlineSeconds != nil {
		args["seconds"] = int(*job.Spec.ActiveDeadlineSeconds)
	}
	if id, ok := jobFailureMessages[failure.Reason]; ok {
		return id
	}
	args["why"] = failure.Message
	return message.JobFailed
}

// jobEvidence is a Job's condition as evidence.
func jobEvidence(ref change.Ref, c *batchv1.JobCondition) finding.Evidence {
	return facts.EvidenceSince(ref, "status.conditions["+string(c.Type)+"]", c.Reason+": "+c.Message, c.LastTransitionTime)
}

// jobRuns is about a Job that is not done: its pods may be not well, or fail one after the other.
func (s *Status) jobRuns(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod, args message.Args) {
	if len(pods) == 0 && job.Status.Active == 0 && job.Spec.ManagedBy == nil && s.creationRefused(ctx, "Running", job, nil) {
		return
	}
	s.set("Running", "", message.JobRuns, args)
	if all := s.addPodProblems(ctx, pods, true); len(all) > 0 {
		args["why"] = all[0].explanation.Summary
		s.set("Running", finding.Critical, message.JobHeld, args)
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning && IsKnownWell(s.Query, p) }) {
			s.set("Running", finding.Warning, message.JobHeldPartly, args)
		}
	}
	if job.Status.Failed > 0 {
		s.addCause(message.JobRetries, args, facts.Evidence(s.ref, "status.failed", strconv.Itoa(int(job.Status.Failed))))
		s.explainFailures(ctx, pods)
	}
}

// explainFailures groups the failed pods by how they ended, and says of one of each group why.
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
		s.addCause(message.PodsFailed, message.Args{"n": len(group), "state": state, "pods": s.Enumerate(facts.PodRefs(group)), "why": one.Summary},
			stateEvidence(last))
		if len(states) == 1 {
			s.Causes = append(s.Causes, slices.DeleteFunc(one.Causes, func(l finding.Link) bool { return l.Message.Equal(one.Summary) })...)
			s.Unknown = append(s.Unknown, one.Unknown...)
		}
	}
	if len(states) == 0 && !s.preempted() && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !cluster.Ended(p) }) {
		s.addUnknown(s.ref, message.PodsGone, nil)
	}
}

// preempted says that pods of the subject were preempted, which N501 tells more of.
func (s *Status) preempted() bool {
	who := query.FindFormerOwners(s.World)
	return slices.ContainsFunc(query.Victims(s.World), func(v query.Victim) bool {
		owner := who.OwnerOf(v.Ref)
		return owner != nil && owner.GetNamespace() == s.ref.Namespace && owner.GetName() == s.ref.Name
	})
}

// jobSize is how many pods of a Job are to succeed.
func jobSize(job *batchv1.Job) int {
	if job.Spec.Completions == nil {
		return 1
	}
	return int(*job.Spec.Completions)
}

// jobLimit is how many pods may fail before the Job gives up (k8s.io/api/batch/v1: 6 if it does not say).
func jobLimit(job *batchv1.Job) int {
	if job.Spec.BackoffLimit == nil {
		return 6
	}
	return int(*job.Spec.BackoffLimit)
}

// cronJob says whether a CronJob makes Jobs when it should, and how its last one fared.
func (s *Status) cronJob(ctx context.Context, cron *batchv1.CronJob) {
	args := message.Args{"schedule": cron.Spec.Schedule, "age": "", "job": "", "why": ""}
	if cron.Status.LastScheduleTime != nil {
		args["age"] = s.age(*cron.Status.LastScheduleTime)
	}
	jobs := s.jobsOf(cron)
	missed, behind := s.missedRun(cron, jobs)
	switch {
	case cron.Spec.Suspend != nil && *cron.Spec.Suspend:
		s.set("Suspended", finding.Warning, message.CronSuspended, args)
		s.addCause(message.CronSuspended, args, facts.Evidence(s.ref, "spec.suspend", "true"))
		s.proposeUnsuspend(args)
	case missed != nil && missed.Reason == "JobAlreadyActive":
		s.cronJobStillActive(ctx, cron, missed, args)
		return
	case missed != nil:
		args["why"] = missed.Message
		s.set("Active", finding.Critical, message.CronMissed, args)
		s.addCause(message.CronMissed, args, query.EventEvidence(missed))
		s.cronJobNext(cron, args)
	case behind != nil:
		s.cronJobTooManyMissed(cron, behind, args)
		s.cronJobNext(cron, args)
	default:
		s.cronJobActive(cron, args)
	}
	if len(jobs) > 0 {
		last := facts.RefTo(cluster.Job, jobs[len(jobs)-1])
		q := s.Query
		q.Subject = &last
		why := Of(ctx, q)
		s.addCause(message.CronLast, message.Args{"job": last, "why": why.Summary}, facts.OwnerEvidence(last, jobs[len(jobs)-1]))
		if why.Severity == finding.Critical && s.Severity == "" {
			args["job"], args["why"] = last, why.Summary
			s.set("Active", finding.Critical, message.CronLastFails, args)
			s.addRemedies(why.Remedies...)
		}
		s.Causes = append(s.Causes, why.Causes...)
	}
}

// notCreatedReasons are the reasons for which the controller creates no Job that is due (pkg/controller/cronjob). After
// TooManyMissedTimes, which used to be one of them, it goes on.
var notCreatedReasons = []string{
	"MissSchedule", "UnparseableSchedule", "UnParseableCronJobSchedule", "InvalidSchedule", "FailedNeedsStart", "FailedCreate", "FailedGet",
	"UnknownTimeZone", "JobAlreadyActive",
}

// missedRun are the events by which the controller says that it did not create the Job that was due, and that it has missed many;
// nil if it does not, or has created one since.
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

// cronJobStillActive is about a CronJob that creates no Job before the last one has ended, and why that has not.
func (s *Status) cronJobStillActive(ctx context.Context, cron *batchv1.CronJob, e *corev1.Event, args message.Args) {
	ref := change.Ref{Kind: string(cluster.Job), Namespace: cron.Namespace}
	if len(cron.Status.Active) > 0 {
		ref.Name = cron.Status.Active[0].Name
	}
	evidence := []finding.Evidence{query.EventEvidence(e), facts.Evidence(s.ref, "spec.concurrencyPolicy", string(cron.Spec.ConcurrencyPolicy))}
	args["job"] = ref
	if s.World.Object(cluster.Job, ref.Namespace, ref.Name) == nil {
		s.set("Active", finding.Critical, message.CronBusy, args)
		s.addCause(message.CronBusy, args, evidence...)
		s.AddUnknownKinds(cluster.Job)
		return
	}
	q := s.Query
	q.Subject = &ref
	why := Of(ctx, q)
	s.addCause(message.CronBusy, args, evidence...)
	args["why"] = why.Summary
	s.set("Active", finding.Critical, message.CronBusy, args)
	s.cronJobNext(cron, args)
	if why.Severity == "" { // Else its problem is to be mended.
		s.proposeDeleteJob(ref)
	}
	s.Causes = append(s.Causes, why.Causes...)
	s.Findings, s.Unknown = AppendFindings(s.Findings, why.Findings), append(s.Unknown, why.Unknown...)
	s.NotModelled = append(s.NotModelled, why.NotModelled...)
}

// cronJobTooManyMissed is about a CronJob of which nothing says why it creates no Job, but that it has missed many.
func (s *Status) cronJobTooManyMissed(cron *batchv1.CronJob, e *corev1.Event, args message.Args) {
	var last []finding.Evidence
	if at := cron.Status.LastScheduleTime; at != nil {
		last = append(last, facts.EvidenceSince(s.ref, "status.lastScheduleTime", at.UTC().Format(time.RFC3339), *at))
	}
	s.set("Active", finding.Critical, message.CronBehind, args)
	s.addCause(message.CronBehind, args, last...)
	s.addCause(message.CronBehindWarns, nil, query.EventEvidence(e))
	s.addUnknown(s.ref, message.CronControllerUntold, nil)
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

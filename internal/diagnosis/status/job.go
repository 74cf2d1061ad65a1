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
	"github.com/naosu-dev/naosu/internal/message"
)

// jobEnds are the reasons a Job gives up for (pkg/controller/job; k8s.io/api/batch/v1).
var jobEnds = map[string]message.ID{
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
	failure, failing := jobCondition(job, batchv1.JobFailed), jobCondition(job, batchv1.JobFailureTarget)
	switch complete := jobCondition(job, batchv1.JobComplete); {
	case failure != nil:
		s.jobFailed(ctx, job, failure, pods, args)
	case failing != nil:
		s.jobFailing(ctx, failing, pods, args)
	case complete != nil:
		s.is("Complete", "", message.JobDone, args)
	case job.Spec.Suspend != nil && *job.Spec.Suspend:
		s.is("Suspended", finding.Warning, message.JobSuspended, args)
		s.because(message.JobSuspended, args, facts.Fact(s.ref, "spec.suspend", "true"))
		s.queued(job, false)
	default:
		s.jobRuns(ctx, job, pods, args)
	}
}

func (s *Status) jobFailed(ctx context.Context, job *batchv1.Job, failure *batchv1.JobCondition, pods []*corev1.Pod, args message.Args) {
	id := endOf(job, failure, args)
	s.is("Failed", finding.Critical, id, args)
	s.because(id, args, jobFact(s.ref, failure))
	s.moreTime(job, failure, pods)
	s.failures(ctx, pods)
}

// jobFailing is about a Job that is to fail, and does once its pods have ended (pkg/controller/job, FailureTarget).
func (s *Status) jobFailing(ctx context.Context, failure *batchv1.JobCondition, pods []*corev1.Pod, args message.Args) {
	args["why"] = cmp.Or(failure.Message, failure.Reason)
	s.is(string(batchv1.JobFailureTarget), finding.Critical, message.JobFailing, args)
	s.because(message.JobFailing, args, jobFact(s.ref, failure))
	alive := slices.DeleteFunc(slices.Clone(pods), cluster.Ended)
	if len(alive) > 0 {
		s.because(message.JobFailingPods, message.Args{"n": len(alive), "pods": s.Some(facts.PodRefs(alive))})
		s.podsInTrouble(ctx, alive, false)
	}
	s.failures(ctx, pods)
}

// endOf is the sentence for why a Job fails, with what it needs among the args.
func endOf(job *batchv1.Job, failure *batchv1.JobCondition, args message.Args) message.ID {
	if job.Spec.ActiveDeadlineSeconds != nil {
		args["seconds"] = int(*job.Spec.ActiveDeadlineSeconds)
	}
	if id, ok := jobEnds[failure.Reason]; ok {
		return id
	}
	args["why"] = failure.Message
	return message.JobFailed
}

// jobFact is a Job's condition as evidence.
func jobFact(ref change.Ref, c *batchv1.JobCondition) finding.Evidence {
	return facts.FactSince(ref, "status.conditions["+string(c.Type)+"]", c.Reason+": "+c.Message, c.LastTransitionTime)
}

// jobRuns is about a Job that is not done: its pods may be in trouble, or fail one after the other.
func (s *Status) jobRuns(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod, args message.Args) {
	if len(pods) == 0 && job.Status.Active == 0 && job.Spec.ManagedBy == nil && s.refused(ctx, "Running", job, nil) {
		return
	}
	s.is("Running", "", message.JobRuns, args)
	if all := s.podsInTrouble(ctx, pods, true); len(all) > 0 {
		args["why"] = all[0].why.Summary
		s.is("Running", finding.Critical, message.JobHeld, args)
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning && Fine(s.View, p) }) {
			s.is("Running", finding.Warning, message.JobHeldPartly, args)
		}
	}
	if job.Status.Failed > 0 {
		s.because(message.JobRetries, args, facts.Fact(s.ref, "status.failed", strconv.Itoa(int(job.Status.Failed))))
		s.failures(ctx, pods)
	}
}

// failures groups the failed pods by how they ended, and says of one of each group why.
func (s *Status) failures(ctx context.Context, pods []*corev1.Pod) {
	var states []string
	byState := map[string][]*corev1.Pod{}
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodFailed {
			continue
		}
		state := PodState(pod)
		if c := facts.PodCondition(pod, corev1.DisruptionTarget); c != nil {
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
		why := s.View
		why.Subject = new(facts.RefTo(cluster.Pod, last))
		one := Of(ctx, why)
		s.because(message.PodsFailed, message.Args{"n": len(group), "state": state, "pods": s.Some(facts.PodRefs(group)), "why": one.Summary},
			stateFact(last))
		if len(states) == 1 {
			s.Causes = append(s.Causes, slices.DeleteFunc(one.Causes, func(l finding.Link) bool { return l.Message == one.Summary })...)
			s.Unknown = append(s.Unknown, one.Unknown...)
		}
	}
	if len(states) == 0 && !s.gaveWay() && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !cluster.Ended(p) }) {
		s.unsure(s.ref, message.PodsGone, nil)
	}
}

// gaveWay says that pods of the subject were preempted, which N501 tells more of.
func (s *Status) gaveWay() bool {
	who := query.MakersIn(s.World)
	return slices.ContainsFunc(query.Victims(s.World), func(v query.Victim) bool {
		owner := who.Of(v.Ref)
		return owner != nil && owner.GetNamespace() == s.ref.Namespace && owner.GetName() == s.ref.Name
	})
}

func jobCondition(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == kind && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
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
	missed, behind := s.missed(cron, jobs)
	switch {
	case cron.Spec.Suspend != nil && *cron.Spec.Suspend:
		s.is("Suspended", finding.Warning, message.CronSuspended, args)
		s.because(message.CronSuspended, args, facts.Fact(s.ref, "spec.suspend", "true"))
		s.unsuspend(args)
	case missed != nil && missed.Reason == "JobAlreadyActive":
		s.cronBusy(ctx, cron, missed, args)
		return
	case missed != nil:
		args["why"] = missed.Message
		s.is("Active", finding.Critical, message.CronMissed, args)
		s.because(message.CronMissed, args, query.EventFact(missed))
		s.cronNext(cron, args)
	case behind != nil:
		s.cronBehind(cron, behind, args)
		s.cronNext(cron, args)
	default:
		s.cronActive(cron, args)
	}
	if len(jobs) > 0 {
		last := facts.RefTo(cluster.Job, jobs[len(jobs)-1])
		v := s.View
		v.Subject = &last
		why := Of(ctx, v)
		s.because(message.CronLast, message.Args{"job": last, "why": why.Summary}, facts.OwnerFact(last, jobs[len(jobs)-1]))
		if why.Severity == finding.Critical && s.Severity == "" {
			args["job"], args["why"] = last, why.Summary
			s.is("Active", finding.Critical, message.CronLastFails, args)
			s.remedy(why.Remedies...)
		}
		s.Causes = append(s.Causes, why.Causes...)
	}
}

// notCreated are the reasons for which the controller creates no Job that is due (pkg/controller/cronjob). After
// TooManyMissedTimes, which used to be one of them, it goes on.
var notCreated = []string{
	"MissSchedule", "UnparseableSchedule", "UnParseableCronJobSchedule", "InvalidSchedule", "FailedNeedsStart", "FailedCreate", "FailedGet",
	"UnknownTimeZone", "JobAlreadyActive",
}

// missed are the events by which the controller says that it did not create the Job that was due, and that it has missed many;
// nil if it does not, or has created one since.
func (s *Status) missed(cron *batchv1.CronJob, jobs []*batchv1.Job) (why, behind *corev1.Event) {
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
	return newest(notCreated...), newest("TooManyMissedTimes")
}

// cronBusy is about a CronJob that creates no Job before the last one has ended, and why that has not.
func (s *Status) cronBusy(ctx context.Context, cron *batchv1.CronJob, e *corev1.Event, args message.Args) {
	ref := change.Ref{Kind: string(cluster.Job), Namespace: cron.Namespace}
	if len(cron.Status.Active) > 0 {
		ref.Name = cron.Status.Active[0].Name
	}
	evidence := []finding.Evidence{query.EventFact(e), facts.Fact(s.ref, "spec.concurrencyPolicy", string(cron.Spec.ConcurrencyPolicy))}
	args["job"] = ref
	if s.World.Object(cluster.Job, ref.Namespace, ref.Name) == nil {
		s.is("Active", finding.Critical, message.CronBusy, args)
		s.because(message.CronBusy, args, evidence...)
		s.Needs(cluster.Job)
		return
	}
	v := s.View
	v.Subject = &ref
	why := Of(ctx, v)
	s.because(message.CronBusy, args, evidence...)
	args["why"] = why.Summary
	s.is("Active", finding.Critical, message.CronBusy, args)
	s.cronNext(cron, args)
	if why.Severity == "" { // Else its trouble is to be mended.
		s.endBusy(ref)
	}
	s.Causes = append(s.Causes, why.Causes...)
	s.Findings, s.Unknown = AppendFindings(s.Findings, why.Findings), append(s.Unknown, why.Unknown...)
	s.NotModelled = append(s.NotModelled, why.NotModelled...)
}

// cronBehind is about a CronJob of which nothing says why it creates no Job, but that it has missed many.
func (s *Status) cronBehind(cron *batchv1.CronJob, e *corev1.Event, args message.Args) {
	var last []finding.Evidence
	if at := cron.Status.LastScheduleTime; at != nil {
		last = append(last, facts.FactSince(s.ref, "status.lastScheduleTime", at.UTC().Format(time.RFC3339), *at))
	}
	s.is("Active", finding.Critical, message.CronBehind, args)
	s.because(message.CronBehind, args, last...)
	s.because(message.CronBehindWarns, nil, query.EventFact(e))
	s.unsure(s.ref, message.CronControllerUntold, nil)
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

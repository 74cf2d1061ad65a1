package state

import (
	"context"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/view"
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
	failure := jobCondition(job, batchv1.JobFailed)
	if failure == nil {
		failure = jobCondition(job, batchv1.JobFailureTarget)
	}
	switch complete := jobCondition(job, batchv1.JobComplete); {
	case failure != nil:
		s.jobFailed(ctx, job, failure, pods, args)
	case complete != nil:
		s.is("Complete", "", message.JobDone, args)
	case job.Spec.Suspend != nil && *job.Spec.Suspend:
		s.is("Suspended", finding.Warning, message.JobSuspended, args)
		s.because(message.JobSuspended, args, facts.Fact(s.ref, "spec.suspend", "true"))
	default:
		s.jobRuns(ctx, job, pods, args)
	}
}

func (s *Status) jobFailed(ctx context.Context, job *batchv1.Job, failure *batchv1.JobCondition, pods []*corev1.Pod, args message.Args) {
	id, ok := jobEnds[failure.Reason]
	if !ok {
		id, args["why"] = message.JobFailed, failure.Message
	}
	if job.Spec.ActiveDeadlineSeconds != nil {
		args["seconds"] = int(*job.Spec.ActiveDeadlineSeconds)
	}
	s.is("Failed", finding.Critical, id, args)
	s.because(id, args, facts.FactSince(s.ref, "status.conditions[Failed]", failure.Reason+": "+failure.Message, failure.LastTransitionTime))
	s.failures(ctx, pods)
}

// jobRuns is about a Job that is not done: its pods may be in trouble, or fail one after the other.
func (s *Status) jobRuns(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod, args message.Args) {
	if len(pods) == 0 && job.Status.Active == 0 && job.Spec.ManagedBy == nil && s.refused("Running", job, nil) {
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
			StateFact(last))
		if len(states) == 1 {
			s.Causes = append(s.Causes, slices.DeleteFunc(one.Causes, func(l finding.Link) bool { return l.Message == one.Summary })...)
			s.Unknown = append(s.Unknown, one.Unknown...)
		}
	}
	if len(states) == 0 && !s.gaveWay() {
		s.unsure("Pod", message.PodsGone, nil)
	}
}

// gaveWay says that pods of the subject were preempted, which N501 tells more of.
func (s *Status) gaveWay() bool {
	who := view.MakersIn(s.World)
	return slices.ContainsFunc(view.Victims(s.World), func(v view.Victim) bool {
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
	missed := s.Events(cron, "MissSchedule", "TooManyMissedTimes", "UnparseableSchedule", "InvalidSchedule", "FailedNeedsStart", "FailedCreate", "UnknownTimeZone")
	switch {
	case cron.Spec.Suspend != nil && *cron.Spec.Suspend:
		s.is("Suspended", finding.Warning, message.CronSuspended, args)
		s.because(message.CronSuspended, args, facts.Fact(s.ref, "spec.suspend", "true"))
	case len(missed) > 0:
		args["why"] = missed[0].Message
		s.is("Active", finding.Critical, message.CronMissed, args)
		s.because(message.CronMissed, args, view.EventFact(missed[0]))
	case len(cron.Status.Active) > 0 && cron.Spec.ConcurrencyPolicy == batchv1.ForbidConcurrent && len(s.Events(cron, "JobAlreadyActive")) > 0:
		args["job"] = change.Ref{Kind: string(cluster.Job), Namespace: cron.Namespace, Name: cron.Status.Active[0].Name}
		s.is("Active", finding.Critical, message.CronBusy, args)
		s.because(message.CronBusy, args, view.EventFact(s.Events(cron, "JobAlreadyActive")[0]))
	default:
		s.is("Active", "", message.CronHealthy, args)
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
		}
		s.Causes = append(s.Causes, why.Causes...)
	}
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

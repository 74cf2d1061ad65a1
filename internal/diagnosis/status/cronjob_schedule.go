package status

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// cronJobTolerance is how much later than scheduled a Job may be created. The controller syncs a CronJob when it is due, and every ten
// minutes.
const cronJobTolerance = 10 * time.Minute

// shortStartingDeadline is the least startingDeadlineSeconds that the controller is sure to keep to: it may take ten seconds to look
// (https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/).
const shortStartingDeadline = 10

// scheduleOf is a CronJob's schedule, parsed as its controller does (pkg/controller/cronjob, formatSchedule), with its time zone; without
// one, that of kube-controller-manager applies, which is assumed to be UTC.
func scheduleOf(c *batchv1.CronJob) (due cron.Schedule, zone string, err error) {
	defer func() { // The parser panics if nothing follows the time zone.
		if told := recover(); told != nil {
			err = fmt.Errorf("parsing %q: %v", c.Spec.Schedule, told)
		}
	}()
	text := c.Spec.Schedule
	if before, _, ok := strings.Cut(text, " "); ok && strings.Contains(before, "TZ=") {
		_, zone, _ = strings.Cut(before, "TZ=")
	} else if c.Spec.TimeZone != nil {
		zone = *c.Spec.TimeZone
		text = "TZ=" + zone + " " + text
	}
	if zone == "" {
		text = "TZ=UTC " + text
	} else if strings.EqualFold(zone, "Local") {
		return nil, zone, errors.New("the zone Local is that of a machine nobody names")
	}
	due, err = cron.ParseStandard(text)
	return due, zone, err
}

// scheduleFormat is the format of scheduled times.
const scheduleFormat = "2006-01-02 15:04 MST"

// cronJobAge is the time since a CronJob last created a Job; empty if it never has.
func (s *Status) cronJobAge(c *batchv1.CronJob) string {
	return s.age(ptr.Deref(c.Status.LastScheduleTime, metav1.Time{}))
}

// cronJobNext says when a CronJob is scheduled next.
func (s *Status) cronJobNext(c *batchv1.CronJob) {
	due, zone, err := scheduleOf(c)
	if err != nil || s.World.Taken().IsZero() {
		return
	}
	evidence := s.scheduleFacts(c)
	next := inZone(due.Next(s.World.Taken().UTC()), zone)
	if next.IsZero() {
		s.addCause(sentence.CronNever(c.Spec.Schedule), evidence...)
		s.proposeSchedule()
		return
	}
	s.addCause(sentence.CronNext(next.Format(scheduleFormat), duration.HumanDuration(next.Sub(s.World.Taken())), zone), evidence...)
	if seconds := c.Spec.StartingDeadlineSeconds; seconds != nil && *seconds < shortStartingDeadline {
		s.addCause(sentence.CronDeadlineShort(int(*seconds)), facts.Evidence(s.ref, "spec.startingDeadlineSeconds", strconv.Itoa(int(*seconds))))
		done := change.Patch{Object: s.ref, Patch: `{"spec":{"startingDeadlineSeconds":200}}`}
		s.addRemedies(s.propose(done, sentence.RemedyDeadline(s.ref), sentence.RemedyDeadlineCost(), sentence.RemedyDeadlineRisk()))
	}
}

// inZone is a time in a time zone; UTC if none is given.
func inZone(at time.Time, zone string) time.Time {
	if location, err := time.LoadLocation(zone); err == nil && !at.IsZero() {
		return at.In(location)
	}
	return at
}

// scheduleFacts are the fields of the spec that determine the schedule, as evidence.
func (s *Status) scheduleFacts(c *batchv1.CronJob) []finding.Evidence {
	all := []finding.Evidence{facts.Evidence(s.ref, "spec.schedule", c.Spec.Schedule)}
	if c.Spec.TimeZone != nil {
		all = append(all, facts.Evidence(s.ref, "spec.timeZone", *c.Spec.TimeZone))
	}
	return all
}

// cronJobActive explains a CronJob without a known problem: it creates Jobs, or it should have and no Event says why not.
func (s *Status) cronJobActive(c *batchv1.CronJob) {
	if _, _, err := scheduleOf(c); err != nil {
		s.set("Active", finding.Warning, sentence.CronUnreadable(s.ref, err.Error()))
		s.addCause(sentence.CronUnreadable(s.ref, err.Error()), s.scheduleFacts(c)...)
		s.proposeSchedule()
		return
	}
	late, ok := s.cronJobOverdue(c)
	if !ok {
		s.set("Active", "", sentence.CronHealthy(s.ref, c.Spec.Schedule, s.cronJobAge(c)))
		s.cronJobNext(c)
		return
	}
	s.set("Active", finding.Warning, sentence.CronLate(s.ref, late.Format(scheduleFormat), s.cronJobAge(c)))
	evidence := s.scheduleFacts(c)
	if at := c.Status.LastScheduleTime; at != nil {
		evidence = append(evidence, facts.EvidenceSince(s.ref, "status.lastScheduleTime", at.UTC().Format(time.RFC3339), *at))
	}
	s.addCause(sentence.CronLate(s.ref, late.Format(scheduleFormat), s.cronJobAge(c)), evidence...)
	s.cronJobNext(c)
	s.proposeRun()
	s.addUnknown(s.ref, sentence.CronControllerUntold())
}

// cronJobOverdue is the time at which a CronJob should have created its next Job; ok is false if that is in the future or within the
// tolerance.
func (s *Status) cronJobOverdue(c *batchv1.CronJob) (at time.Time, ok bool) {
	due, zone, err := scheduleOf(c)
	if err != nil || s.World.Taken().IsZero() {
		return at, false
	}
	last := c.CreationTimestamp.Time
	if c.Status.LastScheduleTime != nil {
		last = c.Status.LastScheduleTime.Time
	}
	if last.IsZero() {
		return at, false
	}
	at = inZone(due.Next(last.UTC()), zone)
	return at, !at.IsZero() && s.World.Taken().Sub(at) > cronJobTolerance
}

// proposeSchedule proposes another schedule, which a person has to fill in.
func (s *Status) proposeSchedule() {
	line := change.Patch{Object: s.ref, Patch: `{"spec":{"schedule":"<schedule>"}}`}.Command()
	s.addRemedies(s.proposeCommand(line, sentence.RemedySchedule(s.ref), sentence.RemedyScheduleCost(), sentence.RemedyScheduleRisk()))
}

// proposeRun proposes to run a CronJob's Job now, for one that creates none for an unknown reason.
func (s *Status) proposeRun() {
	s.addRemedies(s.proposeCommand(change.RunCronJob(s.ref), sentence.RemedyRunJob(s.ref), sentence.RemedyRunJobCost(), sentence.RemedyRunJobRisk(s.ref)))
}

// proposeUnsuspend proposes to resume a suspended CronJob.
func (s *Status) proposeUnsuspend() {
	done := change.Patch{Object: s.ref, Patch: `{"spec":{"suspend":false}}`}
	s.addRemedies(s.propose(done, sentence.RemedyUnsuspend(s.ref), sentence.RemedyUnsuspendCost(), sentence.RemedyUnsuspendRisk()))
}

// proposeDeleteJob proposes to delete the Job that prevents the next one from being created.
func (s *Status) proposeDeleteJob(job change.Ref) {
	s.addRemedies(s.proposeCommand(change.Delete(job), sentence.RemedyDeleteJob(job, s.ref), sentence.RemedyDeleteJobCost(), sentence.RemedyDeleteJobRisk(job)))
}

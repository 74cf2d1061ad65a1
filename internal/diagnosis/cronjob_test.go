package diagnosis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// A warning about many missed start times does not hide why the CronJob creates no Job.
func TestManyMissedTimesAfterTheReason(t *testing.T) {
	e := explainBusyCronJob(t, nil, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "testcronjob.missed", Namespace: "cron"},
		InvolvedObject: corev1.ObjectReference{Kind: "CronJob", Namespace: "cron", Name: "testcronjob", UID: "530f6f48-07f2-4296-8c98-008738996f18"},
		Type:           corev1.EventTypeWarning, Reason: "TooManyMissedTimes", Message: "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
		LastTimestamp: metav1.NewTime(now.Add(-time.Second)),
	})
	if e.Summary.ID != message.CronBusy {
		t.Errorf("the summary is %s, want %s: %s", e.Summary.ID, message.CronBusy, answerOf(e))
	}
}

// What a Job's pod says of itself is said once.
func TestBusyCronJobSaysItsReasonOnce(t *testing.T) {
	e := explainBusyCronJob(t, func(o runtime.Object) {
		switch o := o.(type) {
		case *batchv1.Job:
			o.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonDeadlineExceeded}}
		case *corev1.Pod:
			o.DeletionTimestamp = new(metav1.NewTime(now.Add(-time.Hour)))
		}
	})
	said := 0
	for _, link := range e.Causes {
		said += strings.Count(message.English().Say(link.Message), "has not confirmed that its containers have ended")
	}
	if said != 1 {
		t.Errorf("the cause is said %d times, want once: %s", said, answerOf(e))
	}
}

// The remedy of the Job that keeps a CronJob busy is the CronJob's, too.
func TestBusyCronJobHasRemediesOfItsJob(t *testing.T) {
	e := explainBusyCronJob(t, on(func(p *corev1.Pod) {
		p.Spec.NodeName, p.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("gpu")}}
	}))
	if !slices.ContainsFunc(e.Remedies, func(r finding.Remedy) bool { return r.Message.ID == message.RemedyDeviceClaim }) {
		t.Errorf("no remedy for the pod of the Job: %s", answerOf(e))
	}
}

// explainBusyCronJob explains a CronJob whose last Job still runs, with that Job and its pod edited, and objects added.
func explainBusyCronJob(t *testing.T, edit func(runtime.Object), added ...runtime.Object) finding.Explanation {
	t.Helper()
	objects := append(clustertest.Load(t, "testdata/status/cronjobs.yaml"), added...)
	for _, o := range objects {
		if named, ok := o.(metav1.Object); ok && edit != nil && strings.HasPrefix(named.GetName(), "testcronjob-") {
			edit(o)
		}
	}
	return diagnosis.Explain(t.Context(), question(t, objects, everything(), &change.Ref{Kind: "CronJob", Namespace: "cron", Name: "testcronjob"}))
}

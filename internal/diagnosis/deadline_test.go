package diagnosis_test

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestJobOverItsDeadline gives a Job that was ended for its deadline more time, as far as what is seen says that time was what
// it lacked.
func TestJobOverItsDeadline(t *testing.T) {
	const again = "| kubectl replace --force --filename -"
	pod := func(phase corev1.PodPhase, state corev1.ContainerState) func(*batchv1.Job) []runtime.Object {
		return func(job *batchv1.Job) []runtime.Object {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "load-x", Namespace: "shop", UID: "p", OwnerReferences: ownedBy("Job", job.Name, job.UID)}}
			p.Spec.Containers = []corev1.Container{{Name: "c", Image: "c:1"}}
			p.Status.Phase, p.Status.ContainerStatuses = phase, []corev1.ContainerStatus{{Name: "c", State: state}}
			return []runtime.Object{p}
		}
	}
	for name, tc := range map[string]struct {
		edit      func(*batchv1.Job)
		more      func(*batchv1.Job) []runtime.Object
		says, not string
	}{
		"nothing was done":    {nil, nil, `{"op":"replace","path":"/spec/activeDeadlineSeconds","value":1200}`, "patch cronjob"},
		"it is created anew":  {nil, nil, again, ""},
		"a third was done":    {func(j *batchv1.Job) { j.Spec.Completions, j.Status.Succeeded = new(int32(9)), 3 }, nil, `"value":1800}`, ""},
		"nearly all was done": {func(j *batchv1.Job) { j.Spec.Completions, j.Status.Succeeded = new(int32(1000)), 999 }, nil, `"value":660}`, ""},
		"more than a Job may have": {func(j *batchv1.Job) {
			j.Spec.ActiveDeadlineSeconds, j.Spec.Completions, j.Status.Succeeded = new(int64(1<<40)), new(int32(1<<30)), 1
		}, nil, "was terminated because", "kubectl"},
		"its selector is its own": {func(j *batchv1.Job) {
			j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": "j"}}
			j.Spec.Template.Labels = map[string]string{"batch.kubernetes.io/controller-uid": "j", "controller-uid": "j", "job-name": "load", "app": "x"}
		}, nil, `[{"op":"remove","path":"/spec/selector"},{"op":"remove","path":"/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid"},{"op":"remove","path":"/spec/template/metadata/labels/controller-uid"},{"op":"replace"`, ""},
		"a selector that people wrote": {func(j *batchv1.Job) {
			j.Spec.ManualSelector, j.Spec.Selector = new(true), &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
		}, nil, again, "remove"},
		"a name for a shell":         {func(j *batchv1.Job) { j.Name = "$(reboot)" }, nil, `kubectl patch job '$(reboot)' --namespace shop`, ""},
		"of a CronJob":               {func(j *batchv1.Job) { j.OwnerReferences = ownedBy("CronJob", "nightly", "c") }, nil, `kubectl patch cronjob nightly --namespace shop --patch '{"spec":{"jobTemplate":{"spec":{"activeDeadlineSeconds":1200}}}}'`, again},
		"of something else":          {func(j *batchv1.Job) { j.OwnerReferences = ownedBy("Workflow", "w", "w") }, nil, "was terminated because", "kubectl"},
		"a pod failed by itself":     {nil, pod(corev1.PodFailed, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}), "was terminated because", again},
		"a pod that has not begun":   {nil, pod(corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}), "was terminated because", again},
		"a pod that is being ended":  {nil, pod(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}), again, ""},
		"it failed for its back-off": {func(j *batchv1.Job) { j.Status.Conditions[0].Reason = batchv1.JobReasonBackoffLimitExceeded }, nil, "job/load", again},
	} {
		t.Run(name, func(t *testing.T) {
			started := ago(time.Hour)
			job := &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Name: "load", Namespace: "shop", UID: "j"},
				Spec:       batchv1.JobSpec{ActiveDeadlineSeconds: new(int64(600))},
				Status: batchv1.JobStatus{StartTime: &started, Failed: 1, Conditions: []batchv1.JobCondition{{
					Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonDeadlineExceeded, Message: "Job was active longer than specified deadline",
				}}},
			}
			if tc.edit != nil {
				tc.edit(job)
			}
			objects := []runtime.Object{job, &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "nightly", Namespace: "shop", UID: "c"}, Spec: batchv1.CronJobSpec{Schedule: "0 1 * * *"}}}
			if tc.more != nil {
				objects = append(objects, tc.more(job)...)
			}
			answer := diagnosis.Explain(t.Context(), question(t, objects, everything(), &change.Ref{Kind: "Job", Namespace: "shop", Name: job.Name}))
			said := message.English().Say(answer.Summary)
			for _, r := range answer.Remedies {
				said += "\n" + message.English().Say(r.Message) + "\n" + r.Command
			}
			if !strings.Contains(said, tc.says) || tc.not != "" && strings.Contains(said, tc.not) {
				t.Errorf("want %q and not %q:\n%s", tc.says, tc.not, said)
			}
		})
	}
}

// TestCronJobWhoseJobsAreOverTheirDeadline gives its next Jobs more time when asked about itself as well.
func TestCronJobWhoseJobsAreOverTheirDeadline(t *testing.T) {
	started := ago(time.Hour)
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly-1", Namespace: "shop", UID: "j", OwnerReferences: ownedBy("CronJob", "nightly", "c"), CreationTimestamp: started},
		Spec:       batchv1.JobSpec{ActiveDeadlineSeconds: new(int64(600))},
		Status:     batchv1.JobStatus{StartTime: &started, Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonDeadlineExceeded}}},
	}
	cron := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "nightly", Namespace: "shop", UID: "c"}, Spec: batchv1.CronJobSpec{Schedule: "0 1 * * *"}, Status: batchv1.CronJobStatus{LastScheduleTime: &started}}
	answer := diagnosis.Explain(t.Context(), question(t, []runtime.Object{job, cron}, everything(), &change.Ref{Kind: "CronJob", Namespace: "shop", Name: "nightly"}))
	if len(answer.Remedies) != 1 || !strings.Contains(answer.Remedies[0].Command, `"activeDeadlineSeconds":1200`) {
		t.Errorf("remedies: %+v", answer.Remedies)
	}
}

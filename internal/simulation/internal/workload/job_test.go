package workload_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestJobBackoff evicts pods of a Job at once: the second failure doubles the back-off, and both wait for it.
func TestJobBackoff(t *testing.T) {
	w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Job("night", 6, testworld.Template("night", "1"), "n1", "n1"))
	testworld.ExpectFates(t, w.Run(t, change.DrainNode{Node: "n1"}), "moved night-a n1>n2 20s", "moved night-b n1>n2 20s")
}

// TestJobWithEarlierFailures evicts a pod of a Job of which two have failed already.
func TestJobWithEarlierFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		status batchv1.JobStatus
		want   string
	}{
		"it backs off for the third time": {batchv1.JobStatus{Failed: 2}, "moved night-a n1>n2 40s"},
		"a success resets the count":      {batchv1.JobStatus{Failed: 2, Succeeded: 1}, "moved night-a n1>n2 10s"},
		"it may not fail again":           {batchv1.JobStatus{Failed: 6}, "lost night-a n1> FateJobFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			night := testworld.Job("night", 6, testworld.Template("night", "1"), "n1")
			night[0].(*batchv1.Job).Status = tc.status
			testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), night).Run(t, change.DrainNode{Node: "n1"}), tc.want)
		})
	}
}

// TestJobsInBackOff applies an unrelated change while a Job lacks a pod.
func TestJobsInBackOff(t *testing.T) {
	started := &metav1.Time{Time: testworld.Epoch.Add(-time.Minute)}
	for name, tc := range map[string]struct {
		edit func(*batchv1.Job)
		want []string
	}{
		"it creates it": {func(j *batchv1.Job) { j.Status.Active = 1 }, []string{"created night-* >n1 1s"}},
		"once its failures are over": {
			func(j *batchv1.Job) { j.Status.Active, j.Status.Failed = 1, 2 }, []string{"created night-* >n1 20s"},
		},
		"one that succeeded is not lacking": {func(j *batchv1.Job) { j.Status.Active, j.Status.Succeeded = 1, 1 }, nil},
		"one may not be counted yet": {
			func(j *batchv1.Job) {
				j.Status.Active, j.Status.UncountedTerminatedPods = 1, &batchv1.UncountedTerminatedPods{Succeeded: []types.UID{"gone"}}
			}, nil,
		},
		"its first pods may have been refused": {func(*batchv1.Job) {}, nil},
		"it is suspended":                      {func(j *batchv1.Job) { j.Status.Failed, j.Spec.Suspend = 1, new(true) }, nil},
		"it is finished": {
			func(j *batchv1.Job) {
				j.Status.Active = 1
				j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue}}
			}, nil,
		},
		"another controller manages it": {func(j *batchv1.Job) { j.Status.Active, j.Spec.ManagedBy = 1, new("kueue.x-k8s.io/multikueue") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			night := testworld.Job("night", 6, testworld.Template("night", "1"), "n1")
			of := night[0].(*batchv1.Job)
			of.Spec.Parallelism, of.Spec.Completions, of.Status.StartTime = new(int32(2)), new(int32(2)), started
			tc.edit(of)
			testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a", testworld.CordonedNode), night).Run(t, change.Cordon{Node: "n2"}), tc.want...)
		})
	}
}

// TestJobBackoffAfterAnotherFailure evicts the one pod that a Job in back-off has.
func TestJobBackoffAfterAnotherFailure(t *testing.T) {
	night := testworld.Job("night", 6, testworld.Template("night", "1"), "n1")
	of := night[0].(*batchv1.Job)
	of.Spec.Parallelism, of.Spec.Completions = new(int32(2)), new(int32(2))
	of.Status = batchv1.JobStatus{StartTime: &metav1.Time{Time: testworld.Epoch.Add(-time.Minute)}, Active: 1}
	testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), night).Run(t, change.Evict{Namespace: "default", Name: "night-a"}),
		"created night-* >n1 1s", "moved night-a n1>n1 10s")
}

// TestJobPolicies evicts a pod of a Job with policies for failures.
func TestJobPolicies(t *testing.T) {
	disrupted := func(action batchv1.PodFailurePolicyAction) func(*batchv1.Job) {
		return func(j *batchv1.Job) {
			j.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: action, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
			}}}
		}
	}
	for name, tc := range map[string]struct {
		edit func(*batchv1.Job)
		want []string
	}{
		"a disruption is no failure":         {disrupted(batchv1.PodFailurePolicyActionIgnore), []string{"moved night-a n1>n2 10s"}},
		"or fails the Job":                   {disrupted(batchv1.PodFailurePolicyActionFailJob), []string{"lost night-a n1> FateJobPolicy", "lost night-b n2> FateJobSibling"}},
		"each index counts its own failures": {func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = new(int32(0)) }, []string{"lost night-a n1> FateJobIndex"}},
		"more failed indexes than allowed fail it": {
			func(j *batchv1.Job) {
				j.Spec.BackoffLimitPerIndex, j.Spec.MaxFailedIndexes, j.Status.FailedIndexes = new(int32(0)), new(int32(3)), new("4,6-7")
			},
			[]string{"lost night-a n1> FateJobIndex", "lost night-b n2> FateJobSibling"},
		},
		"as many do not": {
			func(j *batchv1.Job) {
				j.Spec.BackoffLimitPerIndex, j.Spec.MaxFailedIndexes, j.Status.FailedIndexes = new(int32(0)), new(int32(4)), new("4,6-7")
			},
			[]string{"lost night-a n1> FateJobIndex"},
		},
		"and may have attempts left": {func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = new(int32(1)) }, []string{"moved night-a n1>n2 10s"}},
		"a finished Job creates none": {
			func(j *batchv1.Job) {
				j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
			},
			[]string{"lost night-a n1> FateJobOver"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			night := testworld.Job("night", 0, testworld.Template("night", "1"), "n1", "n2")
			tc.edit(night[0].(*batchv1.Job))
			testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), night).Run(t, change.DrainNode{Node: "n1"}), tc.want...)
		})
	}
}

// TestDeletedPodIsNotDisrupted has a Job that ignores disruptions: kubectl delete is none, an eviction is.
func TestDeletedPodIsNotDisrupted(t *testing.T) {
	ignoring := func() testworld.Objects {
		all := testworld.Job("report", 0, testworld.Template("report", "1"), "n1")
		all[0].(*batchv1.Job).Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action:          batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
		}}}
		return testworld.Of(testworld.Node("n1", "a"), all)
	}
	testworld.ExpectFates(t, ignoring().Run(t, change.DeletePod{Namespace: "default", Name: "report-a"}), "lost report-a n1> FateJobFailed")
	testworld.ExpectFates(t, ignoring().Run(t, change.Evict{Namespace: "default", Name: "report-a"}), "moved report-a n1>n1 10s")
}

package simulation_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

// TestJobBackoff evicts pods of a Job: each failure keeps the next pod away for twice as long.
func TestJobBackoff(t *testing.T) {
	w := world(node("n1", "a"), node("n2", "b"), job("night", 6, template("night", "1"), "n1", "n1"))
	expect(t, w.future(t, change.DrainNode{Node: "n1"}), "moved night-a n1>n2 10s", "moved night-b n1>n2 20s")
}

// TestJobFailedBefore evicts a pod of a Job that has lost two already.
func TestJobFailedBefore(t *testing.T) {
	for name, tc := range map[string]struct {
		status batchv1.JobStatus
		want   string
	}{
		"it waits for the third time":     {batchv1.JobStatus{Failed: 2}, "moved night-a n1>n2 40s"},
		"a success starts the count anew": {batchv1.JobStatus{Failed: 2, Succeeded: 1}, "moved night-a n1>n2 10s"},
		"it may not fail again":           {batchv1.JobStatus{Failed: 6}, "lost night-a n1> FateJobFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			night := job("night", 6, template("night", "1"), "n1")
			night[0].(*batchv1.Job).Status = tc.status
			expect(t, world(node("n1", "a"), node("n2", "b"), night).future(t, change.DrainNode{Node: "n1"}), tc.want)
		})
	}
}

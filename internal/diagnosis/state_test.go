package diagnosis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/message"
)

// TestState covers pods without a node in a cluster without nodes: their state and one sentence.
func TestState(t *testing.T) {
	for name, tc := range map[string]struct {
		edit        func(*corev1.Pod)
		state       string
		summary     string
		findings    int
		notModelled int
	}{
		"gated": {
			edit: func(p *corev1.Pod) {
				p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "quota"}}
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated}}
			},
			state: "SchedulingGated", summary: "pod/web is not ready for scheduling: the scheduling gate quota holds it back.",
		},
		"no scheduler": {
			edit:  func(p *corev1.Pod) { p.Spec.SchedulerName = "volcano" },
			state: "Pending", summary: "pod/web is Pending, and no scheduler has processed it yet (its schedulerName is volcano).", notModelled: 1,
		},
		"unschedulable": {
			edit: func(p *corev1.Pod) {
				p.Status.Conditions = unschedulable("0/2 nodes are available: 2 Insufficient cpu.")
			},
			state: "Pending", summary: "pod/web is Pending because the cluster has no nodes.", findings: 1, notModelled: 1,
		},
		"nominated to a node that has gone": {
			edit: func(p *corev1.Pod) {
				p.Status.Conditions, p.Status.NominatedNodeName = unschedulable("0/2 nodes are available"), "node-a"
			},
			state: "Pending", summary: "pod/web is Pending because the cluster has no nodes.", findings: 1, notModelled: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{}
			pod.Name, pod.Namespace, pod.Status.Phase = "web", "shop", corev1.PodPending
			tc.edit(pod)
			got := explain(t, []runtime.Object{pod}, everything())
			if got.State != tc.state {
				t.Errorf("state = %s, want %s", got.State, tc.state)
			}
			if diff := cmp.Diff(tc.summary, message.English().Say(got.Summary)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if len(got.Findings) != tc.findings || len(got.NotModelled) != tc.notModelled {
				t.Errorf("findings = %v, notModelled = %v, want %d and %d of these", got.Findings, got.NotModelled, tc.findings, tc.notModelled)
			}
		})
	}
}

func unschedulable(why string) []corev1.PodCondition {
	return []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why},
	}
}

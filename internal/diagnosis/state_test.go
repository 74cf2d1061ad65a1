package diagnosis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestState covers pods that the rules have nothing to say about: their state and one sentence.
func TestState(t *testing.T) {
	for name, tc := range map[string]struct {
		edit        func(*corev1.Pod)
		state       string
		summary     string
		notModelled int
	}{
		"running": {
			edit:  func(p *corev1.Pod) { p.Spec.NodeName, p.Status = "node-a", running(corev1.ConditionTrue, "") },
			state: "Running", summary: "pod/web is running on node/node-a.",
		},
		"not ready": {
			edit: func(p *corev1.Pod) {
				p.Spec.NodeName, p.Status = "node-a", running(corev1.ConditionFalse, "containers with unready status: [web]")
			},
			state:   "Running",
			summary: "pod/web is running on node/node-a but is not ready: containers with unready status: [web]",
		},
		"finished": {edit: func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, state: "Succeeded", summary: "pod/web has run to its end."},
		"evicted": {
			edit: func(p *corev1.Pod) {
				p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node was low on memory."}
			},
			state: "Evicted", summary: "pod/web has failed: The node was low on memory.",
		},
		"failed without a word": {
			edit: func(p *corev1.Pod) {
				p.Status = corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{
					{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 3}}},
				}}
			},
			state: "Failed", summary: "pod/web has failed: Error, exit code 3",
		},
		"deleted": {edit: func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, state: "Terminating", summary: "pod/web is being deleted."},
		"gated": {
			edit:  func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "quota"}} },
			state: "SchedulingGated", summary: "pod/web is not offered to the scheduler: quota holds it back.", notModelled: 1,
		},
		"no scheduler": {
			edit:  func(p *corev1.Pod) { p.Spec.SchedulerName = "volcano" },
			state: "Pending", summary: "pod/web is Pending and no scheduler has looked at it yet; it asks for volcano.", notModelled: 2,
		},
		"unschedulable": {
			edit: func(p *corev1.Pod) {
				p.Status.Conditions = unschedulable("0/2 nodes are available: 2 Insufficient cpu.")
			},
			state: "Pending", summary: "pod/web is Pending; the scheduler says: 0/2 nodes are available: 2 Insufficient cpu.", notModelled: 1,
		},
		"preempting": {
			edit: func(p *corev1.Pod) {
				p.Status.Conditions, p.Status.NominatedNodeName = unschedulable("0/2 nodes are available"), "node-a"
			},
			state: "Pending", summary: "pod/web is Pending; it waits on node/node-a for pods of lower priority to end.", notModelled: 1,
		},
		"starting": {
			edit: func(p *corev1.Pod) {
				p.Spec.NodeName = "node-a"
				p.Status.ContainerStatuses = []corev1.ContainerStatus{
					{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}}},
				}
			},
			state:   "ImagePullBackOff",
			summary: "pod/web has its place on node/node-a, but its containers do not run: ImagePullBackOff no such image", notModelled: 1,
		},
		"just placed": {
			edit:  func(p *corev1.Pod) { p.Spec.NodeName = "node-a" },
			state: "ContainerCreating", summary: "pod/web has its place on node/node-a, and its containers have not been reported yet.", notModelled: 1,
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
			if diff := cmp.Diff(tc.summary, got.Summary); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if len(got.Findings) != 0 || len(got.NotModelled) != tc.notModelled {
				t.Errorf("findings = %v, notModelled = %v, want %d of these", got.Findings, got.NotModelled, tc.notModelled)
			}
		})
	}
}

func running(ready corev1.ConditionStatus, why string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: ready, Message: why},
	}}
}

func unschedulable(why string) []corev1.PodCondition {
	return []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why},
	}
}

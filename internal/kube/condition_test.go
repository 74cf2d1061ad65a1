package kube_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	nodeutil "k8s.io/kubernetes/pkg/util/node"

	"github.com/naosu-dev/naosu/internal/kube"
)

func TestNodeReady(t *testing.T) {
	ready := func(status corev1.ConditionStatus) []corev1.NodeCondition {
		return []corev1.NodeCondition{{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue}, {Type: corev1.NodeReady, Status: status}}
	}
	for name, tc := range map[string]struct {
		conditions []corev1.NodeCondition
		want       corev1.ConditionStatus
	}{
		"never reported": {nil, corev1.ConditionUnknown},
		"another":        {ready(corev1.ConditionTrue)[:1], corev1.ConditionUnknown},
		"True":           {ready(corev1.ConditionTrue), corev1.ConditionTrue},
		"False":          {ready(corev1.ConditionFalse), corev1.ConditionFalse},
		"Unknown":        {ready(corev1.ConditionUnknown), corev1.ConditionUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{Status: corev1.NodeStatus{Conditions: tc.conditions}}
			if got := kube.NodeReady(node); got.Type != corev1.NodeReady || got.Status != tc.want {
				t.Errorf("got %s %s, want %s", got.Type, got.Status, tc.want)
			}
			if got, want := kube.IsNodeReady(node), nodeutil.IsNodeReady(node); got != want {
				t.Errorf("ready: got %t, Kubernetes says %t", got, want)
			}
			if got, want := kube.IsNodeUnreachable(node), tc.want == corev1.ConditionUnknown; got != want {
				t.Errorf("unreachable: got %t, want %t", got, want)
			}
		})
	}
}

func TestPodReady(t *testing.T) {
	ready := func(status corev1.ConditionStatus) []corev1.PodCondition {
		return []corev1.PodCondition{{Type: corev1.ContainersReady, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: status}}
	}
	for name, conditions := range map[string][]corev1.PodCondition{
		"none": nil, "another": ready(corev1.ConditionTrue)[:1],
		"True": ready(corev1.ConditionTrue), "False": ready(corev1.ConditionFalse), "Unknown": ready(corev1.ConditionUnknown),
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Status: corev1.PodStatus{Conditions: conditions}}
			_, want := podutil.GetPodCondition(&pod.Status, corev1.PodReady)
			if got := kube.PodCondition(pod, corev1.PodReady); got != want {
				t.Errorf("condition: got %v, Kubernetes says %v", got, want)
			}
			if got, want := kube.IsPodReady(pod), podutil.IsPodReady(pod); got != want {
				t.Errorf("ready: got %t, Kubernetes says %t", got, want)
			}
		})
	}
}

func TestTrueJobCondition(t *testing.T) {
	job := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse}, {Type: batchv1.JobFailed, Status: corev1.ConditionTrue},
	}}}
	if got := kube.TrueJobCondition(job, batchv1.JobFailed); got != &job.Status.Conditions[1] {
		t.Errorf("Failed: got %v", got)
	}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuspended, batchv1.JobComplete} {
		if got := kube.TrueJobCondition(job, kind); got != nil {
			t.Errorf("%s: got %v, want none", kind, got)
		}
	}
}

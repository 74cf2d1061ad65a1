package diagnosis_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/message"
)

// TestTooLarge has one pod, and nodes of which each may be too small for it even when empty.
func TestTooLarge(t *testing.T) {
	const gpu = "nvidia.com/gpu"
	type amounts = map[corev1.ResourceName]string
	for name, tc := range map[string]struct {
		requests amounts
		nodes    []amounts
		// daemon is what a DaemonSet's pod of this priority requests on the first node.
		daemon   string
		priority int32
		// summary is in the summary, remedy in the message of a remedy; empty if there is none about sizes.
		summary, remedy string
	}{
		"one resource": {
			amounts{"cpu": "6"},
			[]amounts{{"cpu": "1930m"}, {"cpu": "1"}},
			"", 0,
			"no node can hold it, even when empty: it requests 6 cpu, and the largest node, node/n0, has 1930m cpu.", "a node needs 6 cpu allocatable.",
		},
		"two resources": {
			amounts{"cpu": "6", "memory": "64Gi"},
			[]amounts{{"cpu": "2", "memory": "8Gi"}},
			"", 0,
			"it requests 64Gi memory and 6 cpu, and the largest node, node/n0, has 8Gi memory and 2 cpu.", "at most 8Gi memory and 2 cpu",
		},
		"each node has too little of another": {
			amounts{"cpu": "6", "memory": "16Gi"},
			[]amounts{{"cpu": "8", "memory": "8Gi"}, {"cpu": "2", "memory": "32Gi"}},
			"", 0,
			"it requests 16Gi memory, and the closest node, node/n0, has 8Gi memory.", "at most 8Gi memory",
		},
		"beside a DaemonSet":                   {amounts{"cpu": "6"}, []amounts{{"cpu": "2"}}, "500m", 0, "has 2 cpu.", "at most 1500m cpu"},
		"beside a DaemonSet that is preempted": {amounts{"cpu": "6"}, []amounts{{"cpu": "2"}}, "500m", -1, "has 2 cpu.", "at most 2 cpu"},
		"the DaemonSet leaves nothing":         {amounts{"cpu": "6"}, []amounts{{"cpu": "2"}}, "2", 0, "has 2 cpu.", "a node needs 6 cpu allocatable, and 2 cpu more for pods of DaemonSets"},
		"too few GPUs":                         {amounts{gpu: "8"}, []amounts{{"cpu": "2"}, {"cpu": "2", gpu: "4"}}, "", 0, "it requests 8 nvidia.com/gpu, and the largest node, node/n1, has 4 nvidia.com/gpu.", "at most 4 nvidia.com/gpu"},
		"no GPUs at all":                       {amounts{gpu: "8"}, []amounts{{"cpu": "2"}}, "", 0, "the only node cannot take it: 1 without enough nvidia.com/gpu", ""},
		"it would fit on an empty node":        {amounts{"cpu": "2"}, []amounts{{"cpu": "2"}, {"cpu": "1"}}, "500m", 0, "none of 2 nodes can take it: 2 without enough cpu", ""},
	} {
		t.Run(name, func(t *testing.T) {
			list := func(from amounts) corev1.ResourceList {
				all := corev1.ResourceList{}
				for name, amount := range from {
					all[name] = resource.MustParse(amount)
				}
				return all
			}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "big", Namespace: "shop", UID: "big"}}
			pod.Spec.Containers = []corev1.Container{{Name: "app", Image: "app", Resources: corev1.ResourceRequirements{Requests: list(tc.requests)}}}
			pod.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: unschedulable("0/1 nodes are available.")}
			objects := []runtime.Object{pod}
			for i, has := range tc.nodes {
				node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n" + string(rune('0'+i))}}
				node.Status.Allocatable = list(has)
				node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("29")
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
				objects = append(objects, node)
			}
			if tc.daemon != "" {
				daemon := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "kube-system", UID: "agent"}}
				daemon.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "set", Controller: new(true)}}
				daemon.Spec = corev1.PodSpec{NodeName: "n0", Priority: &tc.priority, Containers: []corev1.Container{
					{Name: "agent", Image: "agent", Resources: corev1.ResourceRequirements{Requests: list(amounts{"cpu": tc.daemon})}},
				}}
				daemon.Status.Phase = corev1.PodRunning
				objects = append(objects, daemon)
			}
			answer := explain(t, objects, everything())
			if summary := message.English().Say(answer.Summary); !strings.Contains(summary, tc.summary) {
				t.Errorf("the summary is %q, want %q", summary, tc.summary)
			}
			var remedies []string
			for _, f := range answer.Findings {
				for _, r := range f.Remedies {
					remedies = append(remedies, message.English().Say(r.Message))
				}
			}
			if said := strings.Join(remedies, " | "); !strings.Contains(said, tc.remedy) || tc.remedy == "" && strings.Contains(said, "larger nodes") {
				t.Errorf("the remedies are %q, want %q", said, tc.remedy)
			}
		})
	}
}

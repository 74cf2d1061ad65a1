package kube_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		})
	}
}

func TestIsBeingRemoved(t *testing.T) {
	tainted := func(key string) *corev1.Node {
		return groupNode("n", "a", withTaints(corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}))
	}
	for name, tc := range map[string]struct {
		node *corev1.Node
		want bool
	}{
		"works":                         {groupNode("n", "a"), false},
		"deleted":                       {groupNode("n", "a", func(n *corev1.Node) { n.DeletionTimestamp = new(metav1.Now()) }), true},
		"removed by Cluster Autoscaler": {tainted("ToBeDeletedByClusterAutoscaler"), true},
		"disrupted by Karpenter":        {tainted("karpenter.sh/disrupted"), true},
		"shut down":                     {tainted("node.cloudprovider.kubernetes.io/shutdown"), true},
		"may be removed later":          {tainted("DeletionCandidateOfClusterAutoscaler"), false},
		"unreachable":                   {tainted(corev1.TaintNodeUnreachable), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kube.IsBeingRemoved(tc.node); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

package kube_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

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

func TestGKERecreation(t *testing.T) {
	for text, want := range map[string]string{
		"operation_type: UPGRADE_NODES\nlock_end_timestamp: 1740376866\noperation_name: \"operation-1\"\n": "UPGRADE_NODES",
		"operation_name: \"x\"\noperation_type: AUTO_REPAIR_NODES":                                         "AUTO_REPAIR_NODES",
		"operation_type: SET_LABELS":                        "",
		"operation_name: \"operation_type: UPGRADE_NODES\"": "",
		"": "",
	} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"gke-current-operation": text}}}
		if got := kube.GKERecreation(node); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

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

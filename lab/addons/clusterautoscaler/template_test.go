package clusterautoscaler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func mebi(n int64) *resource.Quantity { return resource.NewQuantity(n<<20, resource.BinarySI) }

func TestTemplateIsSanitized(t *testing.T) {
	taint := func(keys ...string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			for _, key := range keys {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
			}
		}
	}
	w := newWorld().group("app", 0, 1, 9, "1a").
		node("app", "a", "1b", taint("dedicated", deletionCandidateTaint, corev1.TaintNodeMemoryPressure, "startup-taint.cluster-autoscaler.kubernetes.io/cni")).
		pod(testPod("web", 100, on("a")), testPod("agent", 100, on("a"), ownedBy("DaemonSet")), testPod("old", 100, on("a"), ownedBy("DaemonSet"), deleting))
	template := w.template(defaults(nil), &w.groups[0], newSnapshot(w.nodes, w.pods))
	node := template.Node()
	if got := node.Labels[corev1.LabelTopologyZone]; got != "1b" {
		t.Errorf("stands in %s", got)
	}
	if diff := cmp.Diff([]corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}, node.Spec.Taints); diff != "" {
		t.Error(diff)
	}
	if pods := template.GetPods(); len(pods) != 1 || pods[0].GetPod().Name != "agent-template-node-for-app" {
		t.Errorf("pods: %v", pods)
	}
	if w.nodes[0].Name != "a" || len(w.nodes[0].Spec.Taints) != 4 || w.pods[1].Spec.NodeName != "a" {
		t.Error("the example was changed")
	}
}

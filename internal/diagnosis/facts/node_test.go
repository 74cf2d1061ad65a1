package facts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/kube"
)

func TestReadiness(t *testing.T) {
	ready := func(status corev1.ConditionStatus) []corev1.NodeCondition {
		return []corev1.NodeCondition{{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue}, {Type: corev1.NodeReady, Status: status}}
	}
	for name, tc := range map[string]struct {
		conditions []corev1.NodeCondition
		status     corev1.ConditionStatus
		taint      string
		notReady   bool
	}{
		"never reported": {status: corev1.ConditionUnknown, taint: corev1.TaintNodeUnreachable, notReady: true},
		"True":           {conditions: ready(corev1.ConditionTrue), status: corev1.ConditionTrue, taint: corev1.TaintNodeUnreachable},
		"False":          {conditions: ready(corev1.ConditionFalse), status: corev1.ConditionFalse, taint: corev1.TaintNodeNotReady, notReady: true},
		"Unknown":        {conditions: ready(corev1.ConditionUnknown), status: corev1.ConditionUnknown, taint: corev1.TaintNodeUnreachable, notReady: true},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{Status: corev1.NodeStatus{Conditions: tc.conditions}}
			condition, taint := facts.Readiness(node)
			if condition.Type != corev1.NodeReady || condition.Status != tc.status || taint != tc.taint {
				t.Errorf("got %s %s and %s, want %s and %s", condition.Type, condition.Status, taint, tc.status, tc.taint)
			}
			if got := !kube.IsNodeReady(node); got != tc.notReady {
				t.Errorf("not ready: got %v, want %v", got, tc.notReady)
			}
		})
	}
}

func TestMayRun(t *testing.T) {
	for name, tc := range map[string]struct {
		node *corev1.Node
		pod  corev1.PodSpec
		want bool
	}{
		"a ready node":                   {node: node(), want: true},
		"cordoned, the taint is not yet": {node: node(func(n *corev1.Node) { n.Spec.Unschedulable = true })},
		"cordoned, and tolerated": {
			node: node(func(n *corev1.Node) { n.Spec.Unschedulable = true }), want: true,
			pod: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists}}},
		},
		"not ready, the taint is not yet": {node: node(func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse })},
		"unknown, and only not-ready tolerated": {
			node: node(func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }),
			pod:  corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists}}},
		},
		"not selected": {node: node(), pod: corev1.PodSpec{NodeSelector: map[string]string{corev1.LabelHostname: "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := facts.MayRun(&corev1.Pod{Spec: tc.pod}, tc.node, nil); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestUnhealthyConditions(t *testing.T) {
	n := node(func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionFalse},         // the kubelet's
			{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue}, // the kubelet's
			{Type: "KernelReady", Status: corev1.ConditionFalse},            // an agent's, False is unhealthy
			{Type: "StorageReady", Status: corev1.ConditionUnknown},         // an agent's that does not know
			{Type: "KernelDeadlock", Status: corev1.ConditionTrue},          // node-problem-detector's, True is unhealthy
			{Type: "ReadonlyFilesystem", Status: corev1.ConditionFalse},     // well
			{Type: "NetworkUnavailable", Status: corev1.ConditionTrue},      // a cloud controller's
			{Type: "example.com/NotInterested", Status: corev1.ConditionTrue},
		}
	})
	var got []string
	for _, c := range facts.UnhealthyConditions(n) {
		got = append(got, string(c.Type))
	}
	if diff := cmp.Diff([]string{"KernelReady", "KernelDeadlock"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTaintOwnerOf(t *testing.T) {
	for key, want := range map[string]facts.TaintOwner{
		corev1.TaintNodeDiskPressure:                        facts.TaintOwnerCondition,
		"node.cloudprovider.kubernetes.io/uninitialized":    facts.TaintOwnerCloudController,
		"node.cilium.io/agent-not-ready":                    facts.TaintOwnerAgent,
		"example.com/agent-not-ready":                       facts.TaintOwnerAgent,
		"startup-taint.cluster-autoscaler.kubernetes.io/x":  facts.TaintOwnerAgent,
		"karpenter.sh/disrupted":                            facts.TaintOwnerAutoscaler,
		"naosu.dev/silent":                                  facts.TaintOwnerFailover,
		"karpenter.sh/unregistered":                         facts.TaintOwnerRegistration,
		"node.cluster.x-k8s.io/uninitialized":               facts.TaintOwnerRegistration,
		"cni.istio.io/not-ready":                            facts.TaintOwnerAgent,
		"readiness.k8s.io/network":                          facts.TaintOwnerAgent,
		"ignore-taint.cluster-autoscaler.kubernetes.io/x":   facts.TaintOwnerAgent,
		"node.cloudprovider.kubernetes.io/shutdown":         facts.TaintOwnerShutdown,
		"cloud.google.com/impending-node-termination":       facts.TaintOwnerShutdown,
		"aws-node-termination-handler/spot-itn":             facts.TaintOwnerShutdown,
		corev1.TaintNodeOutOfService:                        "", // A person adds it, and removes it.
		"aws-node-termination-handler":                      "",
		"dedicated":                                         "",
		"agent-not-ready":                                   "", // It has no prefix that tells whose it is.
		"node.cloudprovider.kubernetes.io/uninitialized-by": "",
	} {
		got, ok := facts.TaintOwnerOf(corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q and %v, want %q", key, got, ok, want)
		}
	}
}

// node is a ready node "a" of two CPUs in zone a.
func node(edits ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{corev1.LabelHostname: "a", corev1.LabelTopologyZone: "a"}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, edit := range edits {
		edit(n)
	}
	return n
}

package diagnosis_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// TestResourceThatNodesLack says why the nodes have none of a resource that not every node has.
func TestResourceThatNodesLack(t *testing.T) {
	const gpu = "nvidia.com/gpu"
	one := corev1.ResourceList{gpu: resource.MustParse("1")}
	other := func(edit func(*corev1.Node)) *corev1.Node {
		n := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{corev1.LabelHostname: "other"}},
			Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		}
		edit(n)
		n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("10")
		return n
	}
	for name, tc := range map[string]struct {
		request   corev1.ResourceList
		other     *corev1.Node
		says, not []string
	}{
		"nowhere": {one, nil, []string{"No node offers nvidia.com/gpu: either"}, []string{"more than the largest"}},
		"on a node with another selector": {
			one, other(func(n *corev1.Node) { n.Status.Allocatable, n.Status.Capacity = one.DeepCopy(), one }),
			[]string{"None of these nodes offers nvidia.com/gpu; node/other offers it and is excluded for another reason"},
			[]string{"No node offers"},
		},
		"not healthy": {
			one, other(func(n *corev1.Node) {
				n.Status.Allocatable, n.Status.Capacity = corev1.ResourceList{gpu: resource.MustParse("0")}, one
			}),
			[]string{"node/other has nvidia.com/gpu, but none that is healthy"},
			[]string{"No node offers"},
		},
		"huge pages": {corev1.ResourceList{"hugepages-2Mi": resource.MustParse("64Mi")}, nil, []string{"No node has hugepages-2Mi"}, []string{"device"}},
		"memory": {
			corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Gi")},
			nil,
			[]string{"It requests 64Gi memory"},
			[]string{"offers", "device"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, "testdata/upstream/k8s-device-plugin-344.yaml")
			subject(t, objects).Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: tc.request}
			if tc.other != nil {
				objects = append(objects, runtime.Object(tc.other))
			}
			expectWords(t, answerOf(explain(t, objects, everything())), tc.says, tc.not)
		})
	}
}

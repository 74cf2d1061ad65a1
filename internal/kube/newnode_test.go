package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

// groupNode is a ready node of a group.
func groupNode(name, zone string, edits ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: zone}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, edit := range edits {
		edit(node)
	}
	return node
}

func withTaints(taints ...corev1.Taint) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = taints }
}

// TestNewNode compares every field: what belongs to the group stays, what belongs to the example alone goes.
func TestNewNode(t *testing.T) {
	example := &corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "old", UID: "uid", ResourceVersion: "7", CreationTimestamp: metav1.Now(), DeletionTimestamp: new(metav1.Now()), Finalizers: []string{"karpenter.sh/termination"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "NodeClaim", Name: "old"}},
			Annotations:     map[string]string{"example.com/pool": "app"},
			Labels: map[string]string{
				"pool": "app", corev1.LabelHostname: "old", corev1.LabelTopologyZone: "a", corev1.LabelFailureDomainBetaZone: "a", "topology.ebs.csi.aws.com/zone": "a",
			},
		},
		Spec: corev1.NodeSpec{
			PodCIDR: "10.0.0.0/24", PodCIDRs: []string{"10.0.0.0/24"}, ProviderID: "aws:///a/i-1", Unschedulable: true,
			Taints: []corev1.Taint{
				{Key: "dedicated", Value: "app", Effect: corev1.TaintEffectNoSchedule},
				{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
			},
		},
		Status: corev1.NodeStatus{
			Capacity:         corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
			Allocatable:      corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
			Phase:            corev1.NodeRunning,
			Conditions:       []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}},
			Addresses:        []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
			DaemonEndpoints:  corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
			NodeInfo:         corev1.NodeSystemInfo{MachineID: "m", SystemUUID: "s", BootID: "b", KubeletVersion: "v1.36.3", Architecture: "arm64"},
			Images:           []corev1.ContainerImage{{Names: []string{"app"}}},
			VolumesInUse:     []corev1.UniqueVolumeName{"v"},
			VolumesAttached:  []corev1.AttachedVolume{{Name: "v"}},
			RuntimeHandlers:  []corev1.NodeRuntimeHandler{{Name: "runc"}},
			Features:         &corev1.NodeFeatures{SupplementalGroupsPolicy: new(true)},
			DeclaredFeatures: []string{"f"},
		},
	}
	before := example.DeepCopy()
	want := &corev1.Node{
		TypeMeta: example.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Name: "new", Annotations: map[string]string{"example.com/pool": "app"},
			Labels: map[string]string{
				"pool": "app", corev1.LabelHostname: "new", corev1.LabelTopologyZone: "b", corev1.LabelFailureDomainBetaZone: "b", "topology.ebs.csi.aws.com/zone": "b",
			},
		},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "dedicated", Value: "app", Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{
			Capacity: example.Status.Capacity, Allocatable: example.Status.Allocatable, DaemonEndpoints: example.Status.DaemonEndpoints,
			NodeInfo:        corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", Architecture: "arm64"},
			RuntimeHandlers: example.Status.RuntimeHandlers, Features: example.Status.Features, DeclaredFeatures: example.Status.DeclaredFeatures,
		},
	}
	got := kube.NewNode("new", "b", example, []*corev1.Node{example})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got.Labels["pool"], got.Annotations["example.com/pool"] = "changed", "changed"
	got.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("9")
	got.Status.DeclaredFeatures[0] = "changed"
	if diff := cmp.Diff(before, example); diff != "" {
		t.Errorf("the example was changed:\n%s", diff)
	}
	if same := kube.NewNode("new", "", example, nil); kube.Zone(same) != "a" {
		t.Errorf("without a zone it is in %q", kube.Zone(same))
	}
}

// TestNewNodeTaints gives each taint to one, two or three of a group's three nodes, the example among them.
func TestNewNodeTaints(t *testing.T) {
	for key, want := range map[string][]int{ // how many nodes have it, so that a new one has it, too
		"dedicated": {2, 3},
		// A state's: Cluster Autoscaler leaves them out, however many nodes have them.
		corev1.TaintNodeNotReady:                          nil,
		corev1.TaintNodeUnreachable:                       nil,
		corev1.TaintNodeUnschedulable:                     nil,
		corev1.TaintNodeDiskPressure:                      nil,
		corev1.TaintNodeOutOfService:                      nil,
		kube.TaintNodeShutdown:                            nil,
		kube.TaintToBeDeleted:                             nil,
		kube.TaintDeletionCandidate:                       nil,
		kube.TaintDisrupted:                               nil,
		"karpenter.sh/unregistered":                       nil,
		"status-taint.cluster-autoscaler.kubernetes.io/x": nil,
		"cloud.google.com/impending-node-termination":     nil,
		"NodeWithImpairedVolumes":                         nil,
		// A start-up taint: one node still starts, or nothing removes it.
		"node.cloudprovider.kubernetes.io/uninitialized":   {2, 3},
		"node.cilium.io/agent-not-ready":                   {2, 3},
		"startup-taint.cluster-autoscaler.kubernetes.io/x": {2, 3},
		"readiness.k8s.io/network":                         {2, 3},
	} {
		t.Run(key, func(t *testing.T) {
			tainted := withTaints(corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
			var got []int
			for have := 1; have <= 3; have++ {
				group := []*corev1.Node{groupNode("n1", "a"), groupNode("n2", "a"), groupNode("n3", "a")}
				for _, node := range group[:have] {
					tainted(node)
				}
				if len(kube.NewNode("new", "", group[0], group).Spec.Taints) > 0 {
					got = append(got, have)
				}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("with so many of three nodes (-want +got):\n%s", diff)
			}
		})
	}
	one, other := withTaints(corev1.Taint{Key: "a", Effect: corev1.TaintEffectNoSchedule}), withTaints(corev1.Taint{Key: "a", Effect: corev1.TaintEffectNoExecute})
	group := []*corev1.Node{groupNode("n1", "a", one), groupNode("n2", "a", other), groupNode("n3", "a", other)}
	if got := kube.NewNode("new", "", group[0], group).Spec.Taints; len(got) > 0 {
		t.Errorf("the taint %v is another's that has its key", got)
	}
}

func TestExampleNode(t *testing.T) {
	unready := func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	removed := withTaints(corev1.Taint{Key: kube.TaintDisrupted, Effect: corev1.TaintEffectNoSchedule})
	silent := func(n *corev1.Node) { n.Status.Conditions = nil }
	for name, tc := range map[string]struct {
		group []*corev1.Node
		want  string
	}{
		"one of the zone":               {[]*corev1.Node{groupNode("a1", "a"), groupNode("b1", "b"), groupNode("b2", "b")}, "b1"},
		"no node in the zone":           {[]*corev1.Node{groupNode("a1", "a"), groupNode("c1", "c")}, "a1"},
		"not Ready":                     {[]*corev1.Node{groupNode("b1", "b", unready), groupNode("b2", "b")}, "b2"},
		"never reported":                {[]*corev1.Node{groupNode("b1", "b", silent), groupNode("b2", "b")}, "b2"},
		"cordoned":                      {[]*corev1.Node{groupNode("b1", "b", cordoned), groupNode("b2", "b")}, "b2"},
		"being removed":                 {[]*corev1.Node{groupNode("b1", "b", removed), groupNode("b2", "b")}, "b2"},
		"works only in another zone":    {[]*corev1.Node{groupNode("b1", "b", unready), groupNode("a1", "a")}, "a1"},
		"none works":                    {[]*corev1.Node{groupNode("a1", "a", unready), groupNode("b1", "b", cordoned)}, "b1"},
		"none works, none in that zone": {[]*corev1.Node{groupNode("a1", "a", unready), groupNode("c1", "c", cordoned)}, "a1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kube.ExampleNode("b", tc.group).Name; got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

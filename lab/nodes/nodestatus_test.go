package nodes

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

func TestNodeStatus(t *testing.T) {
	agents := corev1.NodeCondition{Type: "KernelReady", Status: corev1.ConditionFalse, Reason: "SoftLockup"}
	tests := map[string]struct {
		change  func(*Machine, *corev1.NodeStatus, *report)
		changed bool
		want    func(*corev1.NodeStatus)
	}{
		"nothing but the time": {
			change: func(*Machine, *corev1.NodeStatus, *report) {},
		},
		"another's condition stays": {
			change: func(_ *Machine, s *corev1.NodeStatus, _ *report) { s.Conditions = append(s.Conditions, agents) },
			want:   func(s *corev1.NodeStatus) { s.Conditions = append(s.Conditions, agents) },
		},
		"an extended resource stays": {
			change: func(_ *Machine, s *corev1.NodeStatus, _ *report) {
				s.Capacity["example.com/gpu"] = resource.MustParse("2")
			},
			want: func(s *corev1.NodeStatus) { s.Capacity["example.com/gpu"] = resource.MustParse("2") },
		},
		"unknown to the node controller, it is ready again": {
			change: func(_ *Machine, s *corev1.NodeStatus, _ *report) {
				for i := range s.Conditions {
					s.Conditions[i].Status, s.Conditions[i].Reason = corev1.ConditionUnknown, "NodeStatusUnknown"
				}
			},
			changed: true,
			want: func(s *corev1.NodeStatus) {
				for i := range s.Conditions {
					s.Conditions[i].LastTransitionTime = metav1.NewTime(epoch.Add(time.Minute))
				}
			},
		},
		"memory pressure": {
			change:  func(_ *Machine, _ *corev1.NodeStatus, r *report) { r.memoryPressure = true },
			changed: true,
			want: func(s *corev1.NodeStatus) {
				s.Conditions[0] = corev1.NodeCondition{
					Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue, Reason: "KubeletHasInsufficientMemory",
					Message: "kubelet has insufficient memory available", LastTransitionTime: metav1.NewTime(epoch.Add(time.Minute)),
				}
			},
		},
		"a volume in use": {
			change:  func(_ *Machine, _ *corev1.NodeStatus, r *report) { r.volumesInUse = []corev1.UniqueVolumeName{"v"} },
			changed: true,
			want:    func(s *corev1.NodeStatus) { s.VolumesInUse = []corev1.UniqueVolumeName{"v"} },
		},
		"a volume in use no longer": {
			change:  func(_ *Machine, s *corev1.NodeStatus, _ *report) { s.VolumesInUse = []corev1.UniqueVolumeName{"v"} },
			changed: true,
		},
		"the cloud's addresses stay": {
			change: func(m *Machine, s *corev1.NodeStatus, _ *report) {
				m.CloudProvider = true
				s.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalDNS, Address: "a.ec2.internal"}}
			},
			want: func(s *corev1.NodeStatus) {
				s.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalDNS, Address: "a.ec2.internal"}}
			},
		},
		"others' addresses do not": {
			change:  func(_ *Machine, s *corev1.NodeStatus, _ *report) { s.Addresses = nil },
			changed: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m, r := testMachine("a"), report{now: epoch, bootID: "b", ready: true}
			m.complete()
			want := nodeStatusOf(&m, &corev1.NodeStatus{}, r)
			old := *want.DeepCopy()
			r.now = epoch.Add(time.Minute)
			test.change(&m, &old, &r)
			if test.want != nil {
				test.want(&want)
			}
			for i := range want.Conditions {
				if slices.ContainsFunc(nodeConditions(r), func(c corev1.NodeCondition) bool { return c.Type == want.Conditions[i].Type }) {
					want.Conditions[i].LastHeartbeatTime = metav1.NewTime(r.now)
				}
			}
			got := nodeStatusOf(&m, &old, r)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("status (-want +got):\n%s", d)
			}
			patch, changed := nodeDiff(&old, &got)
			if changed != test.changed {
				t.Errorf("changed is %v", changed)
			}
			if d := cmp.Diff(got, patched(t, old, patch)); d != "" {
				t.Errorf("what the patch leaves (-want +got):\n%s", d)
			}
		})
	}
}

func patched(t *testing.T, old corev1.NodeStatus, d diff) corev1.NodeStatus {
	t.Helper()
	node, err := json.Marshal(corev1.Node{Status: old})
	if err != nil {
		t.Fatal(err)
	}
	patch, err := json.Marshal(map[string]any{"status": d})
	if err != nil {
		t.Fatal(err)
	}
	result, err := strategicpatch.StrategicMergePatch(node, patch, corev1.Node{})
	if err != nil {
		t.Fatal(err)
	}
	var got corev1.Node
	if err := json.Unmarshal(result, &got); err != nil {
		t.Fatal(err)
	}
	return got.Status
}

func TestInitialNode(t *testing.T) {
	m := testMachine("a")
	m.Labels = map[string]string{"eks.amazonaws.com/nodegroup": "g"}
	m.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}
	m.CloudProvider, m.InstanceID = true, "i-1"
	m.complete()
	node := initialNode(&m, report{now: epoch})
	if node.Labels["eks.amazonaws.com/nodegroup"] != "g" || node.Labels[corev1.LabelHostname] != "a" {
		t.Errorf("labels are %v", node.Labels)
	}
	want := append(slices.Clone(m.Taints), corev1.Taint{Key: taintUninitialized, Value: "true", Effect: corev1.TaintEffectNoSchedule})
	if d := cmp.Diff(want, node.Spec.Taints); d != "" {
		t.Errorf("taints (-want +got):\n%s", d)
	}
	annotations := map[string]string{
		"volumes.kubernetes.io/controller-managed-attach-detach": "true",
		"lab.naosu.dev/simulated":                                "true",
		"csi.volume.kubernetes.io/nodeid":                        `{"ebs.csi.aws.com":"i-1","efs.csi.aws.com":"i-1"}`,
		"alpha.kubernetes.io/provided-node-ip":                   "10.0.1.1",
	}
	if d := cmp.Diff(annotations, node.Annotations); d != "" {
		t.Errorf("annotations (-want +got):\n%s", d)
	}
	if nodeCondition(&node.Status, corev1.NodeReady) != corev1.ConditionFalse {
		t.Error("a new node is ready before its CSINode is there")
	}
}

func TestNodeEvents(t *testing.T) {
	m := testMachine("a")
	old := nodeStatusOf(&m, &corev1.NodeStatus{}, report{now: epoch, bootID: "1"})
	status := nodeStatusOf(&m, &old, report{now: epoch, bootID: "2", ready: true, memoryPressure: true})
	var got []string
	for _, h := range nodeEvents("a", &old, &status) {
		got = append(got, h.kind+" "+h.reason+": "+h.message)
	}
	want := []string{
		"Warning Rebooted: Node a has been rebooted, boot id: 2",
		"Normal NodeHasInsufficientMemory: Node a status is now: NodeHasInsufficientMemory",
		"Normal NodeReady: Node a status is now: NodeReady",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if again := nodeEvents("a", &status, &status); len(again) != 0 {
		t.Errorf("nothing changed, and %v is said", again)
	}
}

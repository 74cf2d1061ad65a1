package nodes

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
)

func requests(pairs ...string) option {
	return func(p *corev1.Pod) {
		list := corev1.ResourceList{}
		for i := 0; i < len(pairs); i += 2 {
			list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
		}
		p.Spec.Containers[0].Resources.Requests = list
	}
}

func prio(n int32) option { return func(p *corev1.Pod) { p.Spec.Priority = &n } }

func TestAdmission(t *testing.T) {
	two := []*corev1.Pod{newPod(requests("cpu", "500m")), newPod(requests("cpu", "500m", "memory", "1Gi"))}
	bestEffort := func(p *corev1.Pod) { p.Status.QOSClass = corev1.PodQOSBestEffort }
	tests := map[string]struct {
		pod      *corev1.Pod
		others   []*corev1.Pod
		node     func(*corev1.Node)
		pressure bool
		want     string // "reason: message"
	}{
		"fits": {pod: newPod(requests("cpu", "1", "memory", "1Gi")), others: two},
		"out of CPU": {
			pod: newPod(requests("cpu", "1001m")), others: two,
			want: "OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu, requested: 1001, used: 1000, capacity: 2000",
		},
		"out of memory": {
			pod: newPod(requests("memory", "1073741825")), others: two,
			want: "OutOfmemory: Pod was rejected: Node didn't have enough resource: memory, requested: 1073741825, used: 1073741824, capacity: 2147483648",
		},
		"out of pods": {
			pod: newPod(), others: append(two, newPod()),
			want: "OutOfpods: Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
		},
		"a resource the node does not list": {pod: newPod(requests("example.com/gpu", "1"))},
		"a resource the node has too little of": {
			pod:  newPod(requests("example.com/gpu", "2")),
			node: func(n *corev1.Node) { n.Status.Allocatable["example.com/gpu"] = resource.MustParse("1") },
			want: "OutOfexample.com/gpu: Pod was rejected: Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
		},
		"a selector that does not match": {
			pod:  newPod(func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"zone": "b"} }),
			want: "NodeAffinity: Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
		},
		"a selector that does": {pod: newPod(func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"zone": "a"} })},
		"a taint that only keeps the scheduler away": {
			pod:  newPod(),
			node: func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}} },
		},
		"a taint that drives out": {
			pod:  newPod(),
			node: func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoExecute}} },
			want: "TaintToleration: Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
		},
		"memory pressure, best effort": {
			pod: newPod(bestEffort), pressure: true,
			want: "Evicted: Pod was rejected: The node had condition: [MemoryPressure]. ",
		},
		"memory pressure, best effort but critical": {pod: newPod(bestEffort, prio(systemCritical)), pressure: true},
		"memory pressure, with requests":            {pod: newPod(requests("memory", "1Mi")), pressure: true},
		"memory pressure, tolerated": {pod: newPod(bestEffort, func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists}}
		}), pressure: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				"cpu": resource.MustParse("2"), "memory": resource.MustParse("2Gi"), "pods": resource.MustParse("3"),
			}}}
			node.Labels = map[string]string{"zone": "a"}
			if test.node != nil {
				test.node(node)
			}
			got := ""
			if d := admission(test.pod, test.others, node, test.pressure); d != nil {
				got = d.reason + ": " + d.message
			}
			if got != test.want {
				t.Errorf("verdict is %q, want %q", got, test.want)
			}
		})
	}
}

func TestRejectedPodStatus(t *testing.T) {
	p := newPodSimulator(t, newPod())
	p.life.termination, p.life.terminated = rejected("OutOfcpu", "m"), true
	p.until(0)
	if s := p.pod.Status; s.Phase != corev1.PodFailed || s.Reason != "OutOfcpu" || s.ContainerStatuses != nil {
		t.Errorf("status is %+v", s)
	}
}

func TestPodToEvict(t *testing.T) {
	pod := func(name, uses, wants string, options ...option) *corev1.Pod {
		return newPod(append(options, does("memory-use", uses), requests("memory", wants), func(p *corev1.Pod) { p.UID = types.UID(name) })...)
	}
	tests := map[string]struct {
		pods []*corev1.Pod
		want string
	}{
		"nobody": {},
		"who uses more than requested, whatever the priority": {[]*corev1.Pod{pod("low", "1Gi", "1Gi"), pod("high", "2Gi", "1Gi", prio(1000))}, "high"},
		"then the lowest priority":                            {[]*corev1.Pod{pod("high", "3Gi", "1Gi", prio(1)), pod("low", "2Gi", "1Gi")}, "low"},
		"then who is furthest above its request":              {[]*corev1.Pod{pod("some", "4Gi", "3Gi"), pod("more", "3Gi", "1Gi")}, "more"},
		"never a critical one":                                {[]*corev1.Pod{pod("critical", "3Gi", "1Gi", prio(systemCritical)), pod("modest", "1Gi", "1Gi", prio(5))}, "modest"},
		"not even alone":                                      {[]*corev1.Pod{pod("critical", "3Gi", "1Gi", prio(systemCritical))}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if p := podToEvict(test.pods); p != nil {
				got = string(p.UID)
			}
			if got != test.want {
				t.Errorf("evicted is %q, want %q", got, test.want)
			}
		})
	}
}

func TestEvictedMessage(t *testing.T) {
	pod := newPod(does("memory-use", "900Mi"), requests("memory", "100Mi"))
	want := "The node was low on resource: memory. Threshold quantity: 100Mi, available: 52Mi. " +
		"Container c was using 900Mi, request is 100Mi, has larger consumption of memory. "
	if d := evicted(pod, 52<<20, 0); d.message != want {
		t.Errorf("message is %q, want %q", d.message, want)
	}
}

func TestAttached(t *testing.T) {
	node := func(inUse, attached string) *corev1.Node {
		n := &corev1.Node{}
		if inUse != "" {
			n.Status.VolumesInUse = []corev1.UniqueVolumeName{corev1.UniqueVolumeName(inUse)}
		}
		if attached != "" {
			n.Status.VolumesAttached = []corev1.AttachedVolume{{Name: corev1.UniqueVolumeName(attached)}}
		}
		return n
	}
	tests := map[string]struct {
		node    *corev1.Node
		volumes []corev1.UniqueVolumeName
		want    bool
	}{
		"no volumes, no node":             {nil, nil, true},
		"no node":                         {nil, []corev1.UniqueVolumeName{"v"}, false},
		"attached, and said to be in use": {node("v", "v"), []corev1.UniqueVolumeName{"v"}, true},
		"attached, but not yet said":      {node("", "v"), []corev1.UniqueVolumeName{"v"}, false},
		"not attached":                    {node("v", ""), []corev1.UniqueVolumeName{"v"}, false},
		"one of two":                      {node("v", "v"), []corev1.UniqueVolumeName{"v", "w"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := attached(test.node, test.volumes); got != test.want {
				t.Errorf("attached is %v", got)
			}
		})
	}
}

func TestAddressesAreUnique(t *testing.T) {
	p := newAddressPool()
	p.Reserve("", "", "100.64.0.2")
	p.Reserve("", "", "10.0.0.1") // not its own
	p.Reserve("", "", "")
	if a, b := p.Assign("", ""), p.Assign("", ""); a != "100.64.0.1" || b != "100.64.0.3" {
		t.Errorf("took %s and %s", a, b)
	}
	p.Release("", "100.64.0.1")
	if a := p.Assign("", ""); a != "100.64.0.4" {
		t.Errorf("took %s, want an address that was not just given back", a)
	}
	p.next = 0
	if a := p.Assign("", ""); a != "100.64.0.1" {
		t.Errorf("took %s, want what was given back", a)
	}
}

// A pod that was deleted by force uses no resources any more, though its containers have yet to stop: pkg/kubelet's pod manager
// has forgotten it.
func TestTerminatedPodsUseNoResources(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.add("old", requests("cpu", "3"), does("stop-after", "20s"))
		s.pass(time.Minute)
		if err := s.CoreV1().Pods("ns").Delete(s.Context(), "old", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		s.add("new", requests("cpu", "3"))
		s.pass(10 * time.Second)
		if s.phase("new") != corev1.PodRunning {
			t.Errorf("the new pod is %s: %s", s.phase("new"), s.pod("new").Status.Message)
		}
		s.add("third", requests("cpu", "3"))
		s.pass(time.Second)
		if got := s.pod("third").Status.Reason; got != "OutOfcpu" {
			t.Errorf("a pod too many is refused for %q", got)
		}
	})
}

// A node may have labels that the kubelet's cache lacks: it asks the API before it rejects a pod for them.
func TestLabelsThatTheCacheLacks(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.pass(time.Second)
		labeled := s.node()
		labeled.Labels["team"] = "data"
		s.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) { return true, labeled, nil })
		selecting := func(team string) option {
			return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"team": team} }
		}
		s.add("data", selecting("data"))
		s.add("other", selecting("other"))
		s.pass(10 * time.Second)
		if s.phase("data") != corev1.PodRunning {
			t.Errorf("the pod is %s: %s", s.phase("data"), s.pod("data").Status.Message)
		}
		if got := s.pod("other").Status.Reason; got != reasonNodeAffinity {
			t.Errorf("a pod for other nodes is rejected for %q", got)
		}
	})
}

package rebalance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// Requests are counted as the scheduler counts them.
func TestRequestsOf(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	requests := func(cpu, memory string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: list(cpu, memory)}
	}
	for name, edit := range map[string]func(*corev1.PodSpec){
		"none": func(s *corev1.PodSpec) { s.Containers[0].Resources.Requests = nil },
		"two containers": func(s *corev1.PodSpec) {
			s.Containers = append(s.Containers, corev1.Container{Name: "b", Resources: requests("1", "1Gi")})
		},
		"init containers": func(s *corev1.PodSpec) {
			s.InitContainers = []corev1.Container{{Name: "a", Resources: requests("700m", "1Gi")}, {Name: "b", Resources: requests("300m", "2Gi")}}
		},
		"a sidecar": func(s *corev1.PodSpec) {
			s.InitContainers = []corev1.Container{{Name: "a", Resources: requests("700m", "1Gi"), RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}
		},
		"overhead":         func(s *corev1.PodSpec) { s.Overhead = list("50m", "100Mi") },
		"of the whole pod": func(s *corev1.PodSpec) { s.Resources = new(requests("2", "3Gi")) },
	} {
		t.Run(name, func(t *testing.T) {
			judge := w.Of(w.Node("n1", "zone-a"), w.Deployment("web", w.Template("web", "100m", edit), "n1", "n1")).Judge(t)
			want := amounts{judge.Requested("n1", corev1.ResourceCPU), judge.Requested("n1", corev1.ResourceMemory)}
			if diff := cmp.Diff(want, utilizationOf(judge.World(), 10).requested["n1"]); diff != "" {
				t.Errorf("(-scheduler +got):\n%s", diff)
			}
		})
	}
}

// A future in which an eviction for a node does not bring it nearer to its limit, or brings another further away, is noticed, and so is what is requested.
func TestLandOnNodes(t *testing.T) {
	s := newSearch(w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b"), w.Node("n3", "zone-c", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}), w.Deployment("web", w.Template("web", "1"), "n1", "n1", "n1")).Judge(t), Options{MaxUtilizationDeviation: 10}.withDefaults())
	pod := podRef(s.workloads[0].pods[0])
	for name, tc := range map[string]struct {
		landed   string
		relieved map[change.Ref]bool
		want     bool
		highest  map[string]amounts
	}{
		"on an emptier node":            {"n2", map[change.Ref]bool{pod: true}, false, map[string]amounts{"n1": {2000}, "n2": {1000}}},
		"where it was":                  {"n1", map[change.Ref]bool{pod: true}, true, map[string]amounts{"n1": {3000}}},
		"in another group":              {"n3", map[change.Ref]bool{pod: true}, true, map[string]amounts{"n1": {2000}, "n3": {1000}}},
		"evicted for a workload":        {"n3", nil, false, map[string]amounts{"n1": {2000}, "n3": {1000}}},
		"making room, back on its node": {"n1", map[change.Ref]bool{pod: false}, true, map[string]amounts{"n1": {3000}}},
	} {
		t.Run(name, func(t *testing.T) {
			s.use, s.relieved, s.requests, s.highest = s.atFirst, tc.relieved, map[change.Ref]amounts{pod: {1000}}, map[string]amounts{}
			bad := map[change.Ref]bool{}
			s.landOnNodes(map[change.Ref]assigned{pod: {s.workloads[0], "n1"}}, map[change.Ref]string{pod: tc.landed}, bad)
			if bad[pod] != tc.want {
				t.Errorf("it is bad: %t, want %t", bad[pod], tc.want)
			}
			if diff := cmp.Diff(tc.highest, s.highest); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package rebalance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

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

package scheduling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

func TestFit(t *testing.T) {
	for name, tc := range map[string]struct {
		world []runtime.Object
		pod   *corev1.Pod
		want  scheduling.Fit
	}{
		"the emptier node is better": {
			world: []runtime.Object{node("n1"), node("n2"), pod("a", on("n1"))},
			pod:   pod("p"),
			want:  scheduling.Fit{Feasible: []string{"n1", "n2"}, Best: []string{"n2"}},
		},
		"equal nodes are equally good": {
			world: []runtime.Object{node("n2"), node("n1")},
			pod:   pod("p"),
			want:  scheduling.Fit{Feasible: []string{"n1", "n2"}, Best: []string{"n1", "n2"}},
		},
		"a pod that has ended takes no room": {
			world: []runtime.Object{node("n1"), pod("a", asking("4", "1Gi"), on("n1"), phase(corev1.PodSucceeded))},
			pod:   pod("p"),
			want:  scheduling.Fit{Feasible: []string{"n1"}, Best: []string{"n1"}},
		},
		"a promised node is taken whatever the scores": {
			world: []runtime.Object{node("n1"), node("n2"), pod("a", on("n1"))},
			pod:   pod("p", nominated("n1")),
			want:  scheduling.Fit{Feasible: []string{"n1", "n2"}, Best: []string{"n1"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := newJudge(t, tc.world...).Fit(t.Context(), tc.pod)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSharedHostPort removes one of two pods that have the same host port, as pods with spec.nodeName may: it stays in use.
func TestSharedHostPort(t *testing.T) {
	port := func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 8080, ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	}
	one, other := pod("a", port, on("n1")), pod("b", port, on("n1"))
	judge := newJudge(t, node("n1"), node("n2"), one, other)
	for _, step := range []struct {
		removed *corev1.Pod
		want    []string
	}{{one, []string{"n2"}}, {other, []string{"n1", "n2"}}} {
		if err := judge.Apply(cluster.Remove(step.removed)); err != nil {
			t.Fatal(err)
		}
		got, err := judge.Fit(t.Context(), pod("p", port))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, got.Feasible); diff != "" {
			t.Errorf("feasible nodes without %s (-want +got):\n%s", step.removed.Name, diff)
		}
	}
}

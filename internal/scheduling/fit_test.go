package scheduling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

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

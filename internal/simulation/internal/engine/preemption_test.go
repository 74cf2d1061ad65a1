package engine_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestVictimsEndOneByOne: three pods, one for each zone, preempt. Two of them choose zone a, so one has to preempt again once the other runs. If by then the
// replacement of one victim is on c1, whose pod is the younger, and that of another is still to be scheduled, only c2 needs a single victim. That comes in about
// one of a hundred futures.
func TestVictimsEndOneByOne(t *testing.T) {
	small, large := testworld.CPU("950m"), testworld.CPU("1050m") // A large node has capacity for a second pod.
	world := testworld.Of(
		testworld.Node("a1", "a", small), testworld.Node("a2", "a", small), testworld.Node("b1", "b", small), testworld.Node("b2", "b", large),
		testworld.Node("c1", "c", large), testworld.Node("c2", "c", large),
		testworld.Deployment("low", testworld.Template("low", "500m", testworld.Priority(-1)), "a1", "a2", "b1", "b2", "c1", "c2"),
	)
	for _, o := range world {
		if pod, ok := o.(*corev1.Pod); ok && slices.Contains([]string{"a1", "a2", "b1", "c1"}, pod.Spec.NodeName) {
			pod.Status.StartTime = &metav1.Time{Time: testworld.Epoch.Add(-time.Minute)}
		}
	}
	release := change.Apply{Objects: []runtime.Object{testworld.NewDeployment(3, testworld.Template("web", "900m", testworld.Spread(corev1.LabelTopologyZone, 1)))}}
	found := 0
	err := simulation.EachFuture(t.Context(), world.Judge(t), []change.Change{release}, simulation.Options{Seeds: 1000}, func(o outcome.Outcome) error {
		var preempted []string
		for _, f := range o.Fates {
			if f.Kind == outcome.Preempted {
				preempted = append(preempted, f.From)
			}
		}
		if slices.Equal(preempted, []string{"a1", "a2", "b1", "c2"}) {
			found++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("in no future are exactly the pods of a1, a2, b1 and c2 preempted")
	}
}

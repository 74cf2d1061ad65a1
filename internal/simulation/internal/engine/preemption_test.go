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

// TestPodsGetReadyLate evicts a pod of a Deployment and one of a Job. The Job's next pod comes after ten seconds and preempts one of the Deployment's two pods on the
// other node. The budget allows one disruption while the new pod is not ready, and two then; a pod beyond those is spared first.
func TestPodsGetReadyLate(t *testing.T) {
	world := testworld.Of(
		testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")), testworld.Node("n3", "a", testworld.CPU("400m")),
		testworld.Deployment("web", testworld.Template("web", "400m"), "n1", "n2", "n3"), testworld.Budget("web", "web", 1),
		testworld.Job("job", 6, testworld.Template("job", "500m", testworld.Priority(100)), "n1"),
	)
	taint := change.Taint{Node: "n1", Taint: corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}}
	old, young := 0, 0
	err := simulation.EachFuture(t.Context(), world.Judge(t), []change.Change{taint}, simulation.Options{Seeds: 100}, func(o outcome.Outcome) error {
		switch fates := testworld.DescribeFates(o); {
		case slices.Equal(fates, []string{"moved job-a n1>n2 10s", "moved web-1-a n1>n2", "preempted web-1-b n2> by job-* 40s", "waiting web-1-*"}):
			old++
		case slices.Equal(fates, []string{"moved job-a n1>n2 10s", "waiting web-1-a n1>"}):
			young++
		default:
			t.Errorf("fates = %q", fates)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if old == 0 || young == 0 {
		t.Errorf("the pod that was there is preempted in %d futures and the new one in %d, want some of both", old, young)
	}
}

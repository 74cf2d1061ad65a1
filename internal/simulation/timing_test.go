package simulation_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestTiming has events whose order nothing determines: in some futures one comes first, in some the other.
func TestTiming(t *testing.T) {
	low, one := testworld.Priority(-1), testworld.CPU("1")
	closed := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	waiting := testworld.Of(testworld.Placed("x-1", "", testworld.Template("x", "500m")), testworld.Placed("x-2", "", testworld.Template("x", "500m")))
	failing := testworld.Job("report", 0, testworld.Template("report", "1"), "n1", "n2", "n3")
	ignoring := testworld.Job("report", 6, testworld.Template("report", "1"), "n1")
	ignoring[0].(*batchv1.Job).Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action:          batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
	}}}
	young := testworld.Deployment("young", testworld.Template("young", "1"), "n1", "n1")
	for _, o := range young {
		if pod, is := o.(*corev1.Pod); is {
			pod.Status.StartTime = &metav1.Time{Time: testworld.Epoch}
		}
	}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		// want are endings that come among others: apps and their nodes.
		want []string
	}{
		"pods of a failed Job are gone together, or one by one": {
			testworld.Of(testworld.Node("n1", "a", one), testworld.Node("n2", "b", one), testworld.Node("n3", "c", closed), failing, waiting),
			change.DeletePod{Namespace: "default", Name: "report-c"},
			[]string{"x>n1, x>n2", "x>n1, x>n1", "x>n2, x>n2"},
		},
		"pods of a Deployment that is scaled down are gone together, or one by one": {
			testworld.Of(testworld.Node("n1", "a", one), testworld.Node("n2", "b", one), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), waiting),
			change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web"},
			[]string{"x>n1, x>n2", "x>n1, x>n1", "x>n2, x>n2"},
		},
		"a StatefulSet's evicted pod takes up its node's capacity until it has terminated": {
			testworld.Of(testworld.Node("n1", "a", one), testworld.Node("n2", "a", one), testworld.Placed("x-1", "", testworld.Template("x", "1", testworld.Priority(5))), testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Priority(9)), "n1", "n2")),
			change.DeletePod{Namespace: "default", Name: "db-0"},
			[]string{"db>n1, db>n2, x>"},
		},
		"a released quota goes to pods refused before, or to a new one": {
			testworld.Of(testworld.Node("n1", "a"), ignoring, testworld.ReplicaSetLacking("web", 1), testworld.Quota("1")),
			change.DeletePod{Namespace: "default", Name: "report-a"},
			[]string{"report>n1", "web>n1"},
		},
		"a second preemption is where victims of the first still terminate, or elsewhere": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Node("n2", "a", one), young, testworld.Deployment("old", testworld.Template("old", "1"), "n2")),
			change.Apply{Objects: []runtime.Object{testworld.NewDeployment(2, testworld.Template("high", "1", testworld.Priority(10)))}},
			[]string{"high>n1, high>n1, old>n2, young>, young>", "high>n1, high>n2, old>, young>, young>n1"}, //nolint:dupword // Two pods of it.
		},
		"old pods with the strategy Recreate are gone together, or one by one": {
			testworld.Of(testworld.Node("n1", "a", one), testworld.Node("n2", "b", one), recreated(testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2")), waiting),
			testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"3"}}}]}}}}`),
			[]string{"web>, web>, x>n1, x>n2", "web>, web>, x>n1, x>n1"}, //nolint:dupword // Two pods of it.
		},
		"an eviction that is due comes before the change, or after it": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(0)), testworld.Node("n2", "b"), testworld.Node("n3", "c"), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(1)), "n1"), testworld.Deployment("low", testworld.Template("low", "1", low), "n2")),
			change.Cordon{Node: "n3"},
			[]string{"low>n2, web>n2", "low>n2, web>n3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]int{}
			err := simulation.EachFuture(t.Context(), tc.world.CompleteJudge(t), []change.Change{tc.change}, simulation.Options{Seeds: 400}, func(o outcome.Outcome) error {
				var places []string
				for _, pod := range o.World.Pods() {
					if pod.DeletionTimestamp == nil {
						places = append(places, pod.Labels["app"]+">"+pod.Spec.NodeName)
					}
				}
				slices.Sort(places)
				seen[strings.Join(places, ", ")]++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if seen[want] == 0 {
					t.Errorf("no future ends with %s, but (and how many): %v", want, slices.Sorted(maps.Keys(seen)))
				}
			}
		})
	}
}

// TestEvictedStatefulSetPods evicts all pods of a node: a Deployment's replacement, created at once, preempts the first pod of a StatefulSet, whose other
// pods are replaced only after they have terminated, and then wait for the first.
func TestEvictedStatefulSetPods(t *testing.T) {
	web := testworld.Deployment("web", testworld.Template("web", "1", testworld.Priority(10)), "n2")
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("2")), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n2"), web)
	taint := change.Taint{Node: "n2", Taint: corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}}
	testworld.ExpectFates(t, w.Run(t, taint), "moved web-1-a n2>n1", "preempted db-0 n1> by web-1-* 30s", "waiting db-0 FateUnschedulable", "waiting db-1 n2> FateOrdered")
}

func recreated(of testworld.Objects) testworld.Objects {
	of[0].(*appsv1.Deployment).Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	return of
}

package workload_test

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestOrdered holds a StatefulSet to its order: while a pod is not ready, none after it is created, removed or replaced.
func TestOrdered(t *testing.T) {
	zonal := func(edit func(*appsv1.StatefulSet), nodes ...string) testworld.Objects {
		set := testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Tolerating(300)), nodes...)
		edit(set[0].(*appsv1.StatefulSet))
		testworld.Mounting("data")(&set[1].(*corev1.Pod).Spec) // the first has a volume in zone a
		return testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Node("n3", "b"), testworld.ZonalClaim("data", "a"), set)
	}
	inOrder := func(*appsv1.StatefulSet) {}
	parallel := func(s *appsv1.StatefulSet) { s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }
	scale := func(replicas int) change.Change {
		return change.ScaleWorkload{Kind: "StatefulSet", Namespace: "default", Name: "db", Replicas: replicas}
	}
	image := change.Patch{
		Object: change.Ref{Kind: "StatefulSet", Namespace: "default", Name: "db"},
		Patch:  `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"new"}]}}}}`,
	}
	lost, stuck := change.LoseNode{Node: "n1"}, "waiting db-0 n1> FateUnschedulable"
	for name, tc := range map[string]struct {
		world   testworld.Objects
		changes []change.Change
		want    []string
		gap     string
	}{
		"one evicted after the first is stuck is not recreated": {
			zonal(inOrder, "n1", "n2"), []change.Change{lost, change.DrainNode{Node: "n2"}}, []string{stuck, "waiting db-1 n2> FateOrdered"}, "",
		},
		"unless the set is parallel": {
			zonal(parallel, "n1", "n2"), []change.Change{lost, change.DrainNode{Node: "n2"}}, []string{stuck, "moved db-1 n2>n3"}, "",
		},
		"one lost together with the first neither": {
			zonal(inOrder, "n1", "n1"), []change.Change{lost}, []string{stuck, "waiting db-1 n1> FateOrdered"}, "",
		},
		"once the first is ready the others follow": {
			zonal(inOrder, "n1", "n2", "n2"),
			[]change.Change{lost, change.DrainNode{Node: "n2"}, change.AddNodes{Count: 1, Group: "workers", Zone: "a"}},
			[]string{"delayed db-0 n1>workers-a-new-1 FateRelease", "moved db-1 n2>n3", "moved db-2 n2>workers-a-new-1"},
			"",
		},
		"none is added": {
			zonal(inOrder, "n1", "n2"), []change.Change{lost, scale(4)}, []string{stuck, "waiting db-2 FateOrdered", "waiting db-3 FateOrdered"}, "",
		},
		"nor removed": {
			zonal(inOrder, "n1", "n2"), []change.Change{lost, scale(1)}, []string{stuck}, "GapOrdered",
		},
		"a pod terminating on a ready node is soon recreated": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Node("n3", "b"), terminatingSet(testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n2"))),
			[]change.Change{change.DrainNode{Node: "n2"}},
			[]string{"moved db-1 n2>n3"},
			"",
		},
		"unless it is the first, which is evicted as well": {
			zonal(inOrder, "n1", "n2"), []change.Change{lost, scale(0)}, []string{"ended db-0 n1> FateScaled", "ended db-1 n2> FateScaled"}, "",
		},
		"scaled down, the last stays if it and one before it are not ready": {
			unready(zonal(inOrder, "n1", "n2", "n2", "n3"), 0, 2, 3), []change.Change{scale(0)}, nil, "GapOrdered",
		},
		"one pod that is not ready does not block its own removal": {
			unready(zonal(inOrder, "n1", "n2", "n2", "n3"), 0),
			[]change.Change{scale(0)},
			[]string{"ended db-0 n1> FateScaled", "ended db-1 n2> FateScaled", "ended db-2 n2> FateScaled", "ended db-3 n3> FateScaled"},
			"",
		},
		"pods after the last that is not ready are removed first": {
			unready(zonal(inOrder, "n1", "n2", "n2", "n3"), 0, 2), []change.Change{scale(0)}, []string{"ended db-3 n3> FateScaled"}, "GapOrdered",
		},
		"a parallel set removes all surplus pods": {
			unready(zonal(parallel, "n1", "n2", "n2", "n3"), 0, 2, 3),
			[]change.Change{scale(1)},
			[]string{"ended db-1 n2> FateScaled", "ended db-2 n2> FateScaled", "ended db-3 n3> FateScaled"},
			"",
		},
		"the capacity of a removed pod lets a blocking one run": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")), unready(testworld.StatefulSet("db", testworld.Template("db", "1"), "", "n1", "n2"), 1)),
			[]change.Change{scale(0)},
			[]string{"ended db-0 FateScaled", "ended db-1 n1> FateScaled", "ended db-2 n2> FateScaled"},
			"",
		},
		"a scale-down that was blocked before goes on": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("500m")), withReplicas(testworld.StatefulSet("db", testworld.Template("db", "1"), "", ""), 0)),
			[]change.Change{change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"status":{"allocatable":{"cpu":"4"}}}`}},
			[]string{"ended db-0 FateScaled", "ended db-1 FateScaled"},
			"",
		},
		"or stays blocked": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("500m")), withReplicas(testworld.StatefulSet("db", testworld.Template("db", "1"), "", ""), 0)),
			[]change.Change{change.Cordon{Node: "n1"}},
			nil, "GapOrdered",
		},
		"nor replaced": {
			zonal(inOrder, "n1", "n2"), []change.Change{lost, image}, []string{stuck}, "GapOrdered",
		},
		"missing pods are created": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("500m")), withReplicas(testworld.StatefulSet("db", testworld.Template("db", "1"), ""), 2)),
			[]change.Change{change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"status":{"allocatable":{"cpu":"4"}}}`}},
			[]string{"moved db-0 >n1", "created db-1 >n1"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.Run(t, tc.changes...)
			testworld.ExpectFates(t, outcome, tc.want...)
			testworld.ExpectGap(t, outcome, "statefulset/db", tc.gap)
		})
	}
}

// unready has some of a StatefulSet's pods not be ready.
func unready(w testworld.Objects, ordinals ...int) testworld.Objects {
	for _, o := range w {
		pod, is := o.(*corev1.Pod)
		if is && slices.ContainsFunc(ordinals, func(n int) bool { return pod.Name == fmt.Sprint("db-", n) }) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
		}
	}
	return w
}

func withReplicas(set testworld.Objects, replicas int32) testworld.Objects {
	set[0].(*appsv1.StatefulSet).Spec.Replicas = &replicas
	return set
}

// terminatingSet has a StatefulSet's first pod terminate.
func terminatingSet(set testworld.Objects) testworld.Objects {
	set[1].(*corev1.Pod).DeletionTimestamp = &metav1.Time{Time: testworld.Epoch}
	return set
}

// TestBudgetsDoNotCountUnstartedPods evicts a pod that a budget covers and that is still Pending on its node.
func TestBudgetsDoNotCountUnstartedPods(t *testing.T) {
	starting := testworld.Placed("web", "n1", testworld.Template("web", "1"))
	starting.Status = corev1.PodStatus{Phase: corev1.PodPending}
	w := testworld.Of(testworld.ThreeNodes(), starting, testworld.Budget("keep", "web", 1))
	testworld.ExpectFates(t, w.Run(t, change.DrainNode{Node: "n1"}), "lost web n1> FateBare")
}

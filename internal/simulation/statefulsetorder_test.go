package simulation_test

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

// TestOrdered holds a StatefulSet to its order: while a pod is not ready, none after it is created, removed or replaced.
func TestOrdered(t *testing.T) {
	zonal := func(edit func(*appsv1.StatefulSet), nodes ...string) objects {
		set := statefulSet("db", template("db", "1", tolerating(300)), nodes...)
		edit(set[0].(*appsv1.StatefulSet))
		mounting("data")(&set[1].(*corev1.Pod).Spec) // the first has a volume in zone a
		return world(node("n1", "a"), node("n2", "b"), node("n3", "b"), zonalClaim("data", "a"), set)
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
		world   objects
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
			world(node("n1", "a"), node("n2", "b"), node("n3", "b"), terminatingSet(statefulSet("db", template("db", "1"), "n1", "n2"))),
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
			world(node("n1", "a", cpu("1")), node("n2", "a", cpu("1")), unready(statefulSet("db", template("db", "1"), "", "n1", "n2"), 1)),
			[]change.Change{scale(0)},
			[]string{"ended db-0 FateScaled", "ended db-1 n1> FateScaled", "ended db-2 n2> FateScaled"},
			"",
		},
		"a scale-down that was blocked before goes on": {
			world(node("n1", "a", cpu("500m")), withReplicas(statefulSet("db", template("db", "1"), "", ""), 0)),
			[]change.Change{change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"status":{"allocatable":{"cpu":"4"}}}`}},
			[]string{"ended db-0 FateScaled", "ended db-1 FateScaled"},
			"",
		},
		"or stays blocked": {
			world(node("n1", "a", cpu("500m")), withReplicas(statefulSet("db", template("db", "1"), "", ""), 0)),
			[]change.Change{change.Cordon{Node: "n1"}},
			nil, "GapOrdered",
		},
		"nor replaced": {
			zonal(inOrder, "n1", "n2"), []change.Change{lost, image}, []string{stuck}, "GapOrdered",
		},
		"missing pods are created": {
			world(node("n1", "a", cpu("500m")), withReplicas(statefulSet("db", template("db", "1"), ""), 2)),
			[]change.Change{change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"status":{"allocatable":{"cpu":"4"}}}`}},
			[]string{"moved db-0 >n1", "created db-1 >n1"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.run(t, tc.changes...)
			expectFates(t, outcome, tc.want...)
			expectGap(t, outcome, "statefulset/db", tc.gap)
		})
	}
}

// unready has some of a StatefulSet's pods not be ready.
func unready(w objects, ordinals ...int) objects {
	for _, o := range w {
		pod, is := o.(*corev1.Pod)
		if is && slices.ContainsFunc(ordinals, func(n int) bool { return pod.Name == fmt.Sprint("db-", n) }) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
		}
	}
	return w
}

func withReplicas(set objects, replicas int32) objects {
	set[0].(*appsv1.StatefulSet).Spec.Replicas = &replicas
	return set
}

// terminatingSet has a StatefulSet's first pod terminate.
func terminatingSet(set objects) objects {
	set[1].(*corev1.Pod).DeletionTimestamp = &metav1.Time{Time: epoch}
	return set
}

// TestBudgetsDoNotCountUnstartedPods evicts a pod that a budget covers and that is still Pending on its node.
func TestBudgetsDoNotCountUnstartedPods(t *testing.T) {
	starting := placed("web", "n1", template("web", "1"))
	starting.Status = corev1.PodStatus{Phase: corev1.PodPending}
	w := world(threeNodes(), starting, budget("keep", "web", 1))
	expectFates(t, w.run(t, change.DrainNode{Node: "n1"}), "lost web n1> FateBare")
}

// TestMinTolerationTime has a pod with two matching tolerations: the first one counts.
func TestMinTolerationTime(t *testing.T) {
	always := corev1.Toleration{Operator: corev1.TolerationOpExists}
	before := template("web", "1", func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{always} }, tolerating(30))
	after := template("web", "1", tolerating(30), func(s *corev1.PodSpec) { s.Tolerations = append(s.Tolerations, always) })
	for want, t1 := range map[string]corev1.PodTemplateSpec{"delayed web-1-a n1>n2 FateHeld": before, "moved web-1-a n1>n2 1m20s": after} {
		expectFates(t, world(node("n1", "a"), node("n2", "b"), deployment("web", t1, "n1")).run(t, change.LoseNode{Node: "n1"}), want)
	}
}

package engine_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// prefers gives a pod a preferred node.
func prefers(name string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}},
		}}}}
	}
}

// TestReplacementBeforeRemoval: a terminating pod takes up its node's capacity while its replacement is scheduled.
func TestReplacementBeforeRemoval(t *testing.T) {
	deleted := []change.Change{change.DeletePod{Namespace: "default", Name: "web-1-a"}}
	big := testworld.Placed("big", "", testworld.Template("big", "1200m"))
	for name, tc := range map[string]struct {
		world   testworld.Objects
		changes []change.Change
		want    []string
	}{
		"a replacement with capacity beside it": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Deployment("web", testworld.Template("web", "500m"), "n1"), testworld.Placed("rest", "n1", testworld.Template("rest", "800m")), big), deleted,
			[]string{"moved web-1-a n1>n1"},
		},
		"one without is scheduled after pods that waited longer": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Deployment("web", testworld.Template("web", "800m"), "n1"), testworld.Placed("rest", "n1", testworld.Template("rest", "800m")), big), deleted,
			[]string{"moved big >n1", "waiting web-1-a n1> FateUnschedulable"},
		},
		"one without gets the capacity back": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "800m"), "n1")), deleted, []string{"moved web-1-a n1>n1"},
		},
		"one of high priority does not wait for it": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Deployment("web", testworld.Template("web", "1", testworld.Priority(10)), "n1"), testworld.Deployment("low", testworld.Template("low", "1"), "n1")), deleted,
			[]string{"created low-1-* >n1", "moved web-1-a n1>n1", "preempted low-1-a n1> by web-1-* 30s"},
		},
		"one with anti-affinity to it": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1", testworld.AntiAffinity(corev1.LabelHostname, "web")), "n1")), deleted, []string{"moved web-1-a n1>n1"},
		},
		"one that is force-deleted": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Deployment("web", testworld.Template("web", "500m"), "n1"), testworld.Placed("rest", "n1", testworld.Template("rest", "800m")), big),
			[]change.Change{change.DeletePod{Namespace: "default", Name: "web-1-a", Force: true}},
			[]string{"moved big >n1", "waiting web-1-a n1> FateUnschedulable"},
		},
		"a StatefulSet's pod is recreated once it is removed": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.StatefulSet("web", testworld.Template("web", "500m"), "n1"), testworld.Placed("rest", "n1", testworld.Template("rest", "800m")), big),
			[]change.Change{change.DeletePod{Namespace: "default", Name: "web-0"}},
			[]string{"moved big >n1", "waiting web-0 n1> FateUnschedulable"},
		},
		"a rollout that removes an old pod first": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a"), testworld.Strategy(testworld.Deployment("web", testworld.Template("web", "1", prefers("n1")), "n1"), 0, 1)),
			[]change.Change{testworld.NewImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"one that recreates": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a"), testworld.Recreating(testworld.Deployment("web", testworld.Template("web", "1", prefers("n1")), "n1"))),
			[]change.Change{testworld.NewImage},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRecreated"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.changes...), tc.want...) })
	}
}

package nodelifecycle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestDrain(t *testing.T) {
	for name, tc := range map[string]struct {
		world testworld.Objects
		want  []string
	}{
		"pods move at once; a DaemonSet's stays": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2", "n3")),
			[]string{"moved web-1-a n1>n3"},
		},
		"a budget without allowed disruptions protects its pod": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), testworld.Budget("keep", "web", 2)),
			[]string{"waiting web-1-a n1>n1 FateBlocked"},
		},
		"a budget that allows one lets one after the other go": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n1", "n2"), testworld.Budget("keep", "web", 2)),
			[]string{"moved web-1-a n1>n2", "moved web-1-b n1>n2"},
		},
		"an unschedulable replacement blocks the next eviction": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n1", "n2"), testworld.Budget("keep", "web", 2)),
			[]string{"waiting web-1-a n1> FateUnschedulable", "waiting web-1-b n1>n1 FateBlocked"},
		},
		"an empty budget allows nothing": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), withoutStatus(testworld.Budget("keep", "web", 0))),
			[]string{"waiting web-1-a n1>n1 FateBlocked"},
		},
		"two budgets over one pod": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n3"), testworld.Budget("one", "web", 1), testworld.Budget("two", "web", 1)),
			[]string{"waiting web-1-a n1>n1 FateBudgets"},
		},
		"a bare pod is lost": {
			testworld.Of(testworld.ThreeNodes(), testworld.Placed("alone", "n1", testworld.Template("alone", "1"))),
			[]string{"lost alone n1> FateBare"},
		},
		"a StatefulSet's pod is recreated under its name": {
			testworld.Of(testworld.ThreeNodes(), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n2")),
			[]string{"moved db-0 n1>n3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := tc.world.Run(t, change.DrainNode{Node: "n1"})
			testworld.ExpectFates(t, result, tc.want...)
			if len(result.Violations) > 0 {
				t.Errorf("a drain keeps to budgets: %v", result.Violations)
			}
			if !result.World.Node("n1").Spec.Unschedulable {
				t.Error("a drained node is cordoned")
			}
		})
	}
}

func withoutStatus(pdb *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	pdb.Spec.MinAvailable = nil
	return pdb
}

func TestTaints(t *testing.T) {
	evicting := corev1.Taint{Key: "sick", Effect: corev1.TaintEffectNoExecute}
	bearing := func(s *corev1.PodSpec) {
		s.Tolerations = []corev1.Toleration{{Key: "sick", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(60))}}
	}
	cordoned := func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
	}
	closed := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	tainted := func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{evicting} }
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"NoExecute evicts what does not tolerate it": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1"), "n1"), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1", "n2")),
			change.Taint{Node: "n1", Taint: evicting},
			[]string{"ended agent-n1 n1> FateDaemon", "moved web-1-a n1>n2"},
		},
		"and later what tolerates it for a while": {
			testworld.Of(testworld.Node("n1", "a", closed), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1", bearing), "n1")),
			change.Taint{Node: "n1", Taint: evicting},
			[]string{"moved web-1-a n1>n2 1m0s"},
		},
		"NoSchedule evicts nothing": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			change.Taint{Node: "n1", Taint: corev1.Taint{Key: "sick", Effect: corev1.TaintEffectNoSchedule}},
			nil,
		},
		"a node without its taint gets pending pods, and its DaemonSets' pods": {
			testworld.Of(testworld.Node("n1", "a", tainted), testworld.Placed("web", "", testworld.Template("web", "1")), testworld.DaemonSet("agent", testworld.Template("agent", "1"))),
			change.Untaint{Node: "n1", Taint: evicting},
			[]string{"created agent-* >n1", "moved web >n1"},
		},
		"cordoning moves nothing": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			change.Cordon{Node: "n1"},
			nil,
		},
		"an uncordoned node gets pending pods": {
			testworld.Of(testworld.Node("n1", "a", cordoned), testworld.Placed("web", "", testworld.Template("web", "1"))),
			change.Uncordon{Node: "n1"},
			[]string{"moved web >n1"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
}

func TestZones(t *testing.T) {
	t.Run("a zone's nodes are evicted from one after another", func(t *testing.T) {
		w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b"), testworld.Node("n4", "b"),
			testworld.Deployment("web", testworld.Template("web", "3", testworld.Tolerating(300)), "n1", "n2"))
		testworld.ExpectFates(t, w.Run(t, change.LoseZone{Zone: "a"}), "moved web-1-a n1>n3 5m50s", "moved web-1-b n2>n4 6m0s")
	})
	t.Run("a zone that is mostly dead but not quite is not evicted from", func(t *testing.T) {
		dead := func(n *corev1.Node) { n.Labels["eks.amazonaws.com/nodegroup"] = "old" }
		w := testworld.Of(testworld.Node("n1", "a", dead), testworld.Node("n2", "a", dead), testworld.Node("n3", "a", dead), testworld.Node("n4", "a", testworld.CPU("1m")), testworld.Node("n5", "b"),
			testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1"))
		testworld.ExpectFates(t, w.Run(t, change.LoseGroup{Group: "old"}), "delayed web-1-a n1>n5 FateHeld")
	})
	t.Run("when all nodes die nothing is evicted, and then everything waits", func(t *testing.T) {
		w := testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1"))
		testworld.ExpectFates(t, w.Run(t, change.LoseZone{Zone: "a"}), "waiting web-1-a n1> FateUnschedulable")
	})
	t.Run("a budget that is not kept to", func(t *testing.T) {
		w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b"),
			testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1", "n2", "n3"), testworld.Budget("keep", "web", 2))
		want := []outcome.Violation{{
			Budget:  change.Ref{Kind: "PodDisruptionBudget", Namespace: "default", Name: "keep"},
			Allowed: 1, Disrupted: 2, Chance: 1,
		}}
		if diff := cmp.Diff(want, w.Run(t, change.LoseZone{Zone: "a"}).Violations); diff != "" {
			t.Errorf("violations (-want +got):\n%s", diff)
		}
	})
}

func TestUnknown(t *testing.T) {
	for _, c := range []change.Change{
		change.LoseNode{Node: "x"},
		change.LoseZone{Zone: "x"},
		change.LoseGroup{Group: "x"},
		change.DrainNode{Node: "x"},
		change.AddNodes{Group: "x", Count: 1},
		change.ResizeGroup{Group: "x", To: 1},
		change.RotateGroup{Group: "x"},
		change.Evict{Namespace: "default", Name: "x"},
		change.GrowDaemonSet{Namespace: "default", Name: "x"},
		change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "x"},
		change.Patch{Object: change.Ref{Kind: "Deployment", Namespace: "default", Name: "x"}, Patch: "{}"},
	} {
		judge := testworld.ThreeNodes().Judge(t)
		_, err := simulation.Run(t.Context(), judge, []change.Change{c}, simulation.Options{})
		if unknown, ok := err.(outcome.UnknownError); !ok || unknown.Ref != c.Subject() { //nolint:errorlint // It is not wrapped.
			t.Errorf("%T: %v, want an UnknownError about %v", c, err, c.Subject())
		}
		if len(judge.World().Nodes()) != 3 {
			t.Errorf("%T: the judge is not as it was", c)
		}
	}
}

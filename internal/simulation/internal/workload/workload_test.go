package workload_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestGrowDaemonSet(t *testing.T) {
	small := func() testworld.Objects {
		return testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b", testworld.CPU("1")))
	}
	surging := testworld.DaemonSet("agent", testworld.Template("agent", "200m"), "n1", "n2")
	surging[0].(*appsv1.DaemonSet).Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{
		MaxSurge: new(intstr.FromInt(1)), MaxUnavailable: new(intstr.FromInt(0)),
	}
	onDelete := testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2")
	onDelete[0].(*appsv1.DaemonSet).Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	for name, tc := range map[string]struct {
		world testworld.Objects
		want  []string
		gap   string
	}{
		"with capacity it is replaced in place": {
			world: testworld.Of(small(), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2")),
			want:  []string{"moved agent-n1 n1>n1", "moved agent-n2 n2>n2"},
		},
		"a higher priority preempts, and the victim waits": {
			world: testworld.Of(small(), testworld.DaemonSet("agent", testworld.Template("agent", "100m", testworld.Priority(1000)), "n1", "n2"), testworld.Deployment("web", testworld.Template("web", "800m"), "n1", "n2")),
			want: []string{
				"moved agent-n1 n1>n1", "moved agent-n2 n2>n2",
				"preempted web-1-a n1> by agent-* 30s", "preempted web-1-b n2> by agent-* 30s",
				"waiting web-1-* FateUnschedulable", "waiting web-1-* FateUnschedulable",
			},
		},
		"without priority the rollout stops at its first node": {
			world: testworld.Of(small(), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2"), testworld.Deployment("web", testworld.Template("web", "800m"), "n1", "n2")),
			want:  []string{"waiting agent-n1 n1> FateUnschedulable"},
			gap:   "GapRollout",
		},
		"a surge needs capacity for both": {
			world: testworld.Of(small(), surging),
			want:  []string{"created agent-* >n2", "created agent-* >n1", "ended agent-n1 n1> FateRolled", "ended agent-n2 n2> FateRolled"},
		},
		"on a node that its controller would not use now, the old one is removed and not replaced": {
			world: testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b", testworld.CPU("1"), func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}}
			}), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2")),
			want: []string{"ended agent-n2 n2> FateUnwanted", "moved agent-n1 n1>n1"},
		},
		"OnDelete replaces nothing": {
			world: testworld.Of(small(), onDelete),
			gap:   "GapOnDelete",
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.Run(t, testworld.GrowAgent("400m"))
			testworld.ExpectFates(t, outcome, tc.want...)
			testworld.ExpectGap(t, outcome, "daemonset/agent", tc.gap)
		})
	}
}

func TestScale(t *testing.T) {
	scale := func(kind, name string, replicas int) change.Change {
		return change.ScaleWorkload{Kind: kind, Namespace: "default", Name: name, Replicas: replicas}
	}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"up": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "3"), "n1")), scale("Deployment", "web", 2),
			[]string{"created web-1-* >n2"},
		},
		"up beyond the capacity": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "3"), "n1")), scale("Deployment", "web", 2),
			[]string{"waiting web-1-* FateUnschedulable"},
		},
		"down, from where there are two": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n2")), scale("Deployment", "web", 2),
			[]string{"ended web-1-b n2> FateScaled"},
		},
		"a StatefulSet scales up in order": {
			testworld.Of(testworld.Node("n1", "a"), testworld.StatefulSet("db", testworld.Template("db", "3"), "n1")), scale("StatefulSet", "db", 3),
			[]string{"waiting db-1 FateUnschedulable", "waiting db-2 FateOrdered"},
		},
		"and down from its last": {
			testworld.Of(testworld.ThreeNodes(), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n2")), scale("StatefulSet", "db", 1),
			[]string{"ended db-1 n2> FateScaled"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
}

func TestPreemptionCascades(t *testing.T) {
	// The first pod preempts the second, whose replacement preempts the third.
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")),
		testworld.Deployment("mid", testworld.Template("mid", "1", testworld.Priority(10)), "n1"),
		testworld.Deployment("low", testworld.Template("low", "1", testworld.Priority(1)), "n2"),
		testworld.Placed("high", "", testworld.Template("high", "1", testworld.Priority(100), func(s *corev1.PodSpec) {
			s.NodeSelector = map[string]string{corev1.LabelHostname: "n1"}
		})))
	testworld.ExpectFates(t, w.Run(t, change.Cordon{Node: "n2"}, change.Uncordon{Node: "n2"}),
		"moved high >n1",
		"waiting low-1-* FateUnschedulable", "preempted low-1-a n2> by mid-1-* 30s",
		"preempted mid-1-a n1> by high 30s", "created mid-1-* >n2",
	)
}

func TestPods(t *testing.T) {
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"a deleted pod is recreated": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			change.DeletePod{Namespace: "default", Name: "web-1-a"},
			[]string{"moved web-1-a n1>n1"},
		},
		"an eviction that its budget refuses": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1"), testworld.Budget("keep", "web", 1)),
			change.Evict{Namespace: "default", Name: "web-1-a"},
			[]string{"waiting web-1-a n1>n1 FateBlocked"},
		},
		"on an unreachable node a StatefulSet's pod stays Terminating": {
			testworld.Of(testworld.Node("n1", "a", testworld.NotReady), testworld.Node("n2", "b"), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1")),
			change.DeletePod{Namespace: "default", Name: "db-0"},
			[]string{"waiting db-0 n1>n1 FateHangs"},
		},
		"unless it is force-deleted": {
			testworld.Of(testworld.Node("n1", "a", testworld.NotReady), testworld.Node("n2", "b"), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1")),
			change.DeletePod{Namespace: "default", Name: "db-0", Force: true},
			[]string{"moved db-0 n1>n2"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
}

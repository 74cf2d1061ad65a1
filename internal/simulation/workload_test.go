package simulation_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
)

func growAgent(cpu string) change.GrowDaemonSet {
	return change.GrowDaemonSet{Namespace: "default", Name: "agent", Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
}

func TestGrowDaemonSet(t *testing.T) {
	small := func() objects { return world(node("n1", "a", cpu("1")), node("n2", "b", cpu("1"))) }
	surging := daemonSet("agent", template("agent", "200m"), "n1", "n2")
	surging[0].(*appsv1.DaemonSet).Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{
		MaxSurge: new(intstr.FromInt(1)), MaxUnavailable: new(intstr.FromInt(0)),
	}
	onDelete := daemonSet("agent", template("agent", "100m"), "n1", "n2")
	onDelete[0].(*appsv1.DaemonSet).Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	for name, tc := range map[string]struct {
		world objects
		want  []string
		gap   string
	}{
		"with capacity it is replaced in place": {
			world: world(small(), daemonSet("agent", template("agent", "100m"), "n1", "n2")),
			want:  []string{"moved agent-n1 n1>n1", "moved agent-n2 n2>n2"},
		},
		"a higher priority preempts, and the victim waits": {
			world: world(small(), daemonSet("agent", template("agent", "100m", priority(1000)), "n1", "n2"), deployment("web", template("web", "800m"), "n1", "n2")),
			want: []string{
				"moved agent-n1 n1>n1", "moved agent-n2 n2>n2",
				"preempted web-1-a n1> by agent-* 30s", "preempted web-1-b n2> by agent-* 30s",
				"waiting web-1-* FateUnschedulable", "waiting web-1-* FateUnschedulable",
			},
		},
		"without priority the rollout stops at its first node": {
			world: world(small(), daemonSet("agent", template("agent", "100m"), "n1", "n2"), deployment("web", template("web", "800m"), "n1", "n2")),
			want:  []string{"waiting agent-n1 n1> FateUnschedulable"},
			gap:   "GapRollout",
		},
		"a surge needs capacity for both": {
			world: world(small(), surging),
			want:  []string{"created agent-* >n2", "created agent-* >n1", "ended agent-n1 n1> FateRolled", "ended agent-n2 n2> FateRolled"},
		},
		"on a node that its controller would not use now, the old one is removed and not replaced": {
			world: world(node("n1", "a", cpu("1")), node("n2", "b", cpu("1"), func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}}
			}), daemonSet("agent", template("agent", "100m"), "n1", "n2")),
			want: []string{"ended agent-n2 n2> FateUnwanted", "moved agent-n1 n1>n1"},
		},
		"OnDelete replaces nothing": {
			world: world(small(), onDelete),
			gap:   "GapOnDelete",
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.run(t, growAgent("400m"))
			expectFates(t, outcome, tc.want...)
			expectGap(t, outcome, "daemonset/agent", tc.gap)
		})
	}
}

func TestScale(t *testing.T) {
	scale := func(kind, name string, replicas int) change.Change {
		return change.ScaleWorkload{Kind: kind, Namespace: "default", Name: name, Replicas: replicas}
	}
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
		want   []string
	}{
		"up": {
			world(node("n1", "a"), node("n2", "b"), deployment("web", template("web", "3"), "n1")), scale("Deployment", "web", 2),
			[]string{"created web-1-* >n2"},
		},
		"up beyond the capacity": {
			world(node("n1", "a"), deployment("web", template("web", "3"), "n1")), scale("Deployment", "web", 2),
			[]string{"waiting web-1-* FateUnschedulable"},
		},
		"down, from where there are two": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1", "n2", "n2")), scale("Deployment", "web", 2),
			[]string{"ended web-1-b n2> FateScaled"},
		},
		"a StatefulSet scales up in order": {
			world(node("n1", "a"), statefulSet("db", template("db", "3"), "n1")), scale("StatefulSet", "db", 3),
			[]string{"waiting db-1 FateUnschedulable", "waiting db-2 FateOrdered"},
		},
		"and down from its last": {
			world(threeNodes(), statefulSet("db", template("db", "1"), "n1", "n2")), scale("StatefulSet", "db", 1),
			[]string{"ended db-1 n2> FateScaled"},
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.change), tc.want...) })
	}
}

func TestPreemptionCascades(t *testing.T) {
	// The first pod preempts the second, whose replacement preempts the third.
	w := world(node("n1", "a", cpu("1")), node("n2", "a", cpu("1")),
		deployment("mid", template("mid", "1", priority(10)), "n1"),
		deployment("low", template("low", "1", priority(1)), "n2"),
		placed("high", "", template("high", "1", priority(100), func(s *corev1.PodSpec) {
			s.NodeSelector = map[string]string{corev1.LabelHostname: "n1"}
		})))
	expectFates(t, w.run(t, change.Cordon{Node: "n2"}, change.Uncordon{Node: "n2"}),
		"moved high >n1",
		"waiting low-1-* FateUnschedulable", "preempted low-1-a n2> by mid-1-* 30s",
		"preempted mid-1-a n1> by high 30s", "created mid-1-* >n2",
	)
}

func TestPods(t *testing.T) {
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
		want   []string
	}{
		"a deleted pod is recreated": {
			world(node("n1", "a"), deployment("web", template("web", "1"), "n1")),
			change.DeletePod{Namespace: "default", Name: "web-1-a"},
			[]string{"moved web-1-a n1>n1"},
		},
		"an eviction that its budget refuses": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1"), budget("keep", "web", 1)),
			change.Evict{Namespace: "default", Name: "web-1-a"},
			[]string{"waiting web-1-a n1>n1 FateBlocked"},
		},
		"on an unreachable node a StatefulSet's pod stays Terminating": {
			world(node("n1", "a", notReady), node("n2", "b"), statefulSet("db", template("db", "1"), "n1")),
			change.DeletePod{Namespace: "default", Name: "db-0"},
			[]string{"waiting db-0 n1>n1 FateHangs"},
		},
		"unless it is force-deleted": {
			world(node("n1", "a", notReady), node("n2", "b"), statefulSet("db", template("db", "1"), "n1")),
			change.DeletePod{Namespace: "default", Name: "db-0", Force: true},
			[]string{"moved db-0 n1>n2"},
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.change), tc.want...) })
	}
}

func notReady(n *corev1.Node) {
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	n.Spec.Taints = []corev1.Taint{
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}, {Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
	}
}

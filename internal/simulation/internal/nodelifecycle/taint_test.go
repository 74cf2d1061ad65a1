package nodelifecycle_test

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestNoExecuteRemovesPendingDaemonPods taints a node on which a DaemonSet's pod found no place.
func TestNoExecuteRemovesPendingDaemonPods(t *testing.T) {
	taint := change.Taint{Node: "n1", Taint: corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}}
	pendingOn := func(edit func(*corev1.PodSpec)) testworld.Objects {
		set := testworld.DaemonSet("agent", testworld.Template("agent", "1", edit), "n1")
		set[1] = testworld.Placed("agent-n1", "", set[0].(*appsv1.DaemonSet).Spec.Template, testworld.OwnedBy("apps/v1", "DaemonSet", "agent"))
		set[1].(*corev1.Pod).Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}}}}},
		}}}
		return testworld.Of(testworld.Node("n1", "a", testworld.CPU("500m")), testworld.Node("n2", "b", testworld.CPU("500m")), set)
	}
	tolerates := func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	testworld.ExpectFates(t, pendingOn(func(*corev1.PodSpec) {}).Run(t, taint), "ended agent-n1 FateUnwanted")
	testworld.ExpectFates(t, pendingOn(tolerates).Run(t, taint))
	taint.Taint.Effect = corev1.TaintEffectNoSchedule
	testworld.ExpectFates(t, pendingOn(func(*corev1.PodSpec) {}).Run(t, taint))
}

// TestUntaintRefused removes a taint that the node does not have, as kubectl refuses to.
func TestUntaintRefused(t *testing.T) {
	has := corev1.Taint{Key: "dedicated", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	w := testworld.Of(testworld.Node("n1", "a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{has} }))
	once, other := change.Untaint{Node: "n1", Taint: has}, change.Untaint{Node: "n1", Taint: corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoExecute}}
	for name, changes := range map[string][]change.Change{"twice": {once, once}, "of another effect": {other}} {
		_, err := simulation.Run(t.Context(), w.Judge(t), changes, simulation.Options{})
		if refused := (outcome.RefusedError{}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := simulation.Run(t.Context(), w.Judge(t), []change.Change{once}, simulation.Options{}); err != nil {
		t.Error(err)
	}
}

// TestMinTolerationTime has a pod with two matching tolerations: the first one counts.
func TestMinTolerationTime(t *testing.T) {
	always := corev1.Toleration{Operator: corev1.TolerationOpExists}
	before := testworld.Template("web", "1", func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{always} }, testworld.Tolerating(30))
	after := testworld.Template("web", "1", testworld.Tolerating(30), func(s *corev1.PodSpec) { s.Tolerations = append(s.Tolerations, always) })
	for want, t1 := range map[string]corev1.PodTemplateSpec{"delayed web-1-a n1>n2 FateHeld": before, "moved web-1-a n1>n2 1m20s": after} {
		testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", t1, "n1")).Run(t, change.LoseNode{Node: "n1"}), want)
	}
}

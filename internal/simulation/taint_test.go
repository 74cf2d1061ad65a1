package simulation_test

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// TestNoExecuteRemovesPendingDaemonPods taints a node on which a DaemonSet's pod found no place.
func TestNoExecuteRemovesPendingDaemonPods(t *testing.T) {
	taint := change.Taint{Node: "n1", Taint: corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}}
	pendingOn := func(edit func(*corev1.PodSpec)) objects {
		set := daemonSet("agent", template("agent", "1", edit), "n1")
		set[1] = placed("agent-n1", "", set[0].(*appsv1.DaemonSet).Spec.Template, ownedBy("apps/v1", "DaemonSet", "agent"))
		set[1].(*corev1.Pod).Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}}}}},
		}}}
		return world(node("n1", "a", cpu("500m")), node("n2", "b", cpu("500m")), set)
	}
	tolerates := func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	expectFates(t, pendingOn(func(*corev1.PodSpec) {}).run(t, taint), "ended agent-n1 FateUnwanted")
	expectFates(t, pendingOn(tolerates).run(t, taint))
	taint.Taint.Effect = corev1.TaintEffectNoSchedule
	expectFates(t, pendingOn(func(*corev1.PodSpec) {}).run(t, taint))
}

// TestUntaintRefused removes a taint that the node does not have, as kubectl refuses to.
func TestUntaintRefused(t *testing.T) {
	has := corev1.Taint{Key: "dedicated", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	w := world(node("n1", "a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{has} }))
	once, other := change.Untaint{Node: "n1", Taint: has}, change.Untaint{Node: "n1", Taint: corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoExecute}}
	for name, changes := range map[string][]change.Change{"twice": {once, once}, "of another effect": {other}} {
		_, err := simulation.Run(t.Context(), w.judge(t), changes, simulation.Options{})
		if refused := (outcome.RefusedError{}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := simulation.Run(t.Context(), w.judge(t), []change.Change{once}, simulation.Options{}); err != nil {
		t.Error(err)
	}
}

// TestRotationOfUnknownZones rotates a group of which no two nodes share a zone: new nodes may come up in another one.
func TestRotationOfUnknownZones(t *testing.T) {
	rotate := change.RotateGroup{Group: "workers"}
	expectGap(t, world(node("n1", "a"), node("n2", "b")).run(t, rotate), "group/workers", "GapZones")
	expectGap(t, world(node("n1", "a"), node("n2", "a")).run(t, rotate), "group/workers", "")
	rotate.Zones = []string{"a", "b"}
	expectGap(t, world(node("n1", "a"), node("n2", "b")).run(t, rotate), "group/workers", "")
}

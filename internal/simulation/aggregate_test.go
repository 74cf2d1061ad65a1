package simulation_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// TestFatesOfEveryFuture shrinks a group by a random one of two nodes: the fates of the pods on either are listed, with their
// share of the futures.
func TestFatesOfEveryFuture(t *testing.T) {
	w := world(node("n1", "a"), node("n2", "a"), node("n3", "b"),
		placed("left", "n1", template("left", "4")), placed("right", "n2", template("right", "4")), budget("leftover", "left", 1), budget("rightover", "right", 1))
	o, err := simulation.Run(t.Context(), w.judge(t), []change.Change{change.ResizeGroup{Group: "workers", To: 2}}, simulation.Options{Seeds: 40})
	if err != nil {
		t.Fatal(err)
	}
	shares := map[string]float64{}
	for _, f := range o.Fates {
		shares[string(f.Kind)+" "+f.Pod.Name] = f.Chance
	}
	for _, v := range o.Violations {
		shares["violates "+v.Budget.Name] = v.Chance
	}
	for _, pair := range [][2]string{{"lost left", "lost right"}, {"violates leftover", "violates rightover"}} {
		one, other := shares[pair[0]], shares[pair[1]]
		if one == 0 || other == 0 || math.Abs(one+other-1) > 1e-9 {
			t.Errorf("%v have chances of %v and %v, want both, and 1 together", pair, one, other)
		}
	}
	if first := w.run(t, change.ResizeGroup{Group: "workers", To: 2}); len(first.Fates) != 1 {
		t.Errorf("one future has %d fates, want one: %v", len(first.Fates), describeFates(first))
	}
}

// TestNodeChance distinguishes the share of a fate, which is 1, from that of its node.
func TestNodeChance(t *testing.T) {
	w := world(threeNodes(), placed("a", "", template("web", "3")), placed("b", "", template("web", "3")), node("n4", "c", cpu("1")))
	o, err := simulation.Run(t.Context(), w.judge(t), []change.Change{change.Uncordon{Node: "n4"}}, simulation.Options{Seeds: 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Fates {
		if f.Chance != 1 || f.NodeChance <= 0 || f.NodeChance >= 1 || f.To == "" {
			t.Errorf("%s has a chance of %v, and of %v on %s", f.Pod.Name, f.Chance, f.NodeChance, f.To)
		}
	}
	if len(o.Fates) != 2 {
		t.Errorf("%d fates, want two: %v", len(o.Fates), describeFates(o))
	}
}

// TestChangeWithoutEffectFirst applies a change without effect before another: the Outcome is that of the other alone.
func TestChangeWithoutEffectFirst(t *testing.T) {
	db := statefulSet("db", template("db", "2", priority(5)), "", "", "")
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
	}{
		"a drain with a StatefulSet whose first pod waits": {
			world(node("n1", "a", cpu("1")), node("n2", "b", cpu("1")), node("n3", "c", cpu("8"), tainted), db[:2]),
			change.Untaint{Node: "n3", Taint: corev1.Taint{Key: "shut", Effect: corev1.TaintEffectNoSchedule}},
		},
		"a lost node": {world(threeNodes(), statefulSet("web", template("web", "3"), "n1", "n2"), placed("lone", "n1", template("lone", "1"))), change.LoseNode{Node: "n1"}},
	} {
		t.Run(name, func(t *testing.T) {
			alone := tc.world.run(t, tc.change)
			after := tc.world.run(t, change.Cordon{Node: "n1"}, tc.change)
			first := tc.world.run(t, change.Cordon{Node: "n1"})
			if len(describeFates(first)) > 0 {
				t.Fatalf("the first change is not harmless: %v", describeFates(first))
			}
			if diff := cmp.Diff(describeFates(alone), describeFates(after)); diff != "" {
				t.Errorf("alone, and after another change (-alone +after):\n%s", diff)
			}
		})
	}
}

func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "shut", Effect: corev1.TaintEffectNoSchedule}}
}

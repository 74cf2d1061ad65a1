package simulation_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestFatesOfEveryFuture shrinks a group by a random one of two nodes: the fates of the pods on either are listed, with their
// share of the futures.
func TestFatesOfEveryFuture(t *testing.T) {
	w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b"),
		testworld.Placed("left", "n1", testworld.Template("left", "4")), testworld.Placed("right", "n2", testworld.Template("right", "4")), testworld.Budget("leftover", "left", 1), testworld.Budget("rightover", "right", 1))
	o, err := simulation.Run(t.Context(), w.Judge(t), []change.Change{change.ResizeGroup{Group: "workers", To: 2}}, simulation.Options{Seeds: 40})
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
	if first := w.Run(t, change.ResizeGroup{Group: "workers", To: 2}); len(first.Fates) != 1 {
		t.Errorf("one future has %d fates, want one: %v", len(first.Fates), testworld.DescribeFates(first))
	}
}

// TestNodeChance distinguishes the share of a fate, which is 1, from that of its node.
func TestNodeChance(t *testing.T) {
	w := testworld.Of(testworld.ThreeNodes(), testworld.Placed("a", "", testworld.Template("web", "3")), testworld.Placed("b", "", testworld.Template("web", "3")), testworld.Node("n4", "c", testworld.CPU("1")))
	o, err := simulation.Run(t.Context(), w.Judge(t), []change.Change{change.Uncordon{Node: "n4"}}, simulation.Options{Seeds: 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Fates {
		if f.Chance != 1 || f.NodeChance <= 0 || f.NodeChance >= 1 || f.To == "" {
			t.Errorf("%s has a chance of %v, and of %v on %s", f.Pod.Name, f.Chance, f.NodeChance, f.To)
		}
	}
	if len(o.Fates) != 2 {
		t.Errorf("%d fates, want two: %v", len(o.Fates), testworld.DescribeFates(o))
	}
}

// TestChangeWithoutEffectFirst applies a change without effect before another: the Outcome is that of the other alone.
func TestChangeWithoutEffectFirst(t *testing.T) {
	db := testworld.StatefulSet("db", testworld.Template("db", "2", testworld.Priority(5)), "", "", "")
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
	}{
		"a drain with a StatefulSet whose first pod waits": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b", testworld.CPU("1")), testworld.Node("n3", "c", testworld.CPU("8"), tainted), db[:2]),
			change.Untaint{Node: "n3", Taint: corev1.Taint{Key: "shut", Effect: corev1.TaintEffectNoSchedule}},
		},
		"a lost node": {testworld.Of(testworld.ThreeNodes(), testworld.StatefulSet("web", testworld.Template("web", "3"), "n1", "n2"), testworld.Placed("lone", "n1", testworld.Template("lone", "1"))), change.LoseNode{Node: "n1"}},
	} {
		t.Run(name, func(t *testing.T) {
			alone := tc.world.Run(t, tc.change)
			after := tc.world.Run(t, change.Cordon{Node: "n1"}, tc.change)
			first := tc.world.Run(t, change.Cordon{Node: "n1"})
			if len(testworld.DescribeFates(first)) > 0 {
				t.Fatalf("the first change is not harmless: %v", testworld.DescribeFates(first))
			}
			if diff := cmp.Diff(testworld.DescribeFates(alone), testworld.DescribeFates(after)); diff != "" {
				t.Errorf("alone, and after another change (-alone +after):\n%s", diff)
			}
		})
	}
}

func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "shut", Effect: corev1.TaintEffectNoSchedule}}
}

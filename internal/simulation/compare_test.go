package simulation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// describeHarms is a comparison as text: "waiting web-1-a in 3; violates keep in 2; guessed web-1-b".
func describeHarms(c *outcome.Comparison) string {
	var said []string
	names := func(refs []change.Ref) string {
		var all []string
		for _, ref := range refs {
			all = append(all, testworld.Generated.ReplaceAllString(ref.Name, "-*"))
		}
		return strings.Join(all, " ")
	}
	for _, h := range c.Harms {
		said = append(said, fmt.Sprintf("%s %s in %d", h.Kind, names(h.Pods), h.Futures))
	}
	for _, v := range c.Violations {
		said = append(said, fmt.Sprintf("violates %s in %d", v.Budget.Name, c.Violating))
	}
	if len(c.Guessed) > 0 {
		said = append(said, "guessed "+names(c.Guessed))
	}
	return strings.Join(said, "; ")
}

func TestCompare(t *testing.T) {
	reboot := []change.Change{change.RebootNode{Node: "n1"}}
	replace := []change.Change{change.ReplaceNode{Node: "n1"}}
	dead := func(name, zone string) *corev1.Node {
		n := testworld.Node(name, zone)
		n.Status.Conditions[0].Status = corev1.ConditionUnknown
		return n
	}
	foreign := func(s *corev1.PodSpec) { s.SchedulerName = "theirs" }
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change []change.Change
		out    []string
		harms  string
		fates  []string
	}{
		"all pods move": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2")), reboot, nil, "", []string{"moved web-1-a n1>n3"},
		},
		"a pod that waits anyway is no harm": {
			testworld.Of(testworld.ThreeNodes(), testworld.Placed("huge", "", testworld.Template("huge", "40")), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2")), reboot, nil,
			"",
			[]string{"moved web-1-a n1>n3"},
		},
		"a pod that waits only because its capacity is taken": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Placed("now", "", testworld.Template("now", "3")), testworld.Deployment("web", testworld.Template("web", "3"), "n1")), reboot, nil,
			"waiting web-1-a in 3",
			[]string{"waiting web-1-a n1>"},
		},
		"a pod that is preempted anyway is no harm": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b"), testworld.Placed("high", "", testworld.Template("high", "4", testworld.Priority(10))),
				testworld.Deployment("low", testworld.Template("low", "4"), "n2"), testworld.Budget("keep", "low", 1)), reboot, nil, "", []string{},
		},
		"a pod that is preempted for one that moves": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("high", testworld.Template("high", "4", testworld.Priority(10)), "n1"), testworld.Deployment("low", testworld.Template("low", "4"), "n2")),
			reboot, nil, "preempted low-1-a in 3",
			[]string{"moved high-1-a n1>n2", "preempted low-1-a n2> by high-1-* 30s", "waiting low-1-*"},
		},
		"a pod without owner": {testworld.Of(testworld.ThreeNodes(), testworld.Placed("bare", "n1", testworld.Template("bare", "1"))), reboot, nil, "lost bare in 3", nil},
		"a StatefulSet's pod on an unreachable node waits already": {
			testworld.Of(dead("n1", "a"), testworld.Node("n2", "b"), testworld.Placed("web-0", "n1", testworld.Template("web", "3"), testworld.OwnedBy("apps/v1", "StatefulSet", "web")),
				testworld.StatefulSet("full", testworld.Template("full", "3"), "n2")), replace, nil, "", nil,
		},
		"a pod that takes the capacity of an unreachable node's pod": {
			testworld.Of(testworld.Node("n1", "a"), dead("n2", "b"), testworld.Node("n3", "c"), testworld.Deployment("web", testworld.Template("web", "3"), "n1"), testworld.Deployment("api", testworld.Template("api", "3"), "n2")),
			reboot,
			[]string{"n2"},
			"waiting web-1-a in 3", nil,
		},
		"a pod that takes the capacity of one that is evicted soon": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b", testworld.UnreachableFor(100*time.Second)), testworld.Node("n3", "c"),
				testworld.Deployment("web", testworld.Template("web", "3"), "n1"), testworld.Deployment("api", testworld.Template("api", "3", testworld.Tolerating(300)), "n2")),
			reboot, nil, "waiting web-1-a in 3", nil,
		},
		"one that is evicted soon, on the node itself": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "3", testworld.Tolerating(300)), "n1")),
			replace, nil, "", nil,
		},
		"nodes out of service get no pods": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")), reboot, []string{"n2"}, "", []string{"moved web-1-a n1>n3"},
		},
		"a node that does not exist is out of service": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2")), reboot, []string{"gone"}, "", []string{"moved web-1-a n1>n3"},
		},
		"a budget that is used up by a node out of service": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n3"), testworld.Budget("keep", "web", 2)), reboot,
			[]string{"n2"},
			"waiting web-1-a in 3; violates keep in 3", nil,
		},
		"a budget that allows another beside one out of service": {
			testworld.Of(testworld.ThreeNodes(), testworld.Node("n4", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n3", "n4"), testworld.Budget("keep", "web", 2)), reboot, []string{"n2"}, "", nil,
		},
		"a budget that allows one": {testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n3"), testworld.Budget("keep", "web", 2)), reboot, nil, "", nil},
		"a StatefulSet that lacks one creates no further pod": {
			testworld.Of(testworld.ThreeNodes(), testworld.StatefulSet("web", testworld.Template("web", "1"), "n2", "n1")), reboot, []string{"n2"}, "waiting web-1 in 3", nil,
		},
		"all pods of a StatefulSet on a node out of service need nodes": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b"), testworld.Node("n3", "c"), testworld.StatefulSet("set", testworld.Template("set", "2"), "n2", "n2"), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			reboot,
			[]string{"n2"},
			"waiting web-1-a in 3", nil,
		},
		"DaemonSets' pods stay where they are": {
			testworld.Of(testworld.ThreeNodes(), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1", "n2", "n3")), reboot, []string{"n2"}, "", []string{},
		},
		"the node that another scheduler chooses is a guess": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1", foreign), "n1", "n2")), reboot, nil, "guessed web-1-a", nil,
		},
		"so is whether it chooses one": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "4", foreign), "n1", "n2")), reboot, nil, "guessed web-1-a", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := tc.world.Compare(t, tc.change, tc.out...)
			if got := describeHarms(result.Compared); got != tc.harms {
				t.Errorf("got %q, want %q", got, tc.harms)
			}
			if tc.fates != nil {
				testworld.ExpectFates(t, result, tc.fates...)
			}
			if c := result.Compared; c.Futures != 3 || (c.Worse > 0) != (len(c.Harms)+len(c.Violations) > 0) {
				t.Errorf("%d futures are worse of %d", c.Worse, c.Futures)
			}
		})
	}
}

// TestCompareSeesEveryFuture compares counts with those of each future simulated alone, in worlds in which randomness decides
// whether all pods fit.
func TestCompareSeesEveryFuture(t *testing.T) {
	changes, some := []change.Change{change.RebootNode{Node: "n1"}}, 0
	for i := range 200 {
		w := contendedNodes(i)
		worse, first, worst, fates := 0, false, 0, []string(nil)
		err := simulation.EachFuture(t.Context(), w.Judge(t), changes, simulation.Options{Seeds: 3}, func(o outcome.Outcome) error {
			n := waiting(o)
			if first = n > 0; first { // The first future comes last.
				worse++
			}
			if n >= worst {
				worst, fates = n, testworld.DescribeFates(o)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		judge := w.Judge(t)
		before := judge.World()
		result, err := simulation.Compare(t.Context(), judge, changes, simulation.Options{Seeds: 3})
		if err != nil {
			t.Fatal(err)
		}
		c := result.Compared
		if c.Worse != worse || waiting(result) != worst || worse > 0 && (len(c.Harms) != 1 || c.Harms[0].Kind != outcome.Waiting || c.Harms[0].Futures != worse) {
			t.Errorf("world %d: %q and %d pods that wait, want %d futures of 3, at worst with %d", i, describeHarms(c), waiting(result), worse, worst)
		}
		if diff := cmp.Diff(fates, testworld.DescribeFates(result)); diff != "" {
			t.Errorf("world %d: the future that is shown is not the first of the worst (-want +got):\n%s", i, diff)
		}
		if judge.World() != before {
			t.Fatal("the Judge stands in another world afterwards")
		}
		if worse > 0 && !first {
			some++
		}
	}
	if some == 0 {
		t.Error("in no world the first future is well and another is not: nothing was tested")
	}
	t.Logf("%d of 200 worlds are well in the first future and not in another", some)
}

// contendedNodes is a world with as many nodes for n1's pods as there are pods, one of which fits only on a node that any other
// may take.
func contendedNodes(i int) testworld.Objects {
	all := testworld.Of(testworld.Node("n1", "a"))
	var on []string
	for k := range 3 + i%4 {
		all = append(all, testworld.Node(fmt.Sprint("p", k), "b", testworld.CPU("1")))
		if k > 0 {
			on = append(on, "n1")
		}
	}
	pick := func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelHostname: "p0"} }
	app := fmt.Sprint("x", i)
	return testworld.Of(all, testworld.Deployment(app, testworld.Template(app, "1"), on...), testworld.Deployment("y", testworld.Template("y", "1", pick), "n1"))
}

func waiting(o outcome.Outcome) int {
	return len(slices.DeleteFunc(slices.Clone(o.Fates), func(f outcome.Fate) bool { return f.Kind != outcome.Waiting }))
}

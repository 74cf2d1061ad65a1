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
)

// compare simulates changes in three futures with nodes out of service.
func (o objects) compare(t testing.TB, changes []change.Change, out ...string) outcome.Outcome {
	t.Helper()
	result, err := simulation.Compare(t.Context(), o.judge(t), changes, simulation.Options{Seeds: 3}, out...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// describeHarms is a comparison as text: "waiting web-1-a in 3; violates keep in 2; guessed web-1-b".
func describeHarms(c *outcome.Comparison) string {
	var said []string
	names := func(refs []change.Ref) string {
		var all []string
		for _, ref := range refs {
			all = append(all, generated.ReplaceAllString(ref.Name, "-*"))
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
		n := node(name, zone)
		n.Status.Conditions[0].Status = corev1.ConditionUnknown
		return n
	}
	foreign := func(s *corev1.PodSpec) { s.SchedulerName = "theirs" }
	for name, tc := range map[string]struct {
		world  objects
		change []change.Change
		out    []string
		harms  string
		fates  []string
	}{
		"all pods move": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1", "n2")), reboot, nil, "", []string{"moved web-1-a n1>n3"},
		},
		"a pod that waits anyway is no harm": {
			world(threeNodes(), placed("huge", "", template("huge", "40")), deployment("web", template("web", "1"), "n1", "n2")), reboot, nil,
			"",
			[]string{"moved web-1-a n1>n3"},
		},
		"a pod that waits only because its capacity is taken": {
			world(node("n1", "a"), node("n2", "b"), placed("now", "", template("now", "3")), deployment("web", template("web", "3"), "n1")), reboot, nil,
			"waiting web-1-a in 3",
			[]string{"waiting web-1-a n1>"},
		},
		"a pod that is preempted anyway is no harm": {
			world(node("n1", "a", cpu("1")), node("n2", "b"), placed("high", "", template("high", "4", priority(10))),
				deployment("low", template("low", "4"), "n2"), budget("keep", "low", 1)), reboot, nil, "", []string{},
		},
		"a pod that is preempted for one that moves": {
			world(node("n1", "a"), node("n2", "b"), deployment("high", template("high", "4", priority(10)), "n1"), deployment("low", template("low", "4"), "n2")),
			reboot, nil, "preempted low-1-a in 3",
			[]string{"moved high-1-a n1>n2", "preempted low-1-a n2> by high-1-* 30s", "waiting low-1-*"},
		},
		"a pod without owner": {world(threeNodes(), placed("bare", "n1", template("bare", "1"))), reboot, nil, "lost bare in 3", nil},
		"a StatefulSet's pod on an unreachable node waits already": {
			world(dead("n1", "a"), node("n2", "b"), placed("web-0", "n1", template("web", "3"), ownedBy("apps/v1", "StatefulSet", "web")),
				statefulSet("full", template("full", "3"), "n2")), replace, nil, "", nil,
		},
		"a pod that takes the capacity of an unreachable node's pod": {
			world(node("n1", "a"), dead("n2", "b"), node("n3", "c"), deployment("web", template("web", "3"), "n1"), deployment("api", template("api", "3"), "n2")),
			reboot,
			[]string{"n2"},
			"waiting web-1-a in 3", nil,
		},
		"a pod that takes the capacity of one that is evicted soon": {
			world(node("n1", "a"), node("n2", "b", unreachableFor(100*time.Second)), node("n3", "c"),
				deployment("web", template("web", "3"), "n1"), deployment("api", template("api", "3", tolerating(300)), "n2")),
			reboot, nil, "waiting web-1-a in 3", nil,
		},
		"one that is evicted soon, on the node itself": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b", cpu("1")), deployment("web", template("web", "3", tolerating(300)), "n1")),
			replace, nil, "", nil,
		},
		"nodes out of service get no pods": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1")), reboot, []string{"n2"}, "", []string{"moved web-1-a n1>n3"},
		},
		"a node that does not exist is out of service": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1", "n2")), reboot, []string{"gone"}, "", []string{"moved web-1-a n1>n3"},
		},
		"a budget that is used up by a node out of service": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1", "n2", "n3"), budget("keep", "web", 2)), reboot,
			[]string{"n2"},
			"waiting web-1-a in 3; violates keep in 3", nil,
		},
		"a budget that allows another beside one out of service": {
			world(threeNodes(), node("n4", "a"), deployment("web", template("web", "1"), "n1", "n2", "n3", "n4"), budget("keep", "web", 2)), reboot, []string{"n2"}, "", nil,
		},
		"a budget that allows one": {world(threeNodes(), deployment("web", template("web", "1"), "n1", "n2", "n3"), budget("keep", "web", 2)), reboot, nil, "", nil},
		"a StatefulSet that lacks one creates no further pod": {
			world(threeNodes(), statefulSet("web", template("web", "1"), "n2", "n1")), reboot, []string{"n2"}, "waiting web-1 in 3", nil,
		},
		"all pods of a StatefulSet on a node out of service need nodes": {
			world(node("n1", "a", cpu("1")), node("n2", "b"), node("n3", "c"), statefulSet("set", template("set", "2"), "n2", "n2"), deployment("web", template("web", "1"), "n1")),
			reboot,
			[]string{"n2"},
			"waiting web-1-a in 3", nil,
		},
		"DaemonSets' pods stay where they are": {
			world(threeNodes(), daemonSet("agent", template("agent", "1"), "n1", "n2", "n3")), reboot, []string{"n2"}, "", []string{},
		},
		"the node that another scheduler chooses is a guess": {
			world(threeNodes(), deployment("web", template("web", "1", foreign), "n1", "n2")), reboot, nil, "guessed web-1-a", nil,
		},
		"so is whether it chooses one": {
			world(node("n1", "a"), node("n2", "b"), deployment("web", template("web", "4", foreign), "n1", "n2")), reboot, nil, "guessed web-1-a", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := tc.world.compare(t, tc.change, tc.out...)
			if got := describeHarms(result.Compared); got != tc.harms {
				t.Errorf("got %q, want %q", got, tc.harms)
			}
			if tc.fates != nil {
				expectFates(t, result, tc.fates...)
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
		err := simulation.EachFuture(t.Context(), w.judge(t), changes, simulation.Options{Seeds: 3}, func(o outcome.Outcome) error {
			n := waiting(o)
			if first = n > 0; first { // The first future comes last.
				worse++
			}
			if n >= worst {
				worst, fates = n, describeFates(o)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		judge := w.judge(t)
		before := judge.World()
		result, err := simulation.Compare(t.Context(), judge, changes, simulation.Options{Seeds: 3})
		if err != nil {
			t.Fatal(err)
		}
		c := result.Compared
		if c.Worse != worse || waiting(result) != worst || worse > 0 && (len(c.Harms) != 1 || c.Harms[0].Kind != outcome.Waiting || c.Harms[0].Futures != worse) {
			t.Errorf("world %d: %q and %d pods that wait, want %d futures of 3, at worst with %d", i, describeHarms(c), waiting(result), worse, worst)
		}
		if diff := cmp.Diff(fates, describeFates(result)); diff != "" {
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
func contendedNodes(i int) objects {
	all := world(node("n1", "a"))
	var on []string
	for k := range 3 + i%4 {
		all = append(all, node(fmt.Sprint("p", k), "b", cpu("1")))
		if k > 0 {
			on = append(on, "n1")
		}
	}
	pick := func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelHostname: "p0"} }
	app := fmt.Sprint("x", i)
	return world(all, deployment(app, template(app, "1"), on...), deployment("y", template("y", "1", pick), "n1"))
}

func waiting(o outcome.Outcome) int {
	return len(slices.DeleteFunc(slices.Clone(o.Fates), func(f outcome.Fate) bool { return f.Kind != outcome.Waiting }))
}

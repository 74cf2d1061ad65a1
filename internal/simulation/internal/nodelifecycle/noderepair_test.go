package nodelifecycle_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestRepairAgainstBudget repairs the node of a pod whose budget allows no disruption.
func TestRepairAgainstBudget(t *testing.T) {
	world := testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1", "n2"), testworld.Budget("keep", "web", 2))
	for _, c := range []change.Change{change.RebootNode{Node: "n1"}, change.ReplaceNode{Node: "n1"}} {
		if outcome := world.Run(t, c); len(outcome.Violations) != 1 || outcome.Violations[0].Budget.Name != "keep" {
			t.Errorf("%s violates %v, want the budget that allows no disruption", c, outcome.Violations)
		}
	}
}

func TestRepair(t *testing.T) {
	dead := func() *corev1.Node {
		n := testworld.Node("n1", "a")
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
		return n
	}
	reboot, replace := change.RebootNode{Node: "n1"}, change.ReplaceNode{Node: "n1"}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
		stays  bool
	}{
		"a reboot moves pods by a drain": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1", "n2")), reboot,
			[]string{"moved web-1-a n1>n3"},
			true,
		},
		"a reboot leaves a DaemonSet's pod": {
			testworld.Of(testworld.ThreeNodes(), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2", "n3")), reboot, nil, true,
		},
		"a replacement removes it": {
			testworld.Of(testworld.ThreeNodes(), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2", "n3")), replace,
			[]string{"ended agent-n1 n1> FateDaemon"},
			false,
		},
		"a replacement moves pods by a drain": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1", "n2")), replace,
			[]string{"moved web-1-a n1>n3"},
			false,
		},
		"an unschedulable pod waits, although the node would come back": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "3"), "n1", "n2", "n3")), reboot,
			[]string{"waiting web-1-a n1> FateUnschedulable"},
			true,
		},
		"an unreachable node is lost, whatever is done": {
			testworld.Of(dead(), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1")), reboot,
			[]string{"moved web-1-a n1>n2 5m0s"},
			false,
		},
		"a service that restarts moves nothing": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")), change.RestartService{Node: "n1", Service: "containerd.service"}, nil, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.Run(t, tc.change)
			testworld.ExpectFates(t, outcome, tc.want...)
			there := slices.ContainsFunc(outcome.World.Nodes(), func(n *corev1.Node) bool { return n.Name == "n1" })
			if there != tc.stays {
				t.Errorf("the node stays: %t, want %t", there, tc.stays)
			}
		})
	}
}

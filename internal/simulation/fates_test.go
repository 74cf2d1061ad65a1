package simulation_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
)

// TestFatesOverSeveralChanges follows pods from the initial snapshot over several changes.
func TestFatesOverSeveralChanges(t *testing.T) {
	one := placed("one", "", template("one", "1"))
	one.UID = ""
	// A set of three, the first pod of which is pending.
	db := statefulSet("db", template("db", "1"), "", "", "")
	ordered, first := db[0], db[1]
	for name, tc := range map[string]struct {
		world   objects
		changes []change.Change
		want    []string
	}{
		"a pod that moves twice moves from its first node to its last": {
			world(node("n1", "a"), node("n2", "b"), node("n3", "c"), placed("full", "n3", template("full", "4")), deployment("web", template("web", "1"), "n1")),
			[]change.Change{change.DrainNode{Node: "n1"}, change.AddNodes{Count: 1, Zone: "a"}, change.DrainNode{Node: "n2"}},
			[]string{"moved web-1-a n1>workers-a-new-1"},
		},
		"a pod created and removed in between has no fate": {
			world(node("n1", "a"), daemonSet("agent", template("agent", "1"), "n1")),
			[]change.Change{change.AddNodes{Count: 1}, change.ResizeGroup{Group: "workers", To: 1}},
			nil,
		},
		"a budget allows more once there are more pods": {
			world(node("n1", "a", cpu("1")), node("n2", "b"), deployment("web", template("web", "1"), "n1", "n2"), budget("keep", "web", 2)),
			[]change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 3}, change.DrainNode{Node: "n1"}},
			[]string{"created web-1-* >n2", "moved web-1-a n1>n2"},
		},
		"a StatefulSet continues when its first pod runs, though that was unschedulable before": {
			world(node("n1", "a", cpu("1")), placed("full", "n1", template("full", "1")), ordered, first),
			[]change.Change{change.Cordon{Node: "n1"}, change.AddNodes{Count: 1, Zone: "b"}, change.AddNodes{Count: 2, Zone: "b"}},
			[]string{"created db-1 >workers-b-new-2", "created db-2 >workers-b-new-3", "moved db-0 >workers-b-new-1"},
		},
		"a pod that its budget protects is preempted": {
			world(node("n1", "a"), deployment("web", template("web", "3", priority(-1)), "n1"), budget("keep", "web", 1)),
			[]change.Change{change.Evict{Namespace: "default", Name: "web-1-a"}, change.Apply{Objects: []runtime.Object{newDeployment(1, template("big", "4"))}}},
			[]string{"created big-* >n1", "preempted web-1-a n1> by big-* 30s", "waiting web-1-* FateUnschedulable"},
		},
		"but a new pod without owner is lost": {
			world(node("n1", "a")),
			[]change.Change{change.Apply{Objects: []runtime.Object{one}}, change.DrainNode{Node: "n1"}},
			[]string{"lost one FateBare"},
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.changes...), tc.want...) })
	}
}

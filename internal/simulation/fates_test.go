package simulation_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestFatesOverSeveralChanges follows pods from the initial snapshot over several changes.
func TestFatesOverSeveralChanges(t *testing.T) {
	one := testworld.Placed("one", "", testworld.Template("one", "1"))
	one.UID = ""
	// A set of three, the first pod of which is pending.
	db := testworld.StatefulSet("db", testworld.Template("db", "1"), "", "", "")
	ordered, first := db[0], db[1]
	for name, tc := range map[string]struct {
		world   testworld.Objects
		changes []change.Change
		want    []string
	}{
		"a pod that moves twice moves from its first node to its last": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Node("n3", "c"), testworld.Placed("full", "n3", testworld.Template("full", "4")), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			[]change.Change{change.DrainNode{Node: "n1"}, change.AddNodes{Count: 1, Zone: "a"}, change.DrainNode{Node: "n2"}},
			[]string{"moved web-1-a n1>workers-a-new-1"},
		},
		"a pod created and removed in between has no fate": {
			testworld.Of(testworld.Node("n1", "a"), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1")),
			[]change.Change{change.AddNodes{Count: 1}, change.ResizeGroup{Group: "workers", To: 1}},
			nil,
		},
		"a budget allows more once there are more pods": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), testworld.Budget("keep", "web", 2)),
			[]change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 3}, change.DrainNode{Node: "n1"}},
			[]string{"created web-1-* >n2", "moved web-1-a n1>n2"},
		},
		"a StatefulSet continues when its first pod runs, though that was unschedulable before": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Placed("full", "n1", testworld.Template("full", "1")), ordered, first),
			[]change.Change{change.Cordon{Node: "n1"}, change.AddNodes{Count: 1, Zone: "b"}, change.AddNodes{Count: 2, Zone: "b"}},
			[]string{"created db-1 >workers-b-new-2", "created db-2 >workers-b-new-3", "moved db-0 >workers-b-new-1"},
		},
		"a pod that its budget protects is preempted": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "3", testworld.Priority(-1)), "n1"), testworld.Budget("keep", "web", 1)),
			[]change.Change{change.Evict{Namespace: "default", Name: "web-1-a"}, change.Apply{Objects: []runtime.Object{testworld.NewDeployment(1, testworld.Template("big", "4"))}}},
			[]string{"created big-* >n1", "preempted web-1-a n1> by big-* 30s", "waiting web-1-* FateUnschedulable"},
		},
		"but a new pod without owner is lost": {
			testworld.Of(testworld.Node("n1", "a")),
			[]change.Change{change.Apply{Objects: []runtime.Object{one}}, change.DrainNode{Node: "n1"}},
			[]string{"lost one FateBare"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.changes...), tc.want...) })
	}
}

// TestRecreatedPodWithoutRoomAtItsVolume replaces the only pod of a Deployment with the strategy Recreate by one that no longer fits
// where its volume is: the old pod ends, and the new one waits.
func TestRecreatedPodWithoutRoomAtItsVolume(t *testing.T) {
	grow := testworld.PatchOf("Deployment", "db", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"3"}}}]}}}}`)
	for cpu, want := range map[string][]string{
		"2": {"ended db-1-a n1> FateRecreated", "waiting db-* FateUnschedulable"},
		"4": {"created db-* >n1", "ended db-1-a n1> FateRecreated"},
	} {
		db := testworld.Recreating(testworld.Deployment("db", testworld.Template("db", "1", testworld.Mounting("data")), "n1"))
		w := testworld.Of(testworld.Node("n1", "a", testworld.CPU(cpu)), testworld.Node("n2", "b", testworld.CPU("8")), testworld.ZonalClaim("data", "a"), db)
		testworld.ExpectFates(t, w.Run(t, grow), want...)
	}
}

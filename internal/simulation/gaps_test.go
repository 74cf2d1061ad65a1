package simulation_test

import (
	"errors"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestNotModelled has a change for each thing that bears on the result and is not modelled.
func TestNotModelled(t *testing.T) {
	elsewhere := func(s *corev1.PodSpec) { s.SchedulerName = "volcano" }
	night := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "night", Namespace: "default"}}
	for name, tc := range map[string]struct {
		world       testworld.Objects
		change      change.Change
		about, want string
	}{
		"the times of a node loss":         {testworld.ThreeNodes(), change.LoseNode{Node: "n1"}, "kube-controller-manager", "GapTimes"},
		"which node a group removes":       {testworld.ThreeNodes(), change.ResizeGroup{Group: "workers", To: 2}, "group/workers", "GapChoice"},
		"which zone comes first":           {testworld.Of(testworld.ThreeNodes(), testworld.Node("n4", "a"), testworld.Node("n5", "b"), testworld.Node("n6", "c")), change.AddNodes{Count: 2}, "group/workers", "GapTie"},
		"which no object matches":          {testworld.Of(testworld.ThreeNodes(), testworld.Node("n4", "a"), testworld.Node("n5", "b"), testworld.Node("n6", "c")), change.AddNodes{Count: 2, Zone: "a"}, "group/workers", ""},
		"nor if each zone gets one":        {testworld.Of(testworld.ThreeNodes(), testworld.Node("n4", "a"), testworld.Node("n5", "b"), testworld.Node("n6", "c")), change.AddNodes{Count: 3}, "group/workers", ""},
		"zones without a node":             {testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b")), change.ResizeGroup{Group: "workers", To: 4}, "group/workers", "GapZones"},
		"two nodes in each zone":           {testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b"), testworld.Node("n4", "b")), change.AddNodes{Count: 2}, "group/workers", ""},
		"but a volume in another zone":     {testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b"), testworld.Node("n4", "b"), testworld.ZonalClaim("data", "c")), change.AddNodes{Count: 1}, "group/workers", "GapZones"},
		"given zones":                      {testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b")), change.ResizeGroup{Group: "workers", To: 4, Zones: []string{"a", "b"}}, "group/workers", ""},
		"another scheduler":                {testworld.Of(testworld.ThreeNodes(), testworld.Deployment("batch", testworld.Template("batch", "1", elsewhere), "n1")), change.DrainNode{Node: "n1"}, "volcano", "GapScheduler"},
		"an owner of an unknown kind":      {testworld.Of(testworld.ThreeNodes(), testworld.Placed("web", "n1", testworld.Template("web", "1"), testworld.OwnedBy("argoproj.io/v1alpha1", "Rollout", "web"))), change.DrainNode{Node: "n1"}, "Rollout", "GapOwner"},
		"nodes that an autoscaler may add": {testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1")), change.DrainNode{Node: "n1"}, "nodes", "GapAutoscaling"},
		"a CronJob":                        {testworld.ThreeNodes(), change.Apply{Objects: []runtime.Object{night}}, "cronjob/night", "GapCronJob"},
		"no gap":                           {testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")), change.DrainNode{Node: "n1"}, "nodes", ""},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectGap(t, tc.world.Run(t, tc.change), tc.about, tc.want) })
	}
}

// TestRemovedByEarlierChange drains a node that the change before it removes: in some futures, in none, or in all, which is an error.
func TestRemovedByEarlierChange(t *testing.T) {
	for name, tc := range map[string]struct {
		changes []change.Change
		gap     string
		fails   bool
	}{
		"in some futures":    {[]change.Change{change.ResizeGroup{Group: "workers", To: 2}, change.DrainNode{Node: "n3"}}, "GapRemoved", false},
		"in none":            {[]change.Change{change.DrainNode{Node: "n1"}, change.DrainNode{Node: "n3"}}, "", false},
		"in all":             {[]change.Change{change.ResizeGroup{Group: "workers"}, change.DrainNode{Node: "n3"}}, "", true},
		"it was never there": {[]change.Change{change.DrainNode{Node: "n1"}, change.DrainNode{Node: "n9"}}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := simulation.Run(t.Context(), testworld.ThreeNodes().Judge(t), tc.changes, simulation.Options{Seeds: 20})
			if _, is := errors.AsType[outcome.UnknownError](err); is != tc.fails || err != nil && !is {
				t.Fatalf("err = %v, want an UnknownError: %t", err, tc.fails)
			}
			if !tc.fails {
				testworld.ExpectGap(t, out, "node/n3", tc.gap)
			}
		})
	}
}

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

// TestRemovedByEarlierChange changes what the change before it removes: in some futures, in none, or in all, which is an error.
func TestRemovedByEarlierChange(t *testing.T) {
	resize := func(to int) change.Change { return change.ResizeGroup{Group: "workers", To: to} }
	for name, tc := range map[string]struct {
		first, second change.Change
		gap           string
		fails         bool
	}{
		"a node in some futures":           {resize(2), change.DrainNode{Node: "n3"}, "GapRemoved", false},
		"a node in none":                   {change.DrainNode{Node: "n1"}, change.DrainNode{Node: "n3"}, "", false},
		"a node in all":                    {resize(0), change.DrainNode{Node: "n3"}, "", true},
		"a node that was never there":      {change.DrainNode{Node: "n1"}, change.DrainNode{Node: "n9"}, "", true},
		"a zone's only node in some":       {resize(2), change.LoseZone{Zone: "c"}, "GapEmptied", false},
		"a zone's only node in none":       {change.DrainNode{Node: "n1"}, change.LoseZone{Zone: "c"}, "", false},
		"a zone's only node in all":        {change.LoseNode{Node: "n3"}, change.LoseZone{Zone: "c"}, "", true},
		"a zone that was never there":      {resize(2), change.LoseZone{Zone: "d"}, "", true},
		"a group's nodes in all":           {resize(0), change.LoseGroup{Group: "workers"}, "", true},
		"a group's nodes in all to rotate": {resize(0), change.RotateGroup{Group: "workers"}, "", true},
		"a group that was never there":     {resize(2), change.LoseGroup{Group: "others"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := simulation.Run(t.Context(), testworld.ThreeNodes().Judge(t), []change.Change{tc.first, tc.second}, simulation.Options{Seeds: 20})
			if unknown, is := errors.AsType[outcome.UnknownError](err); is != tc.fails || is && unknown.Ref != tc.second.Subject() || err != nil && !is {
				t.Fatalf("err = %v, want an UnknownError about %s: %t", err, tc.second.Subject(), tc.fails)
			}
			if !tc.fails {
				testworld.ExpectGap(t, out, tc.second.Subject().String(), tc.gap)
			}
		})
	}
}

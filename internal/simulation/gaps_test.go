package simulation_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
)

// TestNotModelled has a change for each thing that bears on the result and is not modelled.
func TestNotModelled(t *testing.T) {
	elsewhere := func(s *corev1.PodSpec) { s.SchedulerName = "volcano" }
	night := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "night", Namespace: "default"}}
	for name, tc := range map[string]struct {
		world       objects
		change      change.Change
		about, want string
	}{
		"the times of a node loss":         {threeNodes(), change.LoseNode{Node: "n1"}, "kube-controller-manager", "GapTimes"},
		"which node a group removes":       {threeNodes(), change.ResizeGroup{Group: "workers", To: 2}, "group/workers", "GapChoice"},
		"which zone comes first":           {world(threeNodes(), node("n4", "a"), node("n5", "b"), node("n6", "c")), change.AddNodes{Count: 2}, "group/workers", "GapTie"},
		"which no object matches":          {world(threeNodes(), node("n4", "a"), node("n5", "b"), node("n6", "c")), change.AddNodes{Count: 2, Zone: "a"}, "group/workers", ""},
		"nor if each zone gets one":        {world(threeNodes(), node("n4", "a"), node("n5", "b"), node("n6", "c")), change.AddNodes{Count: 3}, "group/workers", ""},
		"zones without a node":             {world(node("n1", "a"), node("n2", "b")), change.ResizeGroup{Group: "workers", To: 4}, "group/workers", "GapZones"},
		"given zones":                      {world(node("n1", "a"), node("n2", "b")), change.ResizeGroup{Group: "workers", To: 4, Zones: []string{"a", "b"}}, "group/workers", ""},
		"another scheduler":                {world(threeNodes(), deployment("batch", template("batch", "1", elsewhere), "n1")), change.DrainNode{Node: "n1"}, "volcano", "GapScheduler"},
		"an owner of an unknown kind":      {world(threeNodes(), placed("web", "n1", template("web", "1"), ownedBy("argoproj.io/v1alpha1", "Rollout", "web"))), change.DrainNode{Node: "n1"}, "Rollout", "GapOwner"},
		"nodes that an autoscaler may add": {world(node("n1", "a"), deployment("web", template("web", "1"), "n1")), change.DrainNode{Node: "n1"}, "nodes", "GapAutoscaling"},
		"a CronJob":                        {threeNodes(), change.Apply{Objects: []runtime.Object{night}}, "cronjob/night", "GapCronJob"},
		"no gap":                           {world(threeNodes(), deployment("web", template("web", "1"), "n1")), change.DrainNode{Node: "n1"}, "nodes", ""},
	} {
		t.Run(name, func(t *testing.T) { expectGap(t, tc.world.run(t, tc.change), tc.about, tc.want) })
	}
}

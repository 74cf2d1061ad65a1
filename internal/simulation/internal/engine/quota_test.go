package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestQuotaAfterPodRemoval: the quota that a removed pod frees goes to its owner or another; for a moment more may be admitted
// than it allows.
func TestQuotaAfterPodRemoval(t *testing.T) {
	pods := func(o outcome.Outcome) string {
		counts := map[string]int{}
		for _, pod := range o.World.Pods() {
			if pod.DeletionTimestamp == nil {
				counts[pod.Labels["app"]]++
			}
		}
		return fmt.Sprint("api ", counts["api"], ", web ", counts["web"])
	}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"one of two that want it, or both, since a new pod may not be counted yet": {
			testworld.Of(testworld.ThreeNodes(), testworld.ReplicaSetLacking("web", 2, "n1"), testworld.ReplicaSetLacking("api", 2, "n2"), testworld.Quota("2")),
			change.DeletePod{Namespace: "default", Name: "web-1-a"},
			[]string{"api 1, web 1", "api 1, web 2", "api 2, web 0", "api 2, web 1"},
		},
		"no pod is created before one is removed": {
			testworld.Of(testworld.ThreeNodes(), testworld.ReplicaSetLacking("web", 2, "n1"), testworld.ReplicaSetLacking("api", 2, "n2"), testworld.Quota("2")), change.Cordon{Node: "n1"}, []string{"api 1, web 1"},
		},
		"no more than replicas": {
			testworld.Of(testworld.ThreeNodes(), testworld.ReplicaSetLacking("web", 1, "n1"), testworld.ReplicaSetLacking("api", 1, "n2"), testworld.Quota("2")), change.DeletePod{Namespace: "default", Name: "web-1-a"}, []string{"api 1, web 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge, seen := tc.world.CompleteJudge(t), map[string]bool{}
			err := simulation.EachFuture(t.Context(), judge, []change.Change{tc.change}, simulation.Options{Seeds: 400}, func(o outcome.Outcome) error {
				seen[pods(o)] = true
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, result := range tc.want {
				want[result] = true
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestQuotaOnUnreachableNode: a Terminating pod on an unreachable node counts until the next resync of the quota, or until the
// node is removed; a pod that tolerates the node for a while may therefore be scheduled before or after its replacement.
func TestQuotaOnUnreachableNode(t *testing.T) {
	// Both fit only n2, one at a time.
	w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a", testworld.CPU("1")), testworld.ReplicaSetLacking("web", 1, "n1"), testworld.Deployment("slow", testworld.Template("slow", "1", testworld.Tolerating(60)), "n1"), testworld.Quota("2"))
	judge, placed := w.CompleteJudge(t), map[string]bool{}
	err := simulation.EachFuture(t.Context(), judge, []change.Change{change.LoseNode{Node: "n1"}}, simulation.Options{Seeds: 100}, func(o outcome.Outcome) error {
		for _, pod := range o.World.PodsOn("n2") {
			placed[pod.Labels["app"]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"web": true, "slow": true}, placed); diff != "" {
		t.Errorf("placed first (-want +got):\n%s", diff)
	}
}

// TestAbandonedRefusedPods: refused pods count for their owner, and are dropped first.
func TestAbandonedRefusedPods(t *testing.T) {
	failing := testworld.Job("report", 0, testworld.Template("report", "1"), "n1", "n2")
	of := failing[0].(*batchv1.Job)
	of.Spec.Parallelism, of.Spec.Completions = new(int32(3)), new(int32(3))
	of.Status = batchv1.JobStatus{StartTime: &metav1.Time{Time: testworld.Epoch}, Active: 2}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change []change.Change
		want   []string
	}{
		"a Deployment scaled down to more than it has": {
			testworld.ReplicaSetLacking("web", 4, "n1", "n2"), []change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 3}}, nil,
		},
		"a Deployment that gets no more quota": {
			testworld.ReplicaSetLacking("web", 4, "n1", "n2"),
			[]change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 2}, change.DeletePod{Namespace: "default", Name: "web-1-a"}},
			[]string{"moved web-1-a n1>n1"},
		},
		"a failed Job's": {
			failing, []change.Change{change.Cordon{Node: "n3"}, change.DeletePod{Namespace: "default", Name: "report-a"}}, []string{"lost report-a n1> FateJobFailed", "lost report-b n2> FateJobSibling"},
		},
		"an old template's": {
			testworld.ReplicaSetLacking("web", 3, "n1", "n2"),
			[]change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null},"template":{"metadata":{"annotations":{"a":"b"}}}}}`)},
			[]string{"created web-* >n1", "created web-* >n2", "ended web-1-a n1> FateRecreated", "ended web-1-b n2> FateRecreated", "waiting web-* FateRefused"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := simulation.Run(t.Context(), testworld.Of(testworld.ThreeNodes(), tc.world, testworld.Quota("2")).CompleteJudge(t), tc.change, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			testworld.ExpectFates(t, result, tc.want...)
		})
	}
}

// TestRefusedPodsOfAllControllers: each controller gets its refused pods once other pods are removed, though its status does not
// say what was refused.
func TestRefusedPodsOfAllControllers(t *testing.T) {
	set := testworld.StatefulSet("db", testworld.Template("db", "1"), "n1")
	set[0].(*appsv1.StatefulSet).Spec.Replicas = new(int32(3))
	for name, tc := range map[string]struct {
		world testworld.Objects
		want  []string
	}{
		"a StatefulSet, one after the other":       {set, []string{"created db-1 >n2", "lost alone n3> FateBare", "waiting db-2 FateRefused"}},
		"a DaemonSet, on the node without its pod": {testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1"), []string{"created agent-* >n2", "lost alone n3> FateBare"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Node("n3", "c", testworld.CordonedNode), testworld.Placed("alone", "n3", testworld.Template("alone", "1")), testworld.Quota("2"), tc.world)
			result, err := simulation.Run(t.Context(), w.CompleteJudge(t), []change.Change{change.DeletePod{Namespace: "default", Name: "alone"}}, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			testworld.ExpectFates(t, result, tc.want...)
		})
	}
}

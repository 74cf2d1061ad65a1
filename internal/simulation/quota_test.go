package simulation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// replicaSetLacking is a Deployment of which a quota has refused pods: it has replicas, and pods on nodes.
func replicaSetLacking(name string, replicas int32, nodes ...string) objects {
	of := deployment(name, template(name, "1", tolerating(1)), nodes...)
	of[0].(*appsv1.Deployment).Spec.Replicas = &replicas
	rs := of[1].(*appsv1.ReplicaSet)
	rs.Spec.Replicas = &replicas
	rs.Status.Conditions = []appsv1.ReplicaSetCondition{{
		Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Message: `pods "x" is forbidden: exceeded quota: most, requested: pods=1, used: pods=2, limited: pods=2`,
	}}
	return of
}

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
		world  objects
		change change.Change
		want   []string
	}{
		"one of two that want it, or both, since a new pod may not be counted yet": {
			world(threeNodes(), replicaSetLacking("web", 2, "n1"), replicaSetLacking("api", 2, "n2"), quota("2")),
			change.DeletePod{Namespace: "default", Name: "web-1-a"},
			[]string{"api 1, web 1", "api 1, web 2", "api 2, web 0", "api 2, web 1"},
		},
		"no pod is created before one is removed": {
			world(threeNodes(), replicaSetLacking("web", 2, "n1"), replicaSetLacking("api", 2, "n2"), quota("2")), change.Cordon{Node: "n1"}, []string{"api 1, web 1"},
		},
		"no more than replicas": {
			world(threeNodes(), replicaSetLacking("web", 1, "n1"), replicaSetLacking("api", 1, "n2"), quota("2")), change.DeletePod{Namespace: "default", Name: "web-1-a"}, []string{"api 1, web 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge, seen := tc.world.completeJudge(t), map[string]bool{}
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
	w := world(node("n1", "a"), node("n2", "a", cpu("1")), replicaSetLacking("web", 1, "n1"), deployment("slow", template("slow", "1", tolerating(60)), "n1"), quota("2"))
	judge, placed := w.completeJudge(t), map[string]bool{}
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
	failing := job("report", 0, template("report", "1"), "n1", "n2")
	of := failing[0].(*batchv1.Job)
	of.Spec.Parallelism, of.Spec.Completions = new(int32(3)), new(int32(3))
	of.Status = batchv1.JobStatus{StartTime: &metav1.Time{Time: epoch}, Active: 2}
	for name, tc := range map[string]struct {
		world  objects
		change []change.Change
		want   []string
	}{
		"a Deployment scaled down to more than it has": {
			replicaSetLacking("web", 4, "n1", "n2"), []change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 3}}, nil,
		},
		"a Deployment that gets no more quota": {
			replicaSetLacking("web", 4, "n1", "n2"),
			[]change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 2}, change.DeletePod{Namespace: "default", Name: "web-1-a"}},
			[]string{"moved web-1-a n1>n1"},
		},
		"a failed Job's": {
			failing, []change.Change{change.Cordon{Node: "n3"}, change.DeletePod{Namespace: "default", Name: "report-a"}}, []string{"lost report-a n1> FateJobFailed", "lost report-b n2> FateJobSibling"},
		},
		"an old template's": {
			replicaSetLacking("web", 3, "n1", "n2"),
			[]change.Change{patchOf("Deployment", "web", `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null},"template":{"metadata":{"annotations":{"a":"b"}}}}}`)},
			[]string{"created web-* >n1", "created web-* >n2", "ended web-1-a n1> FateRolled", "ended web-1-b n2> FateRolled", "waiting web-* FateRefused"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := simulation.Run(t.Context(), world(threeNodes(), tc.world, quota("2")).completeJudge(t), tc.change, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			expectFates(t, result, tc.want...)
		})
	}
}

// TestRefusedPodsOfAllControllers: each controller gets its refused pods once other pods are removed, though its status does not
// say what was refused.
func TestRefusedPodsOfAllControllers(t *testing.T) {
	set := statefulSet("db", template("db", "1"), "n1")
	set[0].(*appsv1.StatefulSet).Spec.Replicas = new(int32(3))
	for name, tc := range map[string]struct {
		world objects
		want  []string
	}{
		"a StatefulSet, one after the other":       {set, []string{"created db-1 >n2", "lost alone n3> FateBare", "waiting db-2 FateRefused"}},
		"a DaemonSet, on the node without its pod": {daemonSet("agent", template("agent", "1"), "n1"), []string{"created agent-* >n2", "lost alone n3> FateBare"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(node("n1", "a"), node("n2", "b"), node("n3", "c", cordonedNode), placed("alone", "n3", template("alone", "1")), quota("2"), tc.world)
			result, err := simulation.Run(t.Context(), w.completeJudge(t), []change.Change{change.DeletePod{Namespace: "default", Name: "alone"}}, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			expectFates(t, result, tc.want...)
		})
	}
}

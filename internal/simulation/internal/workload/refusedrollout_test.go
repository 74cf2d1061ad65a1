package workload_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// toMissingClass rolls a workload out to a runtime class that does not exist.
func toMissingClass(kind, name string) change.Change {
	return testworld.PatchOf(kind, name, `{"spec":{"template":{"spec":{"runtimeClassName":"nosuch"}}}}`)
}

// runComplete makes changes in a world in which every kind is known.
func runComplete(t *testing.T, world testworld.Objects, changes ...change.Change) outcome.Outcome {
	t.Helper()
	result, err := simulation.Run(t.Context(), world.CompleteJudge(t), changes, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestStatefulSetRolloutRefused: a StatefulSet of either policy loses one pod to a revision that the API server refuses, no more.
func TestStatefulSetRolloutRefused(t *testing.T) {
	for _, policy := range []appsv1.PodManagementPolicyType{appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement} {
		t.Run(string(policy), func(t *testing.T) {
			db := testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n2", "n3")
			db[0].(*appsv1.StatefulSet).Spec.PodManagementPolicy = policy
			testworld.ExpectFates(t, runComplete(t, testworld.Of(testworld.ThreeNodes(), db), toMissingClass("StatefulSet", "db")), "waiting db-2 n3> FateRefused")
		})
	}
}

// TestStatefulSetRolloutRefusedBefore has a StatefulSet that lacks a pod from the start, which the API server still refuses. It
// replaces no pod of its old revision, though the change concerns one.
func TestStatefulSetRolloutRefusedBefore(t *testing.T) {
	missing := "nosuch"
	db := testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n2")
	set := db[0].(*appsv1.StatefulSet)
	set.Spec.Replicas, set.Spec.PodManagementPolicy = new(int32(3)), appsv1.ParallelPodManagement
	set.Spec.Template.Spec.RuntimeClassName = &missing
	set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(1))}
	set.Status.CurrentRevision, set.Status.UpdateRevision = "db-old", "db-new"
	for _, object := range db[1:] {
		object.(*corev1.Pod).Labels[appsv1.StatefulSetRevisionLabel] = "db-old"
	}
	outcome := runComplete(t, testworld.Of(testworld.ThreeNodes(), db), change.DeletePod{Namespace: "default", Name: "db-0"})
	testworld.ExpectFates(t, outcome, "moved db-0 n1>n3")
}

// TestRefusedReplicasOfOldReplicaSets: replicas that the API server refuses count among the old ones. Beside them, an old pod that
// waits is removed, and those that run are kept.
func TestRefusedReplicasOfOldReplicaSets(t *testing.T) {
	missing := "nosuch"
	web := testworld.Strategy(testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", ""), 1, 1)
	web[0].(*appsv1.Deployment).Spec.Replicas = new(int32(4))
	refused := web[1].(*appsv1.ReplicaSet).DeepCopy()
	refused.Name, refused.UID = "web-2", "web-2"
	refused.Spec.Replicas = new(int32(2))
	refused.Spec.Template.Spec.RuntimeClassName = &missing
	world := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")), web, refused)
	got := runComplete(t, world, testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"spec":{"runtimeClassName":"other"}}}}`))
	testworld.ExpectFates(t, got, "ended web-1-c FateRolled", "waiting web-* FateRefused", "waiting web-* FateRefused")
}

// TestRefusedReplicasOfOldestReplicaSet: the oldest ReplicaSet is scaled down first. While it lacks more replicas than it loses, its
// waiting pod stays, and so do those of younger ReplicaSets.
func TestRefusedReplicasOfOldestReplicaSet(t *testing.T) {
	missing := "nosuch"
	web := testworld.Strategy(testworld.Deployment("web", testworld.Template("web", "1"), "n1", ""), 1, 0)
	web[0].(*appsv1.Deployment).Spec.Replicas = new(int32(4))
	oldest := web[1].(*appsv1.ReplicaSet)
	oldest.Spec.Replicas, oldest.Spec.Template.Spec.RuntimeClassName = new(int32(3)), &missing
	younger := oldest.DeepCopy()
	younger.Name, younger.UID, younger.CreationTimestamp.Time = "web-2", "web-2", oldest.CreationTimestamp.Add(time.Minute)
	younger.Spec.Replicas = new(int32(2))
	world := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), web, younger)
	got := runComplete(t, world, testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"labels":{"version":"3"}}}}}`))
	testworld.ExpectFates(t, got, "waiting web-* FateUnschedulable")
}

// TestDaemonSetRolloutToOtherNodes: the pods that a new template brings to other nodes wait, which exhausts maxUnavailable, and the
// old pod stays.
func TestDaemonSetRolloutToOtherNodes(t *testing.T) {
	first := func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelTopologyZone: "a"} }
	world := testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Node("n2", "b", testworld.CPU("1")),
		testworld.DaemonSet("agent", testworld.Template("agent", "1", first), "n1"), testworld.Deployment("web", testworld.Template("web", "1"), "n2"))
	patch := testworld.PatchOf(string(cluster.DaemonSet), "agent", `{"spec":{"template":{"spec":{"nodeSelector":null}}}}`)
	testworld.ExpectFates(t, world.Run(t, patch), "waiting agent-* FateUnschedulable")
}

// TestQuotaRefusedRollout has a rollout of which a quota refused every pod, old and new. Once there is room, only new ones stay.
func TestQuotaRefusedRollout(t *testing.T) {
	web := testworld.ReplicaSetLacking("web", 2)
	web[0].(*appsv1.Deployment).Spec.Template.Labels["version"] = "2"
	web[1].(*appsv1.ReplicaSet).Spec.Replicas = new(int32(1))
	web[1].(*appsv1.ReplicaSet).Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	next := web[1].(*appsv1.ReplicaSet).DeepCopy()
	next.Name, next.UID, next.Annotations["deployment.kubernetes.io/revision"] = "web-2", "web-2", "2"
	next.Spec.Replicas = new(int32(2))
	next.Spec.Template.Labels["version"] = "2"
	world := testworld.Of(testworld.ThreeNodes(), web, next, testworld.Quota("4"), testworld.Deployment("other", testworld.Template("other", "1"), "n1", "n1", "n2", "n2"))
	outcome := runComplete(t, world, change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "other"})
	left := map[string]int{}
	for _, pod := range outcome.World.Pods() {
		left[pod.OwnerReferences[0].Name]++
	}
	if diff := cmp.Diff(map[string]int{"web-2": 2}, left); diff != "" {
		t.Errorf("pods by owner (-want +got):\n%s", diff)
	}
}

package workload_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestDeletedPodOfOldRevision deletes a StatefulSet's pending pod with an older template than the current one, which requests
// less.
func TestDeletedPodOfOldRevision(t *testing.T) {
	for name, tc := range map[string]struct {
		partition int32
		revision  string
		want      []string
	}{
		"it is recreated from the current template":         {0, "db-old", []string{"moved db-0 >n1"}},
		"below the partition it keeps its revision":         {1, "db-old", nil},
		"one of the current revision is recreated the same": {0, "db-new", nil},
	} {
		t.Run(name, func(t *testing.T) {
			all := testworld.StatefulSet("db", testworld.Template("db", "500m"), "")
			set, pod := all[0].(*appsv1.StatefulSet), all[1].(*corev1.Pod)
			set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
				Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &tc.partition},
			}
			set.Status.CurrentRevision, set.Status.UpdateRevision = "db-first", "db-new"
			pod.Spec = testworld.Template("db", "100").Spec
			pod.Labels = map[string]string{appsv1.StatefulSetRevisionLabel: tc.revision}
			testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), all).Run(t, change.DeletePod{Namespace: "default", Name: "db-0"}), tc.want...)
		})
	}
}

// TestOngoingStatefulSetRollout has a rollout that waits for its first new pod: once that runs, the others are replaced.
func TestOngoingStatefulSetRollout(t *testing.T) {
	outdated := func(strategy appsv1.StatefulSetUpdateStrategyType, policy appsv1.PodManagementPolicyType) testworld.Objects {
		all := testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "")
		set := all[0].(*appsv1.StatefulSet)
		set.Spec.UpdateStrategy.Type, set.Spec.PodManagementPolicy = strategy, policy
		set.Status.CurrentRevision, set.Status.UpdateRevision = "db-old", "db-new"
		for i, revision := range []string{"db-old", "db-new"} {
			pod := all[i+1].(*corev1.Pod)
			pod.Labels[appsv1.StatefulSetRevisionLabel] = revision
		}
		return testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1"), func(n *corev1.Node) { n.Spec.Unschedulable = true }), all)
	}
	open := change.Uncordon{Node: "n2"}
	rolling, ordered, parallel := appsv1.RollingUpdateStatefulSetStrategyType, appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement
	testworld.ExpectFates(t, outdated(rolling, ordered).Run(t, open), "moved db-1 >n2", "moved db-0 n1>n1")
	testworld.ExpectFates(t, outdated(rolling, parallel).Run(t, open), "moved db-1 >n2", "moved db-0 n1>n1")
	testworld.ExpectFates(t, outdated(appsv1.OnDeleteStatefulSetStrategyType, ordered).Run(t, open), "moved db-1 >n2")
	testworld.ExpectFates(t, outdated(rolling, ordered).Run(t, change.Cordon{Node: "n1"})) // Nothing has happened to its pods.
}

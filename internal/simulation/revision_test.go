package simulation_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
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
			all := statefulSet("db", template("db", "500m"), "")
			set, pod := all[0].(*appsv1.StatefulSet), all[1].(*corev1.Pod)
			set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
				Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &tc.partition},
			}
			set.Status.CurrentRevision, set.Status.UpdateRevision = "db-first", "db-new"
			pod.Spec = template("db", "100").Spec
			pod.Labels = map[string]string{appsv1.StatefulSetRevisionLabel: tc.revision}
			expectFates(t, world(node("n1", "a"), all).run(t, change.DeletePod{Namespace: "default", Name: "db-0"}), tc.want...)
		})
	}
}

// TestOngoingStatefulSetRollout has a rollout that waits for its first new pod: once that runs, the others are replaced.
func TestOngoingStatefulSetRollout(t *testing.T) {
	outdated := func(strategy appsv1.StatefulSetUpdateStrategyType, policy appsv1.PodManagementPolicyType) objects {
		all := statefulSet("db", template("db", "1"), "n1", "")
		set := all[0].(*appsv1.StatefulSet)
		set.Spec.UpdateStrategy.Type, set.Spec.PodManagementPolicy = strategy, policy
		set.Status.CurrentRevision, set.Status.UpdateRevision = "db-old", "db-new"
		for i, revision := range []string{"db-old", "db-new"} {
			pod := all[i+1].(*corev1.Pod)
			pod.Labels[appsv1.StatefulSetRevisionLabel] = revision
		}
		return world(node("n1", "a", cpu("1")), node("n2", "a", cpu("1"), func(n *corev1.Node) { n.Spec.Unschedulable = true }), all)
	}
	open := change.Uncordon{Node: "n2"}
	rolling, ordered, parallel := appsv1.RollingUpdateStatefulSetStrategyType, appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement
	expectFates(t, outdated(rolling, ordered).run(t, open), "moved db-1 >n2", "moved db-0 n1>n1")
	expectFates(t, outdated(rolling, parallel).run(t, open), "moved db-1 >n2", "moved db-0 n1>n1")
	expectFates(t, outdated(appsv1.OnDeleteStatefulSetStrategyType, ordered).run(t, open), "moved db-1 >n2")
	expectFates(t, outdated(rolling, ordered).run(t, change.Cordon{Node: "n1"})) // Nothing has happened to its pods.
}

package workload_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// stuckRollout is a Deployment of two in a rollout: two old pods that request two CPUs, and a new one that requests one.
func stuckRollout(next *corev1.Pod) testworld.Objects {
	of := testworld.Deployment("web", testworld.Template("web", "2"), "n1", "n2")
	d, old := of[0].(*appsv1.Deployment), of[1].(*appsv1.ReplicaSet)
	old.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	d.Spec.Template = testworld.Template("web", "1")
	d.Status.Replicas, d.Status.UpdatedReplicas = 3, 1
	present := old.DeepCopy()
	present.Name, present.UID, present.Spec.Replicas, present.Spec.Template = "web-2", "ReplicaSetweb-2", new(int32(1)), d.Spec.Template
	present.Annotations = map[string]string{"deployment.kubernetes.io/revision": "2"}
	return append(of, present, next)
}

func TestOngoingRollouts(t *testing.T) {
	owner := testworld.OwnedBy("apps/v1", "ReplicaSet", "web-2")
	waiting := testworld.Placed("web-2-a", "", testworld.Template("web", "1"), owner)
	crashing := testworld.Placed("web-2-a", "n3", testworld.Template("web", "1"), owner)
	crashing.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	two, one := testworld.CPU("2"), testworld.CPU("1")
	nodes := func() testworld.Objects {
		return testworld.Of(testworld.Node("n1", "a", two), testworld.Node("n2", "a", two), testworld.Node("n3", "a", one, testworld.CordonedNode))
	}
	paused := stuckRollout(waiting)
	paused[0].(*appsv1.Deployment).Spec.Paused = true
	for name, tc := range map[string]struct {
		world   testworld.Objects
		changes []change.Change
		want    []string
	}{
		"one completes when there is capacity": {
			stuckRollout(waiting),
			[]change.Change{change.Uncordon{Node: "n3"}},
			[]string{"moved web-2-a >n3", "created web-2-* >n1", "ended web-1-a n1> FateRolled", "ended web-1-b n2> FateRolled"},
		},
		"not while it is paused":             {paused, []change.Change{change.Uncordon{Node: "n3"}}, []string{"moved web-2-a >n3"}},
		"nor while its new pod is not ready": {stuckRollout(crashing), []change.Change{change.DeletePod{Namespace: "default", Name: "web-1-a"}}, []string{"moved web-1-a n1>n1"}},
		"nor after an unrelated change":      {stuckRollout(waiting), []change.Change{change.Cordon{Node: "n1"}}, nil},
		"scaled to zero, it has neither old nor new pods": {
			stuckRollout(waiting),
			[]change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web"}},
			[]string{"ended web-1-a n1> FateScaled", "ended web-1-b n2> FateScaled", "ended web-2-a FateScaled"},
		},
		"scaled down while it is paused, too": {
			paused,
			[]change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web"}},
			[]string{"ended web-1-a n1> FateScaled", "ended web-1-b n2> FateScaled", "ended web-2-a FateScaled"},
		},
		"one that was stuck in this future completes as well": {
			testworld.Of(testworld.Deployment("web", testworld.Template("web", "2"), "n1", "n2")),
			[]change.Change{
				testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"1"}}}]}}}}`),
				change.Uncordon{Node: "n3"},
			},
			[]string{"created web-* >n1", "created web-* >n3", "ended web-1-a n1> FateRolled", "ended web-1-b n2> FateRolled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			testworld.ExpectFates(t, testworld.Of(nodes(), tc.world).Run(t, tc.changes...), tc.want...)
		})
	}
}

package nodelifecycle_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestLoseNode(t *testing.T) {
	mirror := testworld.Placed("kube-proxy-n1", "n1", testworld.Template("proxy", "100m"))
	mirror.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	mirror.OwnerReferences = []metav1.OwnerReference{testworld.OwnedBy("v1", "Node", "n1")}
	for name, tc := range map[string]struct {
		world testworld.Objects
		want  []string
	}{
		"a Deployment's pod moves after 50 s and its toleration": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1", "n2", "n3")),
			[]string{"moved web-1-a n1>n3 5m50s"},
		},
		"without a toleration it moves once the node is unreachable": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2", "n3")),
			[]string{"moved web-1-a n1>n3 50s"},
		},
		"one that tolerates it without limit counts as running until the node is removed": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1", func(s *corev1.PodSpec) {
				s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			}), "n1", "n2", "n3")),
			[]string{"delayed web-1-a n1>n3 FateHeld"},
		},
		"a StatefulSet's pod is Terminating until the node is removed": {
			testworld.Of(testworld.ThreeNodes(), testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Tolerating(300)), "n1", "n2")),
			[]string{"delayed db-0 n1>n3 FateRelease"},
		},
		"a StatefulSet's pod waits if its volume's zone has no other node": {
			testworld.Of(testworld.ThreeNodes(), testworld.ZonalClaim("data", "a"), testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Tolerating(300), testworld.Mounting("data")), "n1")),
			[]string{"waiting db-0 n1> FateUnschedulable"},
		},
		"a Deployment's pod waits for its volume to be detached": {
			testworld.Of(testworld.ThreeNodes(), testworld.Node("n4", "a"), testworld.ZonalClaim("data", "a"), testworld.Deployment("db", testworld.Template("db", "1", testworld.Tolerating(300), testworld.Mounting("data")), "n1")),
			[]string{"delayed db-1-a n1>n4 11m50s FateDetach"},
		},
		"a DaemonSet's pod ends with its node": {
			testworld.Of(testworld.ThreeNodes(), testworld.DaemonSet("agent", testworld.Template("agent", "100m"), "n1", "n2", "n3")),
			[]string{"ended agent-n1 n1> FateDaemon"},
		},
		"a bare pod is lost, a mirror pod too": {
			testworld.Of(testworld.ThreeNodes(), testworld.Placed("alone", "n1", testworld.Template("alone", "1", testworld.Tolerating(300))), mirror),
			[]string{"lost alone n1> 5m50s FateBare", "lost kube-proxy-n1 n1> FateMirror"},
		},
		"a Job's pod is recreated within its backoffLimit": {
			testworld.Of(testworld.ThreeNodes(), testworld.Job("night", 1, testworld.Template("night", "1", testworld.Tolerating(300)), "n1", "n2")),
			[]string{"moved night-a n1>n3 5m51s"}, // its back-off is over when the pod is deleted
		},
		"a Job with backoffLimit 0 fails, and its other pods are removed": {
			testworld.Of(testworld.ThreeNodes(), testworld.Job("night", 0, testworld.Template("night", "1", testworld.Tolerating(300)), "n1", "n2")),
			[]string{"lost night-a n1> 5m50s FateJobFailed", "lost night-b n2> 5m50s FateJobSibling"},
		},
		"a failed Job frees capacity for pending pods": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "3", testworld.Tolerating(300)), "n1"), testworld.Job("night", 0, testworld.Template("night", "1", testworld.Tolerating(300)), "n1", "n2", "n2")),
			[]string{"lost night-a n1> 5m50s FateJobFailed", "lost night-b n2> 5m50s FateJobSibling", "lost night-c n2> 5m50s FateJobSibling", "moved web-1-a n1>n2 5m50s"},
		},
		"the scheduler counts an unreachable node's pod until the node is removed": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300), testworld.AntiAffinity(corev1.LabelTopologyZone, "web")), "n1")),
			[]string{"delayed web-1-a n1>n2 FateOnceGone"},
		},
		"an unschedulable pod waits": {
			testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "3", testworld.Tolerating(300)), "n1", "n2", "n3")),
			[]string{"waiting web-1-a n1> FateUnschedulable"},
		},
		"terminated pods have no fate": {
			testworld.Of(testworld.ThreeNodes(), func() *corev1.Pod {
				p := testworld.Placed("done", "n1", testworld.Template("done", "1"))
				p.Status.Phase = corev1.PodSucceeded
				return p
			}()),
			nil,
		},
		"a pod that waits already has no fate if it still does": {
			testworld.Of(testworld.ThreeNodes(), testworld.Placed("big", "", testworld.Template("big", "8"))),
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.Run(t, change.LoseNode{Node: "n1"})
			testworld.ExpectFates(t, outcome, tc.want...)
			if outcome.World.Node("n1") != nil {
				t.Error("the lost node is still there")
			}
			if left := outcome.World.PodsOn("n1"); len(left) > 0 && left[0].Status.Phase == corev1.PodRunning {
				t.Errorf("%s still stands on the lost node", left[0].Name)
			}
		})
	}
}

// TestPendingDaemonPodsOfLostNodes: the DaemonSet controller is not notified of a removed node. It removes a pod that waits for the
// node once it syncs the DaemonSet for another reason, such as that the DaemonSet loses another pod.
func TestPendingDaemonPodsOfLostNodes(t *testing.T) {
	agents := func(node string, on ...string) testworld.Objects {
		all := testworld.DaemonSet("agent", testworld.Template("agent", "8"), append(on, "")...)
		pod := all[len(all)-1].(*corev1.Pod)
		pod.Name = "agent-pending"
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}},
		}}}
		return testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1"), all)
	}
	for name, tc := range map[string]struct {
		world                testworld.Objects
		lost                 []string
		mayRemove, mayRemain bool
	}{
		"nothing else changes about the DaemonSet":      {agents("n1"), []string{"n1"}, true, true},
		"it loses another pod":                          {agents("n1", "n2"), []string{"n1", "n2"}, true, false},
		"it loses one later":                            {agents("n1", "n2"), []string{"n1", "n3", "n2"}, true, false},
		"the node that the pod waits for still exists":  {agents("n3"), []string{"n1"}, false, true},
		"and the DaemonSet loses another pod elsewhere": {agents("n3", "n2"), []string{"n2"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			var changes []change.Change
			for _, node := range tc.lost {
				changes = append(changes, change.LoseNode{Node: node})
			}
			removed, remained := false, false
			err := simulation.Inspect(t.Context(), tc.world.Judge(t), changes, simulation.Options{Seeds: 16}, func(seen outcome.Outcome) error {
				there := seen.World.Pod("default", "agent-pending") != nil
				removed, remained = removed || !there, remained || there
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if removed != tc.mayRemove || remained != tc.mayRemain {
				t.Errorf("removed in some futures: %v, remained in some: %v", removed, remained)
			}
		})
	}
}

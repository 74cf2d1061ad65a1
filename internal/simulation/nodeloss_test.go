package simulation_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

func threeNodes() objects { return world(node("n1", "a"), node("n2", "b"), node("n3", "c")) }

func TestLoseNode(t *testing.T) {
	mirror := placed("kube-proxy-n1", "n1", template("proxy", "100m"))
	mirror.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	mirror.OwnerReferences = []metav1.OwnerReference{ownedBy("v1", "Node", "n1")}
	for name, tc := range map[string]struct {
		world objects
		want  []string
	}{
		"a Deployment's pod moves after 50 s and its toleration": {
			world(threeNodes(), deployment("web", template("web", "1", tolerating(300)), "n1", "n2", "n3")),
			[]string{"moved web-1-a n1>n3 5m50s"},
		},
		"without a toleration it moves once the node is unreachable": {
			world(threeNodes(), deployment("web", template("web", "1"), "n1", "n2", "n3")),
			[]string{"moved web-1-a n1>n3 50s"},
		},
		"one that tolerates it without limit counts as running until the node is removed": {
			world(threeNodes(), deployment("web", template("web", "1", func(s *corev1.PodSpec) {
				s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			}), "n1", "n2", "n3")),
			[]string{"delayed web-1-a n1>n3 FateHeld"},
		},
		"a StatefulSet's pod is Terminating until the node is removed": {
			world(threeNodes(), statefulSet("db", template("db", "1", tolerating(300)), "n1", "n2")),
			[]string{"delayed db-0 n1>n3 FateRelease"},
		},
		"a StatefulSet's pod waits if its volume's zone has no other node": {
			world(threeNodes(), zonalClaim("data", "a"), statefulSet("db", template("db", "1", tolerating(300), mounting("data")), "n1")),
			[]string{"waiting db-0 n1> FateUnschedulable"},
		},
		"a Deployment's pod waits for its volume to be detached": {
			world(threeNodes(), node("n4", "a"), zonalClaim("data", "a"), deployment("db", template("db", "1", tolerating(300), mounting("data")), "n1")),
			[]string{"delayed db-1-a n1>n4 11m50s FateDetach"},
		},
		"a DaemonSet's pod ends with its node": {
			world(threeNodes(), daemonSet("agent", template("agent", "100m"), "n1", "n2", "n3")),
			[]string{"ended agent-n1 n1> FateDaemon"},
		},
		"a bare pod is lost, a mirror pod too": {
			world(threeNodes(), placed("alone", "n1", template("alone", "1", tolerating(300))), mirror),
			[]string{"lost alone n1> 5m50s FateBare", "lost kube-proxy-n1 n1> FateMirror"},
		},
		"a Job's pod is recreated within its backoffLimit": {
			world(threeNodes(), job("night", 1, template("night", "1", tolerating(300)), "n1", "n2")),
			[]string{"moved night-a n1>n3 5m51s"}, // its back-off is over when the pod is deleted
		},
		"a Job with backoffLimit 0 fails, and its other pods are removed": {
			world(threeNodes(), job("night", 0, template("night", "1", tolerating(300)), "n1", "n2")),
			[]string{"lost night-a n1> 5m50s FateJobFailed", "lost night-b n2> 5m50s FateJobSibling"},
		},
		"a failed Job frees capacity for pending pods": {
			world(node("n1", "a"), node("n2", "b"), deployment("web", template("web", "3", tolerating(300)), "n1"), job("night", 0, template("night", "1", tolerating(300)), "n1", "n2", "n2")),
			[]string{"lost night-a n1> 5m50s FateJobFailed", "lost night-b n2> 5m50s FateJobSibling", "lost night-c n2> 5m50s FateJobSibling", "moved web-1-a n1>n2 5m50s"},
		},
		"the scheduler counts an unreachable node's pod until the node is removed": {
			world(node("n1", "a"), node("n2", "a"), deployment("web", template("web", "1", tolerating(300), antiAffinity(corev1.LabelTopologyZone, "web")), "n1")),
			[]string{"delayed web-1-a n1>n2 FateOnceGone"},
		},
		"an unschedulable pod waits": {
			world(threeNodes(), deployment("web", template("web", "3", tolerating(300)), "n1", "n2", "n3")),
			[]string{"waiting web-1-a n1> FateUnschedulable"},
		},
		"terminated pods have no fate": {
			world(threeNodes(), func() *corev1.Pod {
				p := placed("done", "n1", template("done", "1"))
				p.Status.Phase = corev1.PodSucceeded
				return p
			}()),
			nil,
		},
		"a pod that waits already has no fate if it still does": {
			world(threeNodes(), placed("big", "", template("big", "8"))),
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := tc.world.run(t, change.LoseNode{Node: "n1"})
			expectFates(t, outcome, tc.want...)
			if outcome.World.Node("n1") != nil {
				t.Error("the lost node is still there")
			}
			if left := outcome.World.PodsOn("n1"); len(left) > 0 && left[0].Status.Phase == corev1.PodRunning {
				t.Errorf("%s still stands on the lost node", left[0].Name)
			}
		})
	}
}

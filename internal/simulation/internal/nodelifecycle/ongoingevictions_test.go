package nodelifecycle_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestOngoingEvictions applies an unrelated change while a node is unreachable: its pods are evicted all the same, each once.
func TestOngoingEvictions(t *testing.T) {
	untainted := func(n *corev1.Node) {
		testworld.NotReady(n)
		n.Spec.Taints = n.Spec.Taints[:1]
	}
	maintained := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: testworld.Epoch.Add(-time.Minute)}}}
	}
	bearing := func(seconds int64) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) {
			s.Tolerations = []corev1.Toleration{{Key: "maintenance", Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds}}
		}
	}
	toleratingAll := func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	web := testworld.Deployment("web", testworld.Template("web", "1", testworld.Tolerating(300)), "n1")
	elsewhere := change.Cordon{Node: "n3"}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"the remaining tolerationSeconds": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b"), testworld.Node("n3", "c"), web), elsewhere,
			[]string{"moved web-1-a n1>n2 3m20s"},
		},
		"they are over": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(time.Hour)), testworld.Node("n2", "b"), testworld.Node("n3", "c"), web), elsewhere, []string{"moved web-1-a n1>n2"},
		},
		"the taint's time is in the future": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(-time.Hour)), testworld.Node("n2", "b"), testworld.Node("n3", "c"), web), elsewhere, []string{"moved web-1-a n1>n2 5m0s"},
		},
		"the NoExecute taint is not there yet": {
			testworld.Of(testworld.Node("n1", "a", untainted), testworld.Node("n2", "b"), testworld.Node("n3", "c"), web), elsewhere, []string{"moved web-1-a n1>n2 5m0s"},
		},
		"and is not added if no node is ready": {
			testworld.Of(testworld.Node("n1", "a", untainted), testworld.Node("n3", "c", untainted), web), elsewhere, nil,
		},
		"a pod with tolerations without limit": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(time.Hour)), testworld.Node("n3", "c"), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1")), elsewhere, nil,
		},
		"a StatefulSet's pod stays Terminating": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b"), testworld.Node("n3", "c"), testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Tolerating(300)), "n1")), elsewhere,
			[]string{"waiting db-0 n1>n1 FateHangs"},
		},
		"a pod that tolerates every taint is bound to the node and does not start there": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(time.Hour)), testworld.Node("n3", "c"), testworld.Deployment("web", testworld.Template("web", "1", toleratingAll), "n3")),
			change.DrainNode{Node: "n3"},
			[]string{"waiting web-1-a n3>n1 FateUnreachable"},
		},
		"a StatefulSet's pods after such a pod are not created": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(time.Hour)), testworld.StatefulSet("db", testworld.Template("db", "1", toleratingAll))),
			change.ScaleWorkload{Kind: "StatefulSet", Namespace: "default", Name: "db", Replicas: 2},
			[]string{"waiting db-0 >n1 FateUnreachable", "waiting db-1 FateOrdered"},
		},
		"it is drained before that": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b"), web),
			change.DrainNode{Node: "n1"},
			[]string{"moved web-1-a n1>n2"},
		},
		"it is removed": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b"), web), change.LoseNode{Node: "n1"}, []string{"moved web-1-a n1>n2 3m20s"},
		},
		"the taint is removed before that": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b"), web),
			change.Untaint{Node: "n1", Taint: corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}},
			nil,
		},
		"a ready node that evicts": {
			testworld.Of(testworld.Node("n1", "a", maintained), testworld.Node("n2", "b"), testworld.Node("n3", "c"), testworld.Placed("lone", "n1", testworld.Template("lone", "1", bearing(90))),
				testworld.Placed("stays", "n1", testworld.Template("stays", "1", bearing(7200)))),
			change.DeletePod{Namespace: "default", Name: "stays"},
			[]string{"lost lone n1> 30s FateBare", "lost stays n1> FateBare"},
		},
		"the pod takes the capacity that another waits for": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b", testworld.CPU("1")), web, testworld.Deployment("api", testworld.Template("api", "1"), "n2")),
			change.DeletePod{Namespace: "default", Name: "api-1-a"},
			[]string{"moved api-1-a n2>n2", "waiting web-1-a n1> FateUnschedulable"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
	t.Run("ongoing evictions are left out", func(t *testing.T) {
		w := testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "b"), testworld.Node("n3", "c"), web)
		o, err := simulation.Run(t.Context(), w.Judge(t), []change.Change{elsewhere}, simulation.Options{LeavePending: true})
		if err != nil {
			t.Fatal(err)
		}
		testworld.ExpectFates(t, o)
	})
}

package simulation_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// unreachableFor is an unreachable node with a NoExecute taint of that age.
func unreachableFor(ago time.Duration) func(*corev1.Node) {
	return func(n *corev1.Node) {
		notReady(n)
		for i := range n.Spec.Taints {
			n.Spec.Taints[i].TimeAdded = &metav1.Time{Time: epoch.Add(-ago)}
		}
	}
}

// TestOngoingEvictions applies an unrelated change while a node is unreachable: its pods are evicted all the same, each once.
func TestOngoingEvictions(t *testing.T) {
	untainted := func(n *corev1.Node) {
		notReady(n)
		n.Spec.Taints = n.Spec.Taints[:1]
	}
	maintained := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: epoch.Add(-time.Minute)}}}
	}
	bearing := func(seconds int64) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) {
			s.Tolerations = []corev1.Toleration{{Key: "maintenance", Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds}}
		}
	}
	web := deployment("web", template("web", "1", tolerating(300)), "n1")
	elsewhere := change.Cordon{Node: "n3"}
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
		want   []string
	}{
		"the remaining tolerationSeconds": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b"), node("n3", "c"), web), elsewhere,
			[]string{"moved web-1-a n1>n2 3m20s"},
		},
		"they are over": {
			world(node("n1", "a", unreachableFor(time.Hour)), node("n2", "b"), node("n3", "c"), web), elsewhere, []string{"moved web-1-a n1>n2"},
		},
		"the taint's time is in the future": {
			world(node("n1", "a", unreachableFor(-time.Hour)), node("n2", "b"), node("n3", "c"), web), elsewhere, []string{"moved web-1-a n1>n2 5m0s"},
		},
		"the NoExecute taint is not there yet": {
			world(node("n1", "a", untainted), node("n2", "b"), node("n3", "c"), web), elsewhere, []string{"moved web-1-a n1>n2 5m0s"},
		},
		"and is not added if no node is ready": {
			world(node("n1", "a", untainted), node("n3", "c", untainted), web), elsewhere, nil,
		},
		"a pod with tolerations without limit": {
			world(node("n1", "a", unreachableFor(time.Hour)), node("n3", "c"), daemonSet("agent", template("agent", "1"), "n1")), elsewhere, nil,
		},
		"a StatefulSet's pod stays Terminating": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b"), node("n3", "c"), statefulSet("db", template("db", "1", tolerating(300)), "n1")), elsewhere,
			[]string{"waiting db-0 n1>n1 FateHangs"},
		},
		"it is drained before that": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b"), web),
			change.DrainNode{Node: "n1"},
			[]string{"moved web-1-a n1>n2"},
		},
		"it is removed": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b"), web), change.LoseNode{Node: "n1"}, []string{"moved web-1-a n1>n2 3m20s"},
		},
		"the taint is removed before that": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b"), web),
			change.Untaint{Node: "n1", Taint: corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}},
			nil,
		},
		"a ready node that evicts": {
			world(node("n1", "a", maintained), node("n2", "b"), node("n3", "c"), placed("lone", "n1", template("lone", "1", bearing(90))),
				placed("stays", "n1", template("stays", "1", bearing(7200)))),
			change.DeletePod{Namespace: "default", Name: "stays"},
			[]string{"lost lone n1> 30s FateBare", "lost stays n1> FateBare"},
		},
		"the pod takes the capacity that another waits for": {
			world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b", cpu("1")), web, deployment("api", template("api", "1"), "n2")),
			change.DeletePod{Namespace: "default", Name: "api-1-a"},
			[]string{"moved api-1-a n2>n2", "waiting web-1-a n1> FateUnschedulable"},
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.change), tc.want...) })
	}
	t.Run("ongoing evictions are left out", func(t *testing.T) {
		w := world(node("n1", "a", unreachableFor(100*time.Second)), node("n2", "b"), node("n3", "c"), web)
		o, err := simulation.Run(t.Context(), w.judge(t), []change.Change{elsewhere}, simulation.Options{LeavePending: true})
		if err != nil {
			t.Fatal(err)
		}
		expectFates(t, o)
	})
}

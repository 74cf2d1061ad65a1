package rebalancepolicy

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestNodeHistory(t *testing.T) {
	tainted := func(name string, taints ...corev1.Taint) *corev1.Node {
		n := w.Node(name, "a")
		n.Spec.Taints = taints
		return n
	}
	cordoned := w.Node("n2", "a")
	cordoned.Spec.Unschedulable = true
	busy := corev1.Taint{Key: "busy", Effect: corev1.TaintEffectNoSchedule}
	added := busy
	added.TimeAdded = new(metav1.NewTime(w.Epoch))
	preference := corev1.Taint{Key: "busy", Effect: corev1.TaintEffectPreferNoSchedule}
	other := corev1.Taint{Key: "busy", Value: "very", Effect: corev1.TaintEffectNoSchedule}
	for name, tc := range map[string]struct {
		before, after []*corev1.Node
		changed       string
	}{
		"the same":           {[]*corev1.Node{w.Node("n1", "a"), cordoned}, []*corev1.Node{w.Node("n1", "a"), cordoned}, ""},
		"cordoned":           {[]*corev1.Node{w.Node("n2", "a")}, []*corev1.Node{cordoned}, "n2"},
		"uncordoned":         {[]*corev1.Node{cordoned}, []*corev1.Node{w.Node("n2", "a")}, "n2"},
		"a taint":            {[]*corev1.Node{w.Node("n1", "a")}, []*corev1.Node{tainted("n1", busy)}, "n1"},
		"no taint any more":  {[]*corev1.Node{tainted("n1", busy)}, []*corev1.Node{w.Node("n1", "a")}, "n1"},
		"its value":          {[]*corev1.Node{tainted("n1", busy)}, []*corev1.Node{tainted("n1", other)}, "n1"},
		"a time":             {[]*corev1.Node{tainted("n1", busy)}, []*corev1.Node{tainted("n1", added)}, ""},
		"a preference":       {[]*corev1.Node{w.Node("n1", "a")}, []*corev1.Node{tainted("n1", preference)}, ""},
		"gone":               {[]*corev1.Node{w.Node("n1", "a"), w.Node("n2", "a")}, []*corev1.Node{w.Node("n1", "a")}, "n2"},
		"the first observed": {nil, []*corev1.Node{cordoned}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var h NodeHistory
			observe := func(nodes []*corev1.Node, at time.Time) *cluster.Snapshot {
				var objects []runtime.Object
				for _, n := range nodes {
					objects = append(objects, n)
				}
				world := cluster.New(cluster.Contents{Objects: objects, Taken: at})
				h.Observe(world, at)
				return world
			}
			now := w.Epoch.Add(24 * time.Hour)
			observe(tc.before, now.Add(-time.Hour))
			world := observe(tc.after, now)
			node, at := h.LastChange(world)
			if changed := at.Equal(now); changed != (tc.changed != "") || changed && node != tc.changed {
				t.Errorf("the last change is that of %s at %v, want %q", node, at, tc.changed)
			}
			later := observe(tc.after, now.Add(time.Minute))
			if _, again := h.LastChange(later); !again.Equal(at) {
				t.Errorf("nothing changed, and the last change is at %v instead of %v", again, at)
			}
		})
	}
}

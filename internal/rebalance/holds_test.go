package rebalance_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/rebalance"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestHolds(t *testing.T) {
	web := func(nodes ...string) w.Objects { return w.Deployment("web", w.Template("web", "100m"), nodes...) }
	lopsided := w.Of(zones("n1", "n2", "n3"), web("n1", "n1", "n2", "n2", "n2", "n2"))
	pod := func(name string) change.Ref { return change.Ref{Kind: "Pod", Namespace: "default", Name: name} }
	names := podsOn(lopsided, "n2")
	for name, tc := range map[string]struct {
		world  w.Objects
		pods   []change.Ref
		excess int
		want   bool
	}{
		"both evictions":           {lopsided, names[:2], 0, true},
		"one of the two":           {lopsided, names[:1], 0, false},
		"one, and more is allowed": {lopsided, names[:1], 3, true},
		"none yet":                 {lopsided, nil, 0, false},
		"none needed":              {w.Of(zones("n1", "n2", "n3"), web("n1", "n1", "n2", "n2", "n3", "n3")), nil, 0, true},
		"a pod that is not there":  {lopsided, []change.Ref{names[0], pod("web-gone")}, 6, false},
		"no room elsewhere": {
			w.Of(w.Node("n1", "zone-a", w.CPU("200m")), w.Node("n2", "zone-b"), w.Node("n3", "zone-c", w.CPU("0")), web("n1", "n1", "n2", "n2", "n2", "n2")), names[:2], 0, false,
		},
		"while a pod is not ready": {
			w.Of(zones("n1", "n2", "n3"), web("n1", "n1", "n2", "n2", "n2", "n2"), w.Placed("web-1-z", "", w.Template("web", "100m"), w.OwnedBy("apps/v1", "ReplicaSet", "web-1"))), names[:2], 3, false,
		},
		"another workload": {w.Of(zones("n1", "n2", "n3"), w.Deployment("api", w.Template("api", "100m"), "n1")), nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			excess := map[change.Ref]int{{Kind: "Deployment", Namespace: "default", Name: "web"}: tc.excess}
			holds, err := rebalance.Holds(t.Context(), tc.world.Judge(t), tc.pods, excess, rebalance.Options{})
			if err != nil || holds != tc.want {
				t.Errorf("%t (%v), want %t", holds, err, tc.want)
			}
		})
	}
}

// Nodes are judged too.
func TestHoldsForNodes(t *testing.T) {
	world := w.Of(zones("n1", "n2", "n3"), singles("s", "n1", "500m", 6), w.Deployment("big", w.Template("big", "1200m"), "n2"))
	names := podsOn(world, "n1")
	node := func(name string) change.Ref { return change.Ref{Kind: "Node", Name: name} }
	considered := rebalance.Options{MaxUtilizationDeviation: 10} // 45 %, of which n1 has 75 % and n2 30 %.
	for name, tc := range map[string]struct {
		pods   []change.Ref
		excess map[change.Ref]int
		o      rebalance.Options
		want   bool
	}{
		"enough":                    {names[:3], map[change.Ref]int{node("n1"): 0}, considered, true},
		"too few":                   {names[:2], map[change.Ref]int{node("n1"): 0}, considered, false},
		"too few, and more allowed": {names[:2], map[change.Ref]int{node("n1"): 5}, considered, true},
		"as it is":                  {nil, map[change.Ref]int{node("n1"): 29}, considered, false},
		"and as it may be":          {nil, map[change.Ref]int{node("n1"): 30}, considered, true},
		"it is not considered":      {names[:3], map[change.Ref]int{node("n1"): 0}, rebalance.Options{}, false},
		"of no node":                {names[:3], nil, considered, true},
		"a node that is gone":       {nil, map[change.Ref]int{node("n9"): 0}, considered, true},
	} {
		t.Run(name, func(t *testing.T) {
			holds, err := rebalance.Holds(t.Context(), world.Judge(t), tc.pods, tc.excess, tc.o)
			if err != nil || holds != tc.want {
				t.Errorf("%t (%v), want %t", holds, err, tc.want)
			}
		})
	}
	// All of them on one node are too many for it.
	crowded := w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b"), singles("s", "n1", "1", 3))
	if holds, err := rebalance.Holds(t.Context(), crowded.Judge(t), podsOn(crowded, "n1"), nil, rebalance.Options{MaxUtilizationDeviation: 5}); err != nil || holds {
		t.Errorf("%t (%v): the other node is overutilized", holds, err)
	}
}

// podsOn are the pods of a world on a node.
func podsOn(objects w.Objects, node string) (pods []change.Ref) {
	for _, o := range objects {
		if pod, is := o.(*corev1.Pod); is && pod.Spec.NodeName == node {
			pods = append(pods, change.Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	return pods
}

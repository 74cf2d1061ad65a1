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

// podsOn are the pods of a world on a node.
func podsOn(objects w.Objects, node string) (pods []change.Ref) {
	for _, o := range objects {
		if pod, is := o.(*corev1.Pod); is && pod.Spec.NodeName == node {
			pods = append(pods, change.Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	return pods
}

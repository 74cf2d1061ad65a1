package why

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestNeedsNetwork: the network is read if the question may be about a pod of a node that is not ready, where the VPC CNI gives pods their addresses.
func TestNeedsNetwork(t *testing.T) {
	down := w.Of(w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n2", "b"), w.Deployment("web", w.Template("web", "100m"), "n1"), w.Deployment("api", w.Template("api", "100m"), "n2"))
	for name, tc := range map[string]struct {
		world   w.Objects
		subject change.Ref
		all     bool
		want    bool
	}{
		"the node":               {world: down, subject: change.Ref{Kind: "Node", Name: "n1"}, want: true},
		"another node":           {world: down, subject: change.Ref{Kind: "Node", Name: "n2"}},
		"a pod there":            {world: down, subject: change.Ref{Kind: "Pod", Namespace: "default", Name: "web-1-a"}, want: true},
		"a pod elsewhere":        {world: down, subject: change.Ref{Kind: "Pod", Namespace: "default", Name: "api-1-a"}},
		"everything":             {world: down, all: true, want: true},
		"another CNI":            {world: down[1:], subject: change.Ref{Kind: "Node", Name: "n1"}},
		"all nodes are ready":    {world: w.Of(w.VPCCNI(), w.Node("n1", "a")), all: true},
		"nothing runs on a node": {world: w.Of(w.VPCCNI(), w.Node("n1", "a", w.NotReady)), all: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{subject: tc.subject, AllNamespaces: tc.all}
			if got := o.needsNetwork(input.Input{World: tc.world.Judge(t).World(), Namespace: corev1.NamespaceDefault}); got != tc.want {
				t.Errorf("the network is read: %v, want %v", got, tc.want)
			}
		})
	}
}

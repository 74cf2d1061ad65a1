package rebalancepolicy

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func policy(name string, edit func(*v1alpha1.RebalancePolicySpec)) v1alpha1.RebalancePolicy {
	p := v1alpha1.RebalancePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if edit != nil {
		edit(&p.Spec)
	}
	return p
}

func TestDecides(t *testing.T) {
	objects := append(w.Objects{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": "shop"}}}}, w.Deployment("web", w.Template("web", "1"), "n1")...)
	world := cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch})
	web := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}
	of := func(labels map[string]string) func(*v1alpha1.RebalancePolicySpec) {
		return func(s *v1alpha1.RebalancePolicySpec) { s.PodSelector.MatchLabels = labels }
	}
	for name, tc := range map[string]struct {
		policies []v1alpha1.RebalancePolicy
		workload change.Ref
		want     string
	}{
		"none":                      {nil, web, ""},
		"the only one":              {[]v1alpha1.RebalancePolicy{policy("b", nil)}, web, "b"},
		"the first by name":         {[]v1alpha1.RebalancePolicy{policy("b", nil), policy("a", nil)}, web, "a"},
		"the first that selects it": {[]v1alpha1.RebalancePolicy{policy("b", nil), policy("a", of(map[string]string{"app": "db"}))}, web, "b"},
		"by the pods' labels":       {[]v1alpha1.RebalancePolicy{policy("a", of(map[string]string{"app": "web"}))}, web, "a"},
		"another namespace": {[]v1alpha1.RebalancePolicy{policy("a", func(s *v1alpha1.RebalancePolicySpec) {
			s.NamespaceSelector.MatchLabels = map[string]string{"team": "bank"}
		})}, web, ""},
		"a selector that is invalid": {[]v1alpha1.RebalancePolicy{policy("a", of(map[string]string{"a b": "c"})), policy("b", nil)}, web, "b"},
		"a workload that is gone":    {[]v1alpha1.RebalancePolicy{policy("a", nil)}, change.Ref{Kind: "Deployment", Namespace: "default", Name: "gone"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := Select(world, tc.policies), ""
			for _, p := range tc.policies {
				if s.Decides(p.Name, tc.workload) {
					got += p.Name
				}
			}
			if got != tc.want {
				t.Errorf("decided by %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLastNodeChange(t *testing.T) {
	node := func(name string, created, ready time.Duration) *corev1.Node {
		n := w.Node(name, "a")
		n.CreationTimestamp = metav1.NewTime(w.Epoch.Add(-created))
		for i := range n.Status.Conditions {
			n.Status.Conditions[i].LastTransitionTime = metav1.NewTime(w.Epoch.Add(-ready))
		}
		return n
	}
	for name, tc := range map[string]struct {
		nodes []*corev1.Node
		want  string
		ago   time.Duration
	}{
		"created":                {[]*corev1.Node{node("n1", time.Hour, time.Hour), node("n2", time.Minute, 2*time.Hour)}, "n2", time.Minute},
		"became ready":           {[]*corev1.Node{node("n1", time.Hour, time.Minute), node("n2", time.Hour, time.Hour)}, "n1", time.Minute},
		"a clock that is ahead":  {[]*corev1.Node{node("n1", time.Hour, -24*time.Hour), node("n2", 2*time.Hour, 2*time.Hour)}, "n1", time.Hour},
		"a little ahead":         {[]*corev1.Node{node("n1", time.Hour, -time.Second)}, "n1", -time.Second},
		"a node without a state": {[]*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1", CreationTimestamp: metav1.NewTime(w.Epoch.Add(-time.Second))}}}, "n1", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var objects w.Objects
			for _, n := range tc.nodes {
				objects = append(objects, n)
			}
			got, at := LastNodeChange(cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch}))
			if ago := w.Epoch.Sub(at); got != tc.want || ago != tc.ago {
				t.Errorf("%s, %v ago; want %s, %v ago", got, ago, tc.want, tc.ago)
			}
		})
	}
}

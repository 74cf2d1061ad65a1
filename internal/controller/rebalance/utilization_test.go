package rebalance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// overutilized is a node with six Deployments of one pod, and two empty ones.
func overutilized(edit func(*corev1.Node)) w.Objects {
	var all w.Objects
	for i, name := range []string{"n1", "n2", "n3"} {
		node := w.Node(name, fmt.Sprintf("zone-%c", 'a'+i))
		edit(node)
		all = append(all, node)
	}
	for i := range 6 {
		name := fmt.Sprintf("s%d", i)
		all = append(all, w.Deployment(name, w.Template(name, "500m"), "n1")...)
	}
	return all
}

// What a person requests for overutilized nodes is carried out, also where the controller cannot tell whether an autoscaler consolidates nodes: the command has
// read that.
func TestRequestForOverutilized(t *testing.T) {
	f := newFixture(t, overutilized(func(n *corev1.Node) { n.Labels["karpenter.sh/nodepool"] = "default" }))
	r := f.requestedWith(t, 10)
	r.Spec.Approval, r.Spec.ApprovedBy = v1alpha1.Approved, "jane"
	if err := f.api.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	f.pass(t, 10*time.Minute)
	if got, ends := f.counts(t), f.ends(t); got != "n1:2 n2:2 n3:2" || len(ends) != 1 || !strings.HasPrefix(ends[0], "Ended AsForecast") {
		t.Errorf("pods are on %s; Remediations %q", got, ends)
	}
}

// Pods of an overutilized node are evicted, and what came of it is judged by the nodes: the workloads are in balance all the time.
func TestOverutilized(t *testing.T) {
	const steps = " Act0:Done Act1:Done Act2:Done Act3:Done Wait0:Done Wait1:Done Wait2:Done Wait3:Done"
	deviation := func(percent int32) func(*v1alpha1.RebalancePolicySpec) {
		return func(s *v1alpha1.RebalancePolicySpec) { s.MaxUtilizationDeviationPercent = percent }
	}
	for name, tc := range map[string]struct {
		spec         func(*v1alpha1.RebalancePolicySpec)
		node         func(*corev1.Node)
		prepare      func(*fixture)
		counts, ends string
		reason       string
		overutilized string
	}{
		"not considered":  {counts: "n1:6", reason: v1alpha1.PolicyReadyReason, overutilized: "not set"},
		"considered":      {spec: deviation(10), counts: "n1:2 n2:2 n3:2", ends: "Ended AsForecast" + steps, reason: v1alpha1.PolicyReadyReason, overutilized: "0"},
		"within the band": {spec: deviation(50), counts: "n1:6", reason: v1alpha1.PolicyReadyReason, overutilized: "0"},
		"Karpenter's nodes": {
			spec: deviation(10), node: func(n *corev1.Node) { n.Labels["karpenter.sh/nodepool"] = "default" },
			counts: "n1:6", reason: v1alpha1.PolicyUtilizationNotConsideredReason, overutilized: "not set",
		},
		"pods may not be evicted": {
			spec:   func(s *v1alpha1.RebalancePolicySpec) { s.MaxUtilizationDeviationPercent, s.MinPodAgeSeconds = 10, 7200 },
			counts: "n1:6", reason: v1alpha1.PolicyNoPlanReason, overutilized: "1",
		},
		"pods land where they were": {
			spec: deviation(10), prepare: func(f *fixture) { f.place = func(*corev1.Pod) string { return "n1" } },
			counts: "n1:6", ends: "Ended NotAsForecast" + steps, reason: v1alpha1.PolicyNoPlanReason, overutilized: "1",
		},
		"pods overutilize another node": {
			spec: deviation(10), prepare: func(f *fixture) { f.place = func(*corev1.Pod) string { return "n2" } },
			counts: "n1:2 n2:4", ends: "Ended NotAsForecast" + steps, reason: v1alpha1.PolicyReadyReason, overutilized: "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.node == nil {
				tc.node = func(*corev1.Node) {}
			}
			f := newFixture(t, overutilized(tc.node), policy(tc.spec))
			if tc.prepare != nil {
				tc.prepare(f)
			}
			f.pass(t, 10*time.Minute)
			if got := f.counts(t); got != tc.counts {
				t.Errorf("pods are on %s, want %s", got, tc.counts)
			}
			if got := strings.Join(f.ends(t), "; "); got != tc.ends {
				t.Errorf("Remediations %s, want %s", got, tc.ends)
			}
			var p v1alpha1.RebalancePolicy
			if err := f.api.Get(t.Context(), types.NamespacedName{Name: "all"}, &p); err != nil {
				t.Fatal(err)
			}
			if ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.PolicyReady); ready == nil || ready.Reason != tc.reason {
				t.Errorf("Ready is %+v, want %s", ready, tc.reason)
			}
			nodes := "not set"
			if p.Status.OverutilizedNodes != nil {
				nodes = fmt.Sprint(*p.Status.OverutilizedNodes)
			}
			if nodes != tc.overutilized {
				t.Errorf("%s overutilized nodes, want %s", nodes, tc.overutilized)
			}
		})
	}
}

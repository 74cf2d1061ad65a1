package scheduling_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// zonal are nodes in three zones, named in the order in which the scheduler goes through them.
func zonal(nodes int) []runtime.Object {
	var all []runtime.Object
	for i := range nodes {
		all = append(all, node(fmt.Sprintf("n%04d", i), inZone(string('a'+rune(i%3)))))
	}
	return all
}

// preferring prefers nodes with a label.
func preferring(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}}},
		}}}}
	}
}

// landings are the nodes that a pod gets with the seeds from 1 on.
func landings(t *testing.T, j *scheduling.Judge, p *corev1.Pod, seeds uint64) map[string]int {
	t.Helper()
	found := map[string]int{}
	for seed := range seeds {
		j.Reseed(seed + 1)
		placed, err := j.Place(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := scheduling.Plainly(j).Place(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if placed.Node != plain.Node {
			t.Fatalf("seed %d: on %q, without the fast path on %q", seed+1, placed.Node, plain.Node)
		}
		found[placed.Node]++
	}
	return found
}

// TestSampledNodes has one node that a pod prefers to all others. The scheduler finds it if it is in its sample, of the size that
// pkg/scheduler of Kubernetes computes (numFeasibleNodesToFind).
func TestSampledNodes(t *testing.T) {
	const seeds = 400
	for name, tc := range map[string]struct {
		nodes, feasible int
		config          string
		share           float64
	}{
		"fewer than 100 nodes are all scored":      {nodes: 99, feasible: 99, share: 1},
		"of 300 nodes, 48 %":                       {nodes: 300, feasible: 300, share: 144. / 300},
		"100 feasible ones are all scored":         {nodes: 300, feasible: 100, share: 1},
		"of 300 nodes with 20 %, 100":              {nodes: 300, feasible: 300, config: "percentageOfNodesToScore: 20", share: 100. / 300},
		"with 100 %, all":                          {nodes: 300, feasible: 300, config: "percentageOfNodesToScore: 100", share: 1},
		"the profile's percentage precedes that":   {nodes: 300, feasible: 300, config: "percentageOfNodesToScore: 100\nprofiles: [{percentageOfNodesToScore: 50}]", share: .5},
		"the gap of 100 closed nodes is passed by": {nodes: 300, feasible: 200, share: 244. / 300}, // starts in the gap, up to the node, and from 157 on
	} {
		t.Run(name, func(t *testing.T) {
			objects := zonal(tc.nodes)
			for i, object := range objects {
				if i >= tc.feasible {
					tainted("closed", corev1.TaintEffectNoSchedule)(object.(*corev1.Node))
				}
			}
			labelled("fast", "yes")(objects[tc.feasible/2].(*corev1.Node))
			options := scheduling.Options{}
			if tc.config != "" {
				options.Config = []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + tc.config)
			}
			j := judgeOf(t, snapshotOf(objects...), options)
			p := pod("p", preferring("fast", "yes"))
			fit, err := j.Fit(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if fit.Sampled != (tc.share < 1) {
				t.Errorf("sampled: %v", fit.Sampled)
			}
			preferred := fmt.Sprintf("n%04d", tc.feasible/2)
			got := float64(landings(t, j, p, seeds)[preferred]) / seeds
			if got < tc.share-.08 || got > tc.share+.08 {
				t.Errorf("%.2f of the seeds find the preferred node, want %.2f", got, tc.share)
			}
			j.Reseed(0)
			if placed, err := j.Place(t.Context(), p); err != nil || placed.Node != preferred {
				t.Errorf("with seed 0 on %q, %v", placed.Node, err)
			}
		})
	}
}

// TestSampledAfterEdits: nodes that come and go are scanned, or no longer.
func TestSampledAfterEdits(t *testing.T) {
	objects := zonal(200)
	j := judgeOf(t, snapshotOf(objects...), scheduling.Options{})
	p := pod("p", preferring("fast", "yes"))
	landings(t, j, p, 3)
	j.Fork()
	fast := node("n9999", inZone("a"), labelled("fast", "yes"))
	if err := j.Apply(cluster.Put(fast), cluster.Remove(objects[0].(*corev1.Node))); err != nil {
		t.Fatal(err)
	}
	after := landings(t, j, p, 50)
	if after["n9999"] == 0 || after["n0000"] > 0 {
		t.Errorf("landings %v", after)
	}
	j.Revert()
	if before := landings(t, j, p, 50); before["n9999"] > 0 {
		t.Errorf("landings %v", slices.Sorted(maps.Keys(before)))
	}
}

// TestNominatedNodeIsNotSampled: the scheduler tries a pod's nominated node first.
func TestNominatedNodeIsNotSampled(t *testing.T) {
	j := judgeOf(t, snapshotOf(zonal(300)...), scheduling.Options{})
	if got := landings(t, j, pod("p", nominated("n0007")), 50); got["n0007"] != 50 {
		t.Errorf("landings %v", got)
	}
}

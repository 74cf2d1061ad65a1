package scheduling_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// spreading adds a rule on zones, changed by whoever wants it otherwise.
func spreading(change func(*corev1.TopologySpreadConstraint)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		rule := corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}
		change(&rule)
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, rule)
	}
}

// TestSpread has zones whose first node is not like the others: what is asked once a zone must not follow from that one.
func TestSpread(t *testing.T) {
	onZones := spreading(func(*corev1.TopologySpreadConstraint) {})
	onHosts := spreading(func(c *corev1.TopologySpreadConstraint) { c.TopologyKey = corev1.LabelHostname })
	heedingTaints := spreading(func(c *corev1.TopologySpreadConstraint) {
		c.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
	})
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		want []string
	}{
		"over zones":                        {pod("p", app("web"), onZones), []string{"a2"}},
		"over hosts":                        {pod("p", app("web"), onHosts), []string{"a2", "b1"}},
		"over zones and hosts":              {pod("p", app("web"), onZones, onHosts), []string{"a2"}},
		"over nodes whose taints it bears":  {pod("p", app("web"), heedingTaints), []string{"a2"}},
		"over nodes that it may choose":     {pod("p", app("web"), onZones, disk("ssd")), []string{"a2"}},
		"over nodes of which it has chosen": {pod("p", app("web"), onZones, disk("hdd")), []string{"b1"}},
		"over more zones than there are": {pod("p", app("web"), spreading(func(c *corev1.TopologySpreadConstraint) {
			c.MinDomains = new(int32(3))
		})), []string{"a2"}},
		"what it is no part of": {pod("p", app("api"), onZones), []string{"a2", "b1", "b2"}},
		"over zones, or elsewhere": {pod("p", app("web"), spreading(func(c *corev1.TopologySpreadConstraint) {
			c.WhenUnsatisfiable = corev1.ScheduleAnyway
		})), []string{"a2", "b1", "b2"}},
	} {
		t.Run(name, func(t *testing.T) {
			judge := newJudge(t,
				node("a1", inZone("a"), tainted("x", corev1.TaintEffectNoSchedule)), node("a2", inZone("a"), labelled("disk", "ssd")),
				node("b1", inZone("b"), labelled("disk", "hdd")), node("b2", inZone("b"), labelled("disk", "ssd")),
				node("c1", func(n *corev1.Node) { delete(n.Labels, corev1.LabelTopologyZone) }, tainted("x", corev1.TaintEffectNoSchedule)),
				pod("web-1", app("web"), on("b2")),
			)
			fast, err := judge.Fit(t.Context(), tc.pod)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := scheduling.Plainly(judge).Fit(t.Context(), tc.pod)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain, fast); diff != "" {
				t.Errorf("(-plain +fast):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, fast.Feasible); diff != "" {
				t.Errorf("feasible nodes (-want +got):\n%s", diff)
			}
		})
	}
}

func disk(kind string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": kind} }
}

// TestSpreadScores has many nodes, some without a topology key, and pods that would rather be spread: what is scored once for
// all nodes of a kind, and the weights that are remembered, must score each node as the plugin does. The same pods are asked
// about as nodes come, change and go.
func TestSpreadScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		judge, err := scheduling.New(t.Context(), snapshotOf(&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
		}), scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const most = 30
		change := func(i int) []cluster.Edit {
			n := node(fmt.Sprintf("n%02d", i), inZone(rapid.SampledFrom(zones).Draw(t, "zone")), labelled("rack", rapid.SampledFrom(apps).Draw(t, "rack")))
			if often(t, 8, "gone") {
				return []cluster.Edit{cluster.Remove(n)}
			}
			if often(t, 6, "incomplete") {
				delete(n.Labels, rapid.SampledFrom(spreadKeys).Draw(t, "lacks"))
			}
			edits := []cluster.Edit{cluster.Put(n)}
			for k := range rapid.SampledFrom([]int{0, 0, 0, 1, 5}).Draw(t, "pods") {
				edits = append(edits, cluster.Put(pod(fmt.Sprintf("web-%d-%d", i, k), app("web"), asking("10m", "1Mi"), on(n.Name))))
			}
			return edits
		}
		apply := func(edits []cluster.Edit) {
			if err := judge.Apply(edits...); err != nil {
				t.Fatal(err)
			}
		}
		for i := range rapid.IntRange(2, most).Draw(t, "nodes") {
			apply(change(i))
		}
		pods := []*corev1.Pod{pod("p", app("web")), pod("q", app("web"), soft(t)), pod("r", app("web"), soft(t))}
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			for _, p := range pods {
				sameVerdict(t, judge, p)
			}
			apply(change(rapid.IntRange(0, most-1).Draw(t, "changes")))
		}
	})
}

var spreadKeys = []string{corev1.LabelTopologyZone, corev1.LabelHostname, "rack"}

// soft adds rules that a node may break.
func soft(t *rapid.T) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(spreadKeys), 1, len(spreadKeys), rapid.ID[string]).Draw(t, "keys") {
			spreading(func(c *corev1.TopologySpreadConstraint) {
				c.TopologyKey, c.WhenUnsatisfiable, c.MaxSkew = key, corev1.ScheduleAnyway, rapid.Int32Range(1, 3).Draw(t, "skew")
			})(p)
		}
	}
}

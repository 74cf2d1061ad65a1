package scheduling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
			plain, err := scheduling.PlainFit(judge, t.Context(), tc.pod)
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

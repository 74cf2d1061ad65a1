package rebalance_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestAntiAffinityOfTheScheduler holds which pods run beside others that their anti-affinity excludes against the scheduler, which places none there.
func TestAntiAffinityOfTheScheduler(t *testing.T) {
	holdAgainstScheduler(t, func(terms []corev1.PodAffinityTerm) *corev1.Affinity {
		return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
	})
}

// TestAffinityOfTheScheduler holds which pods run apart from those beside which their affinity keeps them against the scheduler, which places none there.
func TestAffinityOfTheScheduler(t *testing.T) {
	holdAgainstScheduler(t, func(terms []corev1.PodAffinityTerm) *corev1.Affinity {
		return &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
	})
}

// holdAgainstScheduler holds whether a pod has to leave its node for its affinity against whether the scheduler places it there.
func holdAgainstScheduler(t *testing.T, affinityOf func([]corev1.PodAffinityTerm) *corev1.Affinity) {
	t.Helper()
	seen := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		terms := rapid.SliceOfN(rapid.Custom(drawTerm), 1, 2).Draw(rt, "terms")
		set := w.StatefulSet("db", w.Template("db", "100m", func(spec *corev1.PodSpec) { spec.Affinity = affinityOf(terms) }), "n1")
		pod := set[1].(*corev1.Pod)
		objects := w.Of(set)
		for _, name := range []string{"default", "one", "two"} {
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name, "team": name}}})
		}
		for i := range 3 {
			objects = append(objects, w.Node(fmt.Sprint("n", i+1), rapid.SampledFrom([]string{"zone-a", "zone-b"}).Draw(rt, "zone"), func(n *corev1.Node) {
				if group := rapid.SampledFrom([]string{"", "g1", "g2"}).Draw(rt, "group"); group != "" {
					n.Labels["group"] = group
				}
			}))
		}
		for i := range rapid.IntRange(0, 4).Draw(rt, "others") {
			app := rapid.SampledFrom([]string{"db", "web", "batch"}).Draw(rt, "app")
			other := w.Placed(fmt.Sprint("other-", i), rapid.SampledFrom([]string{"n1", "n2", "n3"}).Draw(rt, "node"), w.Template(app, "100m"))
			other.Namespace = rapid.SampledFrom([]string{"default", "one", "two"}).Draw(rt, "namespace")
			objects = append(objects, other)
		}
		judge := objects.Judge(t)
		_, unbalanced := rebalance.Unbalanced(judge.World(), rebalance.Options{})

		if err := judge.Apply(cluster.Remove(pod)); err != nil {
			rt.Fatal(err)
		}
		created := pod.DeepCopy()
		created.Spec.NodeName = ""
		fit, err := judge.Fit(t.Context(), created)
		if err != nil {
			rt.Fatal(err)
		}
		excluded := !slices.Contains(fit.Feasible, "n1")
		seen[excluded]++
		if excluded != (len(unbalanced) > 0) {
			rt.Fatalf("the scheduler excludes the node: %t; out of balance: %v", excluded, unbalanced)
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("excluded: %v", seen)
	}
}

// drawTerm is a term of affinity or anti-affinity.
func drawTerm(t *rapid.T) corev1.PodAffinityTerm {
	app := func(label string) *metav1.LabelSelector {
		return rapid.SampledFrom([]*metav1.LabelSelector{
			nil,
			{},
			{MatchLabels: map[string]string{"app": "web"}},
			{MatchLabels: map[string]string{"app": "db"}},
			{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"web"}}}},
		}).Draw(t, label)
	}
	return corev1.PodAffinityTerm{
		LabelSelector: app("pods"),
		TopologyKey:   rapid.SampledFrom([]string{corev1.LabelHostname, corev1.LabelTopologyZone, "group", "nowhere"}).Draw(t, "key"),
		Namespaces:    rapid.SampledFrom([][]string{nil, {"one"}, {"default", "two"}}).Draw(t, "namespaces"),
		NamespaceSelector: rapid.SampledFrom([]*metav1.LabelSelector{
			nil, nil, {}, {MatchLabels: map[string]string{"team": "one"}}, {MatchLabels: map[string]string{corev1.LabelMetadataName: "two"}},
		}).Draw(t, "namespaceSelector"),
	}
}

package unschedulable

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// whySpread shows, for each hard spread constraint, how the pods stand, and which domains may take the next.
func (a *answer) whySpread([]query.ClosedNode) {
	for i := range a.one.Spec.TopologySpreadConstraints {
		c := &a.one.Spec.TopologySpreadConstraints[i]
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		counts := a.domains(c)
		least := 0
		for i, n := range slices.Collect(maps.Values(counts)) {
			if i == 0 || n < least {
				least = n
			}
		}
		id, terms := message.CauseSpread, ""
		if c.MinDomains != nil && len(counts) < int(*c.MinDomains) {
			least = 0 // plugins/podtopologyspread/filtering.go minMatchNum
			id, terms = message.CauseSpreadFew, "minDomains "+strconv.Itoa(int(*c.MinDomains))+", "
		}
		var open []string
		var counted []finding.Evidence
		for _, domain := range slices.Sorted(maps.Keys(counts)) {
			if counts[domain]+1-least <= int(c.MaxSkew) {
				open = append(open, domain)
			}
			if len(counted) < query.MostListed {
				counted = append(counted, facts.Fact(change.Ref{Kind: "Domain", Name: domain}, a.Say.Text(message.FieldMatching, nil), strconv.Itoa(counts[domain])))
			}
		}
		if len(open) == len(counts) {
			continue // This one keeps the pod off nodes without the label at most.
		}
		asked := facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.topologySpreadConstraints["+c.TopologyKey+"]",
			terms+"maxSkew "+strconv.Itoa(int(c.MaxSkew))+", "+metav1.FormatLabelSelector(c.LabelSelector))
		a.because(id, message.Args{
			"key": c.TopologyKey, "skew": int(c.MaxSkew), "least": least, "open": open[:min(len(open), query.MostListed)],
			"domains": len(counts), "min": int(ptr.Deref(c.MinDomains, 1)),
		},
			append([]finding.Evidence{asked}, counted...)...)
	}
}

// domains counts the pods that a constraint is about by domain. Nodes the pod's selector excludes make none, unless the
// constraint says otherwise; tainted ones do, unless it says otherwise.
//
// Source: plugins/podtopologyspread/filtering.go calPreFilterState, KEP-3094.
func (a *answer) domains(c *corev1.TopologySpreadConstraint) map[string]int {
	matches := a.matching(c.LabelSelector, c.MatchLabelKeys)
	affinity := nodeaffinity.GetRequiredNodeAffinity(a.one)
	counts := map[string]int{}
	for _, node := range a.World.Nodes() {
		domain, ok := node.Labels[c.TopologyKey]
		if !ok {
			continue
		}
		if c.NodeAffinityPolicy == nil || *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor {
			if match, err := affinity.Match(node); err != nil || !match {
				continue
			}
		}
		if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor && len(query.Untolerated(a.one, node)) > 0 {
			continue
		}
		counts[domain] += 0
		for _, pod := range a.World.PodsOn(node.Name) {
			if pod.Namespace == a.one.Namespace && facts.Alive(pod) && matches.Matches(labels.Set(pod.Labels)) {
				counts[domain]++
			}
		}
	}
	return counts
}

// matching is a selector narrowed by the pod's own values of some labels.
func (a *answer) matching(selector *metav1.LabelSelector, keys []string) labels.Selector {
	found, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return labels.Nothing()
	}
	for _, key := range keys {
		if value, ok := a.one.Labels[key]; ok {
			if same, err := labels.ValidatedSelectorFromSet(labels.Set{key: value}); err == nil {
				more, _ := same.Requirements()
				found = found.Add(more...)
			}
		}
	}
	return found
}

package unschedulable

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// explainSpread shows for each required spread constraint the pods per domain, and the domains to which the next pod
// can go.
func (a *explanation) explainSpread([]query.NodeObstacles) {
	for i := range a.representative.Spec.TopologySpreadConstraints {
		c := &a.representative.Spec.TopologySpreadConstraints[i]
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
		few, terms := c.MinDomains != nil && len(counts) < int(*c.MinDomains), ""
		if few {
			least = 0 // plugins/podtopologyspread/filtering.go minMatchNum
			terms = "minDomains " + strconv.Itoa(int(*c.MinDomains)) + ", "
		}
		var open []string
		var counted []finding.Evidence
		for _, domain := range slices.Sorted(maps.Keys(counts)) {
			if counts[domain]+1-least <= int(c.MaxSkew) {
				open = append(open, domain)
			}
			if len(counted) < query.MaxListed {
				counted = append(counted, finding.Evidence{
					Object: change.Ref{Kind: "Domain", Name: domain}, Measure: sentence.FieldMatching(), Value: strconv.Itoa(counts[domain]),
				})
			}
		}
		if len(open) == len(counts) {
			continue // This constraint at most excludes nodes without the label.
		}
		asked := facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.topologySpreadConstraints["+c.TopologyKey+"]",
			terms+"maxSkew "+strconv.Itoa(int(c.MaxSkew))+", "+metav1.FormatLabelSelector(c.LabelSelector))
		skew, places := int(c.MaxSkew), message.ListOf(open[:min(len(open), query.MaxListed)])
		said := sentence.CauseSpread(c.TopologyKey, skew, least, places)
		if few {
			said = sentence.CauseSpreadFew(int(*c.MinDomains), c.TopologyKey, len(counts), skew, places)
		}
		a.addCause(said, append([]finding.Evidence{asked}, counted...)...)
	}
}

// explainDomainLabels names the labels that nodes lack and that the pod must be spread over.
func (a *explanation) explainDomainLabels(nodes []query.NodeObstacles) {
	for i := range a.representative.Spec.TopologySpreadConstraints {
		c := &a.representative.Spec.TopologySpreadConstraints[i]
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		lacking := slices.DeleteFunc(slices.Clone(nodes), func(n query.NodeObstacles) bool { _, has := n.Node.Labels[c.TopologyKey]; return has })
		if len(lacking) > 0 {
			all := len(lacking) == len(a.World.Nodes())
			a.addCause(sentence.CauseDomain(c.TopologyKey, all, len(lacking)),
				facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.topologySpreadConstraints["+c.TopologyKey+"]", string(c.WhenUnsatisfiable)))
		}
	}
}

// domains counts the pods that match a constraint, per domain. Nodes that the pod's selector excludes are not counted
// and tainted ones are, unless the constraint's nodeAffinityPolicy and nodeTaintsPolicy say otherwise.
//
// Source: plugins/podtopologyspread/filtering.go calPreFilterState, KEP-3094.
func (a *explanation) domains(c *corev1.TopologySpreadConstraint) map[string]int {
	matches := a.spreadSelector(c.LabelSelector, c.MatchLabelKeys)
	affinity := nodeaffinity.GetRequiredNodeAffinity(a.representative)
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
		if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor && len(query.Untolerated(a.representative, node)) > 0 {
			continue
		}
		counts[domain] += 0
		for _, pod := range a.World.PodsOn(node.Name) {
			if pod.Namespace == a.representative.Namespace && facts.IsActive(pod) && matches.Matches(labels.Set(pod.Labels)) {
				counts[domain]++
			}
		}
	}
	return counts
}

// spreadSelector is the constraint's selector with the pod's own values of its matchLabelKeys.
func (a *explanation) spreadSelector(selector *metav1.LabelSelector, keys []string) labels.Selector {
	found, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return labels.Nothing()
	}
	for _, key := range keys {
		if value, ok := a.representative.Labels[key]; ok {
			if same, err := labels.ValidatedSelectorFromSet(labels.Set{key: value}); err == nil {
				more, _ := same.Requirements()
				found = found.Add(more...)
			}
		}
	}
	return found
}

package fast

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// affinityVerdicts asks InterPodAffinity once for all nodes of a topology domain that have no pod related to the class: its Filter
// follows from the values of the terms' topology keys, and from what it counted in their domains
// (pkg/scheduler/framework/plugins/interpodaffinity/filtering.go). A host is a domain of its own, in which it counted
// no pod unless a related one runs there.
func (s *filter) affinityVerdicts(entries []*store.Node, ask func(*store.Node) *fwk.Status) []*fwk.Status {
	near := s.fast.markNodesWith(s.class.related.matchedByOwn, s.class.related.antiAffinityMatches)
	away := func(at *store.Node) bool { return at.Visited != near }
	domains := s.fast.domains.of(s.fast.store.Nodes, s.class.affinityKeys())
	return s.fast.scratch.verdicts.ask(s.fast, domains, entries, away, ask)
}

// affinityKeys are the topology keys of the terms that can refuse the class: its own, and those of pods with anti-affinity to it.
func (c *class) affinityKeys() []string {
	var keys []string
	add := func(terms []fwk.AffinityTerm) {
		for i := range terms {
			if !slices.Contains(keys, terms[i].TopologyKey) {
				keys = append(keys, terms[i].TopologyKey)
			}
		}
	}
	add(c.info.RequiredAffinityTerms)
	add(c.info.RequiredAntiAffinityTerms)
	for _, labelClass := range c.related.antiAffinityMatches {
		add(labelClass.Member.RequiredAntiAffinityTerms)
	}
	slices.Sort(keys)
	return keys
}

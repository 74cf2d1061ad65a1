package scheduling

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// affinityVerdicts asks InterPodAffinity once for all nodes of a domain on which nobody stands that bears on the class: its
// Filter follows from the values of the rules' topology keys, and from what it counted in their domains
// (pkg/scheduler/framework/plugins/interpodaffinity/filtering.go). A host is a domain of its own, in which it counted
// nobody unless somebody that bears on the class stands there.
func (s *sweep) affinityVerdicts(slots []*slot, ask func(*slot) *fwk.Status) []*fwk.Status {
	near := s.judge.mark(s.class.kin.friends, s.class.kin.averse)
	away := func(at *slot) bool { return at.mark != near }
	domains := s.profile.domains.of(s.judge.board, s.class.affinityKeys())
	return s.judge.scratch.verdicts.ask(s.judge, domains, slots, away, ask)
}

// affinityKeys are those of the rules by which the class can be refused: its own, and those of pods averse to it.
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
	for _, crowd := range c.kin.averse {
		add(crowd.member.RequiredAntiAffinityTerms)
	}
	slices.Sort(keys)
	return keys
}

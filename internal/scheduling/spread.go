package scheduling

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// spreadsOverDomains says that no rule of the pod's is about single hosts.
func (s *sweep) spreadsOverDomains() bool {
	return !slices.Contains(s.profile.topologyKeys(s.pod), corev1.LabelHostname)
}

// spreadNodes are those that the plugin's PreFilter has to see: the nodes with pods that count, and one of each domain, so
// that it knows the empty ones. A pod that chooses among nodes, or counts only nodes whose taints it tolerates, has to see
// all, for the nodes of a domain are then not alike.
func (s *sweep) spreadNodes() []fwk.NodeInfo {
	all := &s.judge.board.nodes
	if len(s.pod.Spec.TopologySpreadConstraints) == 0 || !s.spreadsOverDomains() || s.choosesNodes() {
		return all.counted
	}
	domains := s.profile.domains.of(s.judge.board, s.profile.topologyKeys(s.pod))
	known := sized(&s.judge.scratch.verdicts.byDomain, len(domains.numbers))
	s.judge.looks++
	some := sized(&s.judge.scratch.spread, len(all.slots))[:0]
	for i, slot := range all.slots {
		k := &known[domains.at(slot)]
		if slot.counted.pods != nil || k.look != s.judge.looks {
			k.look = s.judge.looks
			some = append(some, all.counted[i])
		}
	}
	return some
}

func (s *sweep) choosesNodes() bool {
	spec := &s.pod.Spec
	return len(spec.NodeSelector) > 0 || spec.Affinity != nil && spec.Affinity.NodeAffinity != nil ||
		slices.ContainsFunc(spec.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
			return c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
		})
}

// spreadVerdicts asks once for all nodes of a domain: the plugin's Filter follows from the values of the topology keys
// (pkg/scheduler/framework/plugins/podtopologyspread/filtering.go).
func (s *sweep) spreadVerdicts(slots []*slot, ask func(*slot) *fwk.Status) []*fwk.Status {
	domains := s.profile.domains.of(s.judge.board, s.profile.topologyKeys(s.pod))
	return s.judge.scratch.verdicts.ask(s.judge, domains, slots, alike, ask)
}

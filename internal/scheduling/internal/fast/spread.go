package fast

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// spreadsOverDomains says that none of the pod's spread constraints is on single hosts.
func (s *filter) spreadsOverDomains() bool {
	return !slices.Contains(s.profile.topologyKeys(s.pod), corev1.LabelHostname)
}

// spreadNodes are those that the plugin's PreFilter has to see: the nodes with pods that count, and one of each domain, so
// that it knows the empty domains. For a pod that selects nodes, or honours taints, they are all nodes: the nodes of a domain then
// differ.
func (s *filter) spreadNodes() []fwk.NodeInfo {
	entries := s.fast.store.Nodes.Sorted.Entries
	some := resized(&s.fast.scratch.spread, len(entries))[:0]
	if len(s.pod.Spec.TopologySpreadConstraints) == 0 || !s.spreadsOverDomains() || s.choosesNodes() {
		for _, entry := range entries {
			some = append(some, s.fast.counted.of(entry))
		}
		return some
	}
	domains := s.fast.domains.of(s.fast.store.Nodes, s.profile.topologyKeys(s.pod))
	known := resized(&s.fast.scratch.verdicts.byDomain, len(domains.numbers))
	s.fast.generation++
	for _, entry := range entries {
		k := &known[domains.at(entry)]
		if s.fast.counted.on(entry) || k.generation != s.fast.generation {
			k.generation = s.fast.generation
			some = append(some, s.fast.counted.of(entry))
		}
	}
	return some
}

func (s *filter) choosesNodes() bool {
	spec := &s.pod.Spec
	return len(spec.NodeSelector) > 0 || spec.Affinity != nil && spec.Affinity.NodeAffinity != nil ||
		slices.ContainsFunc(spec.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
			return c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
		})
}

// spreadVerdicts asks once for all nodes of a domain: the plugin's Filter follows from the values of the topology keys
// (pkg/scheduler/framework/plugins/podtopologyspread/filtering.go).
func (s *filter) spreadVerdicts(entries []*store.Node, ask func(*store.Node) *fwk.Status) []*fwk.Status {
	domains := s.fast.domains.of(s.fast.store.Nodes, s.profile.topologyKeys(s.pod))
	return s.fast.scratch.verdicts.ask(s.fast, domains, entries, allAlike, ask)
}

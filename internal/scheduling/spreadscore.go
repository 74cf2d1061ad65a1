package scheduling

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// scoreSpread adds what PodTopologySpread gives each node. The plugin hears of one node of each kind only: its Score follows
// from the pods that count and from the values of the topology keys, of which the host's name tells it only that there is
// one, and its NormalizeScore looks at each score, the lowest and the highest
// (pkg/scheduler/framework/plugins/podtopologyspread/scoring.go).
func (s *sweep) scoreSpread(ctx context.Context, plugin scorer, totals []int64) error {
	kinds, ofKind := s.spreadKinds()
	if plugin.prepared {
		switch status := s.preScoreSpread(ctx, plugin.ScorePlugin.(fwk.PreScorePlugin), ofKind); {
		case status.IsSkip():
			return nil
		case !status.IsSuccess():
			return status.AsError()
		}
	}
	ask, failed := s.asker(ctx, plugin, s.state)
	list := sized(&s.judge.scratch.list, len(ofKind))
	for i, slot := range ofKind {
		list[i] = fwk.NodeScore{Name: slot.name, Score: ask(&slot.counted)}
	}
	if err := failed(); err != nil {
		return err
	}
	if status := plugin.ScoreExtensions().NormalizeScore(ctx, s.state, s.pod, list); !status.IsSuccess() {
		return status.AsError()
	}
	for i, kind := range kinds {
		totals[i] += list[kind].Score * plugin.weight
	}
	return nil
}

// spreadKinds are the kind of each feasible node, and one node of each kind. Nodes of a domain on which no pods count are of
// one kind; any other is the only one of its own, as is one that lacks a topology key: the plugin notes its name.
func (s *sweep) spreadKinds() (kinds []int, ofKind []*slot) {
	scratch := &s.judge.scratch
	domains := s.profile.domains.of(s.judge.board, s.profile.topologyKeys(s.pod))
	byDomain := sized(&scratch.kindOf, len(domains.numbers))
	for i := range byDomain {
		byDomain[i] = nowhere
	}
	kinds, ofKind = sized(&scratch.kinds, len(s.feasible)), scratch.ofKind[:0]
	for i, slot := range s.feasible {
		domain := domains.at(slot)
		alike := slot.counted.pods == nil && domains.faces[domain] != nil
		if alike && byDomain[domain] != nowhere {
			kinds[i] = byDomain[domain]
			continue
		}
		if kinds[i] = len(ofKind); alike {
			byDomain[domain] = kinds[i]
		}
		ofKind = append(ofKind, slot)
	}
	scratch.ofKind = ofKind
	return kinds, ofKind
}

// preScoreSpread has the plugin's PreScore see one node of each kind. That tells it everything but how many nodes there are,
// from which the weight of rules on hosts follows, and nothing else. So it sees every node only where it has not weighed
// such a rule for as many nodes before.
func (s *sweep) preScoreSpread(ctx context.Context, plugin fwk.PreScorePlugin, ofKind []*slot) *fwk.Status {
	if status := plugin.PreScore(ctx, s.state, s.pod, s.spreadCandidates(ofKind)); !status.IsSuccess() {
		return status
	}
	hosts, ignored := hostWeights(s.state)
	if len(hosts) == 0 {
		return nil
	}
	scored := len(s.feasible) - ignored
	weight, known := s.profile.hostWeights[scored]
	if !known {
		status := plugin.PreScore(ctx, s.state, s.pod, s.spreadCandidates(s.feasible))
		if status.IsSuccess() {
			hosts, _ = hostWeights(s.state)
			s.profile.hostWeights[scored] = hosts[0].Float()
		}
		return status
	}
	for _, host := range hosts {
		host.SetFloat(weight)
	}
	return nil
}

// hostWeights are the weights that PodTopologySpread's PreScore has given the rules on hosts, to read and to set, and how
// many nodes it does not score.
func hostWeights(state fwk.CycleState) (hosts []reflect.Value, ignored int) {
	data, err := state.Read("PreScore" + names.PodTopologySpread)
	if err != nil { // PreScore has just succeeded
		panic(err)
	}
	noted := reflect.ValueOf(data).Elem()
	weights, rules := noted.FieldByName("TopologyNormalizingWeight"), noted.FieldByName("Constraints")
	for i := range rules.Len() {
		if rules.Index(i).FieldByName("TopologyKey").String() == corev1.LabelHostname {
			hosts = append(hosts, weights.Index(i))
		}
	}
	return hosts, len(noted.FieldByName("IgnoredNodes").Interface().(sets.Set[string]))
}

// spreadCandidates show each node as one that has its domain's labels and no other: PreScore notes what values the topology
// keys have, and who lacks one. Fetching all their labels would be most of its work.
func (s *sweep) spreadCandidates(slots []*slot) []fwk.NodeInfo {
	domains := s.profile.domains.of(s.judge.board, s.profile.topologyKeys(s.pod))
	shown := sized(&s.judge.scratch.infos, len(slots))
	for i, slot := range slots {
		if shown[i] = domains.faces[domains.at(slot)]; shown[i] == nil {
			shown[i] = slot.info
		}
	}
	return shown
}

package fast

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// scoreSpread adds the scores of PodTopologySpread. The plugin is given one node of each kind only: its Score follows
// from the pods that count and from the values of the topology keys, of which it reads no more of the hostname than that there is
// one, and its NormalizeScore reads each score, the lowest and the highest
// (pkg/scheduler/framework/plugins/podtopologyspread/scoring.go).
func (s *filter) scoreSpread(ctx context.Context, plugin profile.Scorer, totals []int64) error {
	kinds, ofKind := s.spreadKinds()
	if plugin.Prepared {
		switch status := s.preScoreSpread(ctx, plugin.ScorePlugin.(fwk.PreScorePlugin), ofKind); {
		case status.IsSkip():
			return nil
		case !status.IsSuccess():
			return status.AsError()
		}
	}
	ask, failed := s.scoreFunc(ctx, plugin, s.state)
	list := resized(&s.fast.scratch.list, len(ofKind))
	for i, entry := range ofKind {
		list[i] = fwk.NodeScore{Name: entry.Name, Score: ask(s.fast.counted.of(entry))}
	}
	if err := failed(); err != nil {
		return err
	}
	if status := plugin.ScoreExtensions().NormalizeScore(ctx, s.state, s.pod, list); !status.IsSuccess() {
		return status.AsError()
	}
	for i, kind := range kinds {
		totals[i] += list[kind].Score * plugin.Weight
	}
	return nil
}

// spreadKinds are the kind of each feasible node, and one node of each kind. Nodes of a domain on which no pods count are of
// one kind; any other is the only one of its own, as is one that lacks a topology key: the plugin notes its name.
func (s *filter) spreadKinds() (kinds []int, ofKind []*store.Node) {
	scratch := &s.fast.scratch
	domains := s.fast.domains.of(s.fast.store.Nodes, s.profile.topologyKeys(s.pod))
	byDomain := resized(&scratch.kindOf, len(domains.numbers))
	for i := range byDomain {
		byDomain[i] = store.Absent
	}
	kinds, ofKind = resized(&scratch.kinds, len(s.feasible)), scratch.ofKind[:0]
	for i, entry := range s.feasible {
		domain := domains.at(entry)
		alike := !s.fast.counted.on(entry) && domains.complete[domain]
		if alike && byDomain[domain] != store.Absent {
			kinds[i] = byDomain[domain]
			continue
		}
		if kinds[i] = len(ofKind); alike {
			byDomain[domain] = kinds[i]
		}
		ofKind = append(ofKind, entry)
	}
	scratch.ofKind = ofKind
	return kinds, ofKind
}

// preScoreSpread gives the plugin's PreScore one node of each kind. From these it computes all but the number of nodes, from which
// the weight of constraints on hosts follows, and nothing else. So it is given every node only where that weight is not known for as
// many nodes.
func (s *filter) preScoreSpread(ctx context.Context, plugin fwk.PreScorePlugin, ofKind []*store.Node) *fwk.Status {
	if status := plugin.PreScore(ctx, s.state, s.pod, s.infos(ofKind)); !status.IsSuccess() {
		return status
	}
	hosts, ignored := hostWeights(s.state)
	if len(hosts) == 0 {
		return nil
	}
	scored := len(s.feasible) - ignored
	weight, known := s.fast.hostWeights[scored]
	if !known {
		status := plugin.PreScore(ctx, s.state, s.pod, s.infos(s.feasible))
		if status.IsSuccess() {
			hosts, _ = hostWeights(s.state)
			s.fast.hostWeights[scored] = hosts[0].Float()
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

package scheduling

import (
	"context"
	"fmt"
	"sync/atomic"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// scorer is a score plugin of a profile.
type scorer struct {
	fwk.ScorePlugin
	weight int64
	// prepared says that the profile runs its PreScore, if it has one.
	prepared bool
}

// best are the feasible nodes that score highest.
func (s *sweep) best(ctx context.Context) ([]string, error) {
	for _, slot := range s.feasible {
		if slot.name == s.pod.Status.NominatedNodeName {
			return []string{slot.name}, nil
		}
	}
	if len(s.feasible) <= 1 {
		return s.names(), nil
	}
	defer s.profile.wear()()
	scratch := &s.judge.scratch
	totals, list, infos := sized(&scratch.totals, len(s.feasible)), sized(&scratch.list, len(s.feasible)), sized(&scratch.infos, len(s.feasible))
	clear(totals)
	for i, slot := range s.feasible {
		list[i].Name, infos[i] = slot.name, slot.info
	}
	for _, plugin := range s.profile.scorers {
		if err := s.score(ctx, plugin, infos, list, totals); err != nil {
			return nil, fmt.Errorf("scoring nodes for pod %s with plugin %s: %w", nameOf(s.pod), plugin.Name(), err)
		}
	}
	var best []string
	highest := totals[0]
	for i, total := range totals {
		if total > highest {
			best, highest = best[:0], total
		}
		if total == highest {
			best = append(best, s.feasible[i].name)
		}
	}
	return best, nil
}

// score adds what one plugin gives each node. The list is for it to write to.
func (s *sweep) score(ctx context.Context, plugin scorer, infos []fwk.NodeInfo, list fwk.NodeScoreList, totals []int64) error {
	table, state, err := s.preScore(ctx, plugin, infos)
	if state == nil || err != nil {
		return err
	}
	var failed atomic.Pointer[fwk.Status]
	ask := func(at fwk.NodeInfo) int64 {
		score, status := plugin.Score(ctx, state, s.pod, at)
		if !status.IsSuccess() {
			failed.Store(status)
		}
		return score
	}
	var scores []int64
	if plugin.Name() == names.PodTopologySpread {
		scores = s.spreadScores(ask)
	} else {
		scores = consult(ctx, s, table, s.feasible, &s.judge.scratch.scores.said, func(at *slot) int64 { return ask(at.info) })
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if status := failed.Load(); status != nil {
		return status.AsError()
	}
	for i, score := range scores {
		list[i].Score = score
	}
	if extensions := plugin.ScoreExtensions(); extensions != nil {
		if status := extensions.NormalizeScore(ctx, state, s.pod, list); !status.IsSuccess() {
			return status.AsError()
		}
	}
	for i := range list {
		totals[i] += list[i].Score * plugin.weight
	}
	return nil
}

// preScore is the table that holds what a local plugin has said, and the state it looks at; no state if it has no say.
func (s *sweep) preScore(ctx context.Context, plugin scorer, infos []fwk.NodeInfo) (*table[int64], fwk.CycleState, error) {
	if table := s.class.scores[plugin.Name()]; table != nil {
		if s.class.idle.Has(plugin.Name()) || plugin.Name() == names.ImageLocality && s.judge.board.images.absent(&s.pod.Spec) {
			return nil, nil, nil
		}
		return table, s.class.state, nil
	}
	if pre, ok := plugin.ScorePlugin.(fwk.PreScorePlugin); ok && plugin.prepared {
		if plugin.Name() == names.PodTopologySpread {
			infos = s.spreadCandidates()
		}
		switch status := pre.PreScore(ctx, s.state, s.pod, infos); {
		case status.IsSkip():
			return nil, nil, nil
		case !status.IsSuccess():
			return nil, nil, status.AsError()
		}
	}
	return nil, s.state, nil
}

func (s *sweep) names() []string {
	all := make([]string, len(s.feasible))
	for i, slot := range s.feasible {
		all[i] = slot.name
	}
	return all
}

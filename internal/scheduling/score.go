package scheduling

import (
	"context"
	"fmt"
	"slices"
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

// best are the feasible nodes that score highest, in room that the next sweep uses again.
func (s *sweep) best(ctx context.Context) ([]*slot, error) {
	if len(s.feasible) <= 1 {
		return s.feasible, nil
	}
	s.focusSpread()
	defer s.profile.wear()()
	scratch := &s.judge.scratch
	if at := s.judge.board.slots[s.pod.Status.NominatedNodeName]; at != nil && slices.Contains(s.feasible, at) {
		return []*slot{at}, nil
	}
	totals := s.sums()
	for _, plugin := range s.profile.scorers {
		if err := s.score(ctx, plugin, totals); err != nil {
			return nil, fmt.Errorf("scoring nodes for pod %s with plugin %s: %w", nameOf(s.pod), plugin.Name(), err)
		}
	}
	scratch.best = scratch.best[:0]
	highest := slices.Max(totals)
	for i, total := range totals {
		if total == highest {
			scratch.best = append(scratch.best, s.feasible[i])
		}
	}
	return scratch.best, nil
}

// sums are where the nodes' totals begin: at what the ground knows of them.
func (s *sweep) sums() []int64 {
	totals := sized(&s.judge.scratch.totals, len(s.feasible))
	if s.ground != nil {
		copy(totals, s.ground.of(s.ground.sums, s.feasible, &s.judge.scratch.scores))
	} else {
		clear(totals)
	}
	return totals
}

// score adds what one plugin gives each node.
func (s *sweep) score(ctx context.Context, plugin scorer, totals []int64) error {
	if plugin.Name() == names.PodTopologySpread {
		return s.scoreSpread(ctx, plugin, totals)
	}
	scores, state, err := s.scores(ctx, plugin)
	if scores == nil || err != nil {
		return err
	}
	extensions, local := plugin.ScoreExtensions(), s.class.scores[plugin.Name()] != nil
	switch {
	case extensions == nil:
		for i, score := range scores {
			totals[i] += score * plugin.weight
		}
		return nil
	case local && even(scores): // and so they are when they are normalized
		return nil
	}
	list := sized(&s.judge.scratch.list, len(scores))
	for i, slot := range s.feasible {
		list[i] = fwk.NodeScore{Name: slot.name, Score: scores[i]}
	}
	if status := extensions.NormalizeScore(ctx, state, s.pod, list); !status.IsSuccess() {
		return status.AsError()
	}
	for i := range list {
		totals[i] += list[i].Score * plugin.weight
	}
	return nil
}

func even(scores []int64) bool {
	for _, score := range scores {
		if score != scores[0] {
			return false
		}
	}
	return true
}

// scores are what one plugin says of each feasible node, none if it has no say, and the state it said so in.
func (s *sweep) scores(ctx context.Context, plugin scorer) ([]int64, fwk.CycleState, error) {
	switch {
	case s.silent(plugin), s.summed(plugin), s.evened(plugin):
		return nil, nil, nil
	case s.class.scores[plugin.Name()] != nil && s.ground != nil:
		return s.ground.of(s.ground.scores[plugin.Name()], s.feasible, &s.judge.scratch.scores), s.class.state, nil
	case s.class.scores[plugin.Name()] != nil:
		scores, err := s.localScores(ctx, plugin, s.feasible)
		return scores, s.class.state, err
	}
	if pre, ok := plugin.ScorePlugin.(fwk.PreScorePlugin); ok && plugin.prepared {
		switch status := pre.PreScore(ctx, s.state, s.pod, s.candidates()); {
		case status.IsSkip():
			return nil, nil, nil
		case !status.IsSuccess():
			return nil, nil, status.AsError()
		}
	}
	ask, failed := s.asker(ctx, plugin, s.state)
	scores := consult(ctx, s, nil, s.feasible, &s.judge.scratch.scores, func(at *slot) int64 { return ask(at.info) })
	return scores, s.state, failed()
}

// summed says that the ground's sums hold what a plugin says.
func (s *sweep) summed(plugin scorer) bool {
	return s.ground != nil && s.class.scores[plugin.Name()] != nil && plugin.ScoreExtensions() == nil
}

// evened says that a plugin scores all nodes of the ground alike, and so it does when they are normalized.
func (s *sweep) evened(plugin scorer) bool {
	return s.ground != nil && s.class.scores[plugin.Name()] != nil && s.ground.even(plugin.Name())
}

// silent says that a plugin gives no node anything: VolumeBinding to a pod without claims, and InterPodAffinity to one that
// prefers nobody and that nobody prefers.
func (s *sweep) silent(plugin scorer) bool {
	switch plugin.Name() {
	case names.ImageLocality:
		return s.class.idle.Has(plugin.Name()) || s.judge.board.images.absent(&s.pod.Spec)
	case names.VolumeBinding:
		return s.skipped.Has(plugin.Name())
	case names.InterPodAffinity:
		info := s.class.info
		return len(s.class.kin.affine) == 0 && len(info.PreferredAffinityTerms) == 0 && len(info.PreferredAntiAffinityTerms) == 0
	}
	return s.class.idle.Has(plugin.Name())
}

// candidates are the feasible nodes as a plugin's PreScore sees them.
func (s *sweep) candidates() []fwk.NodeInfo {
	infos := sized(&s.judge.scratch.infos, len(s.feasible))
	for i, slot := range s.feasible {
		infos[i] = slot.info
	}
	return infos
}

// localScores are what a local plugin says, as far as known from its table.
func (s *sweep) localScores(ctx context.Context, plugin scorer, slots []*slot) ([]int64, error) {
	ask, failed := s.asker(ctx, plugin, s.class.state)
	table := s.class.scores[plugin.Name()]
	scores := consult(ctx, s, table, slots, &s.judge.scratch.scores, func(at *slot) int64 { return ask(at.info) })
	return scores, failed()
}

// asker asks a plugin about single nodes, and tells afterwards whether that failed.
func (s *sweep) asker(ctx context.Context, plugin scorer, state fwk.CycleState) (ask func(fwk.NodeInfo) int64, failed func() error) {
	var failure atomic.Pointer[fwk.Status]
	ask = func(at fwk.NodeInfo) int64 {
		score, status := plugin.Score(ctx, state, s.pod, at)
		if !status.IsSuccess() {
			failure.Store(status)
		}
		return score
	}
	failed = func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if status := failure.Load(); status != nil {
			return status.AsError()
		}
		return nil
	}
	return ask, failed
}

func namesOfSlots(slots []*slot) []string {
	all := make([]string, len(slots))
	for i, slot := range slots {
		all[i] = slot.name
	}
	return all
}

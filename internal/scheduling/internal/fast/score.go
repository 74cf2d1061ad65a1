package fast

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Best are the feasible nodes that score highest, in a buffer that the next call overwrites.
func (s *filter) Best(ctx context.Context) ([]*store.Node, error) {
	if len(s.feasible) <= 1 {
		return s.feasible, nil
	}
	if at := s.fast.store.Nodes.ByName[s.pod.Status.NominatedNodeName]; at != nil && slices.Contains(s.feasible, at) {
		return []*store.Node{at}, nil
	}
	totals, err := s.Scores(ctx)
	if err != nil {
		return nil, err
	}
	scratch := &s.fast.scratch
	scratch.best = scratch.best[:0]
	highest := slices.Max(totals)
	for i, total := range totals {
		if total == highest {
			scratch.best = append(scratch.best, s.feasible[i])
		}
	}
	return scratch.best, nil
}

// Scores leave out what every node scores alike. They are in a buffer that the next call overwrites.
func (s *filter) Scores(ctx context.Context) ([]int64, error) {
	s.filterSpreadLister()
	defer s.fast.useFilteredListers()()
	totals := s.initialTotals()
	for _, plugin := range s.profile.Scorers {
		if err := s.score(ctx, plugin, totals); err != nil {
			return nil, fmt.Errorf("scoring nodes for pod %s with plugin %s: %w", store.NameOf(s.pod), plugin.Name(), err)
		}
	}
	return totals, nil
}

// initialTotals are where the nodes' totals begin: at the cached sums.
func (s *filter) initialTotals() []int64 {
	totals := resized(&s.fast.scratch.totals, len(s.feasible))
	if s.cached != nil {
		copy(totals, s.cached.subset(s.cached.sums, s.feasible, &s.fast.scratch.scores))
	} else {
		clear(totals)
	}
	return totals
}

// score adds what one plugin gives each node.
func (s *filter) score(ctx context.Context, plugin profile.Scorer, totals []int64) error {
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
			totals[i] += score * plugin.Weight
		}
		return nil
	case local && uniform(scores): // and so they are when they are normalized
		return nil
	}
	list := resized(&s.fast.scratch.list, len(scores))
	for i, entry := range s.feasible {
		list[i] = fwk.NodeScore{Name: entry.Name, Score: scores[i]}
	}
	if status := extensions.NormalizeScore(ctx, state, s.pod, list); !status.IsSuccess() {
		return status.AsError()
	}
	for i := range list {
		totals[i] += list[i].Score * plugin.Weight
	}
	return nil
}

func uniform(scores []int64) bool {
	for _, score := range scores {
		if score != scores[0] {
			return false
		}
	}
	return true
}

// scores are one plugin's scores of each feasible node, none if it scores none, and the state it used.
func (s *filter) scores(ctx context.Context, plugin profile.Scorer) ([]int64, fwk.CycleState, error) {
	switch {
	case s.scoresNothing(plugin), s.inSums(plugin), s.scoresUniformly(plugin):
		return nil, nil, nil
	case s.class.scores[plugin.Name()] != nil && s.cached != nil:
		return s.cached.subset(s.cached.scores[plugin.Name()], s.feasible, &s.fast.scratch.scores), s.class.state, nil
	case s.class.scores[plugin.Name()] != nil:
		scores, err := s.localScores(ctx, plugin, s.feasible)
		return scores, s.class.state, err
	}
	if pre, ok := plugin.ScorePlugin.(fwk.PreScorePlugin); ok && plugin.Prepared {
		switch status := pre.PreScore(ctx, s.state, s.pod, s.infos(s.feasible)); {
		case status.IsSkip():
			return nil, nil, nil
		case !status.IsSuccess():
			return nil, nil, status.AsError()
		}
	}
	ask, failed := s.scoreFunc(ctx, plugin, s.state)
	scores := consult(ctx, s, nil, s.feasible, &s.fast.scratch.scores, func(at *store.Node) int64 { return ask(at.Info) })
	return scores, s.state, failed()
}

// inSums says that the cached sums hold a plugin's scores.
func (s *filter) inSums(plugin profile.Scorer) bool {
	return s.cached != nil && s.class.scores[plugin.Name()] != nil && plugin.ScoreExtensions() == nil
}

// scoresUniformly says that a plugin scores all cached nodes alike, and so it does when scores are normalized.
func (s *filter) scoresUniformly(plugin profile.Scorer) bool {
	return s.cached != nil && s.class.scores[plugin.Name()] != nil && s.cached.isUniform(plugin.Name())
}

// scoresNothing says that a plugin scores no node: VolumeBinding for a pod without claims, and InterPodAffinity for one without
// preferred terms that no other pod's terms select.
func (s *filter) scoresNothing(plugin profile.Scorer) bool {
	switch plugin.Name() {
	case names.ImageLocality:
		return s.class.idle.Has(plugin.Name()) || s.fast.store.Nodes.Images.Absent(&s.pod.Spec)
	case names.VolumeBinding:
		return s.skipped.Has(plugin.Name())
	case names.InterPodAffinity:
		info := s.class.info
		return len(s.class.related.scoringTermsMatch) == 0 && len(info.PreferredAffinityTerms) == 0 && len(info.PreferredAntiAffinityTerms) == 0
	}
	return s.class.idle.Has(plugin.Name())
}

// infos are nodes as a plugin's PreScore sees them, in a buffer that the next call overwrites.
func (s *filter) infos(entries []*store.Node) []fwk.NodeInfo {
	infos := resized(&s.fast.scratch.infos, len(entries))
	for i, entry := range entries {
		infos[i] = entry.Info
	}
	return infos
}

// localScores are a local plugin's scores, from its table as far as they are there.
func (s *filter) localScores(ctx context.Context, plugin profile.Scorer, entries []*store.Node) ([]int64, error) {
	ask, failed := s.scoreFunc(ctx, plugin, s.class.state)
	table := s.class.scores[plugin.Name()]
	scores := consult(ctx, s, table, entries, &s.fast.scratch.scores, func(at *store.Node) int64 { return ask(at.Info) })
	return scores, failed()
}

// scoreFunc returns a function that scores a node with a plugin, and one that returns whether a call of it failed.
func (s *filter) scoreFunc(ctx context.Context, plugin profile.Scorer, state fwk.CycleState) (ask func(fwk.NodeInfo) int64, failed func() error) {
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

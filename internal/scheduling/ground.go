package scheduling

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// ground is what the local plugins leave to pods that none of them can tell apart: the nodes that pass, and how each plugin
// scores them. It stays from one pod to the next, and only nodes that have changed are looked at again.
type ground struct {
	filters []fwk.FilterPlugin
	scorers []scorer
	open    []*slot            // sorted by name
	scores  map[string][]int64 // by plugin, one for each of the open
	ear     listener
	setting int // of the board's images, when they were last looked at
}

// mostGrounds is how many are kept; each is as long as there are nodes.
const mostGrounds = 256

// groundOf is the one of the sweep's class, up to date; nil if it has none, as a pod that names its node, which is alone
// on its own.
func (s *sweep) groundOf(ctx context.Context) (*ground, error) {
	scratch := &s.judge.scratch
	filters, scorers, key := scratch.filters[:0], scratch.scorers[:0], scratch.key[:0]
	for _, plugin := range s.profile.swift {
		table := s.class.verdicts[plugin.Name()]
		if table == nil || s.skipped.Has(plugin.Name()) {
			continue
		}
		if !s.class.pre[plugin.Name()].result.AllNodes() {
			return nil, nil
		}
		filters, key = append(filters, plugin), binary.AppendUvarint(key, table.number)
	}
	for _, plugin := range s.profile.scorers {
		if table := s.class.scores[plugin.Name()]; table != nil && !s.silent(plugin) {
			scorers, key = append(scorers, plugin), binary.AppendUvarint(key, table.number)
		}
	}
	scratch.filters, scratch.scorers, scratch.key = filters, scorers, key
	all := s.profile.classes.grounds
	g := all[string(key)]
	if g == nil {
		if len(all) >= mostGrounds {
			clear(all)
		}
		g = &ground{filters: slices.Clone(filters), scorers: slices.Clone(scorers), scores: map[string][]int64{}}
		all[string(key)] = g
	}
	return g, g.follow(ctx, s)
}

// follow looks at the nodes that have changed since the last time.
func (g *ground) follow(ctx context.Context, s *sweep) error {
	board := s.judge.board
	changed, known := g.ear.hear(&board.news)
	anew := !known || g.setting != board.setting.now && g.looksAtImages()
	if anew {
		changed = board.nodes.slots
	}
	passing, err := s.keep(ctx, g.filters, s.judge.once(changed))
	if err == nil {
		g.admit(s.judge, changed, passing, anew)
		err = g.rate(ctx, s, passing)
	}
	if g.setting = board.setting.now; err != nil {
		g.ear = listener{} // to begin anew
	}
	return err
}

// admit opens, of the nodes that have changed, those that pass, and closes the others.
func (g *ground) admit(j *Judge, changed, passing []*slot, anew bool) {
	if anew {
		g.open = append(g.open[:0], passing...)
		for _, plugin := range g.scorers {
			g.scores[plugin.Name()] = slices.Grow(g.scores[plugin.Name()][:0], len(passing))[:len(passing)]
		}
		return
	}
	j.looks++
	for _, slot := range passing {
		slot.mark = j.looks
	}
	for _, slot := range changed {
		g.set(slot, slot.mark == j.looks)
	}
}

// rate asks how nodes score.
func (g *ground) rate(ctx context.Context, s *sweep, slots []*slot) error {
	for _, plugin := range g.scorers {
		scores, err := s.localScores(ctx, plugin, slots)
		if err != nil {
			return err
		}
		next := 0
		for i, slot := range slots {
			if next == len(g.open) || g.open[next] != slot {
				next, _ = find(g.open, slot)
			}
			g.scores[plugin.Name()][next] = scores[i]
			next++
		}
	}
	return nil
}

func (g *ground) looksAtImages() bool {
	return slices.ContainsFunc(g.scorers, func(p scorer) bool { return p.Name() == names.ImageLocality })
}

// scoresOf are what a plugin gives some of the open nodes, in their order.
func (g *ground) scoresOf(plugin scorer, slots []*slot, buffer *[]int64) []int64 {
	all := g.scores[plugin.Name()]
	if len(slots) == len(g.open) {
		return all
	}
	scores, at := sized(buffer, len(slots)), 0
	for i, slot := range slots {
		for g.open[at] != slot {
			at++
		}
		scores[i] = all[at]
	}
	return scores
}

// set says whether a node is among the open ones.
func (g *ground) set(s *slot, open bool) {
	at, is := find(g.open, s)
	switch {
	case open && !is:
		g.open = slices.Insert(g.open, at, s)
		for _, plugin := range g.scorers {
			g.scores[plugin.Name()] = slices.Insert(g.scores[plugin.Name()], at, 0)
		}
	case is && !open:
		g.open = slices.Delete(g.open, at, at+1)
		for name, scores := range g.scores {
			g.scores[name] = slices.Delete(scores, at, at+1)
		}
	}
}

// find is where a slot is among others sorted by name, or would be.
func find(slots []*slot, s *slot) (int, bool) {
	return slices.BinarySearchFunc(slots, s.name, func(other *slot, name string) int { return strings.Compare(other.name, name) })
}

// once are the slots of a list that are lined up, each once.
func (j *Judge) once(slots []*slot) []*slot {
	j.looks++
	some := sized(&j.scratch.slots, len(slots))[:0]
	for _, s := range slots {
		if s.here != nowhere && s.mark != j.looks {
			s.mark = j.looks
			some = append(some, s)
		}
	}
	return some
}

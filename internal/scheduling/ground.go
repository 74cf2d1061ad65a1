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
	open    []*slot // sorted by name
	// sums are what the plugins whose scores are not normalized give each of the open together, scores what each of the
	// others does.
	sums   []int64
	scores map[string][]int64
	// evens say which of the others score all of the open alike, as far as that was asked.
	evens map[string]bool
	// places are where slots were last found among the open, by id.
	places  []int
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
		g = &ground{filters: slices.Clone(filters), scorers: slices.Clone(scorers), scores: map[string][]int64{}, evens: map[string]bool{}}
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
	if missing := len(j.board.slots) - len(g.places); missing > 0 {
		g.places = append(g.places, make([]int, missing)...)
	}
	if anew {
		clear(g.evens)
		g.open = append(g.open[:0], passing...)
		for i, slot := range g.open {
			g.places[slot.id] = i
		}
		g.sums = slices.Grow(g.sums[:0], len(passing))[:len(passing)]
		for _, plugin := range g.scorers {
			if plugin.ScoreExtensions() != nil {
				g.scores[plugin.Name()] = slices.Grow(g.scores[plugin.Name()][:0], len(passing))[:len(passing)]
			}
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

// rate asks how open nodes score.
func (g *ground) rate(ctx context.Context, s *sweep, slots []*slot) error {
	at := sized(&s.judge.scratch.at, len(slots))
	for i, slot := range slots {
		at[i], _ = g.find(slot)
		g.sums[at[i]] = 0
	}
	for _, plugin := range g.scorers {
		scores, err := s.localScores(ctx, plugin, slots)
		if err != nil {
			return err
		}
		normalized, summed := g.scores[plugin.Name()], plugin.ScoreExtensions() == nil
		for i, score := range scores {
			switch {
			case summed:
				g.sums[at[i]] += score * plugin.weight
			case normalized[at[i]] != score:
				normalized[at[i]] = score
				delete(g.evens, plugin.Name())
			}
		}
	}
	return nil
}

// even says that a plugin gives none of the open more than another, and so none of some of them.
func (g *ground) even(plugin string) bool {
	is, known := g.evens[plugin]
	if !known {
		is = even(g.scores[plugin])
		g.evens[plugin] = is
	}
	return is
}

func (g *ground) looksAtImages() bool {
	return slices.ContainsFunc(g.scorers, func(p scorer) bool { return p.Name() == names.ImageLocality })
}

// of are those of what is kept for the open nodes that belong to some of them, in their order. They are to be read only.
func (g *ground) of(all []int64, slots []*slot, buffer *[]int64) []int64 {
	if len(slots) == len(g.open) {
		return all
	}
	some, at := sized(buffer, len(slots)), 0
	for i, slot := range slots {
		for g.open[at] != slot {
			at++
		}
		some[i] = all[at]
	}
	return some
}

// set says whether a node is among the open ones.
func (g *ground) set(s *slot, open bool) {
	at, is := g.find(s)
	if open != is {
		clear(g.evens)
	}
	switch {
	case open && !is:
		g.open, g.sums = slices.Insert(g.open, at, s), slices.Insert(g.sums, at, 0)
		for name, scores := range g.scores {
			g.scores[name] = slices.Insert(scores, at, 0)
		}
	case is && !open:
		g.open, g.sums = slices.Delete(g.open, at, at+1), slices.Delete(g.sums, at, at+1)
		for name, scores := range g.scores {
			g.scores[name] = slices.Delete(scores, at, at+1)
		}
	}
}

// find is where a slot is among the open ones, or would be. Most are where they were the last time.
func (g *ground) find(s *slot) (int, bool) {
	if at := g.places[s.id]; at < len(g.open) && g.open[at] == s {
		return at, true
	}
	at, is := find(g.open, s)
	g.places[s.id] = at
	return at, is
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

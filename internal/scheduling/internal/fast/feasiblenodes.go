package fast

import (
	"context"
	"encoding/binary"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// feasibleNodes caches, for pods that no local plugin can tell apart, the nodes that these plugins accept, and their scores. It
// is kept from one pod to the next, and only nodes that have changed are looked at again.
type feasibleNodes struct {
	filters []fwk.FilterPlugin
	scorers []profile.Scorer
	nodes   []*store.Node // sorted by name
	// sums are the total of the plugins whose scores are not normalized, for each node; scores are those of each of the
	// others.
	sums   []int64
	scores map[string][]int64
	// uniform says which of the others score all nodes alike, as far as that was asked.
	uniform map[string]bool
	// positions are where entries were last found among the nodes, by id.
	positions     []int
	cursor        store.Cursor
	imagesVersion int // when images were last looked at
}

// maxFeasibleNodeSets is how many are kept; each is as long as there are nodes.
const maxFeasibleNodeSets = 256

// feasibleNodesFor is the cache of the pod's class, up to date; nil if it has none, as for a pod that names its node.
func (s *filter) feasibleNodesFor(ctx context.Context) (*feasibleNodes, error) {
	scratch := &s.fast.scratch
	filters, scorers, key := scratch.filters[:0], scratch.scorers[:0], scratch.key[:0]
	for _, plugin := range s.profile.localFirst {
		table := s.class.verdicts[plugin.Name()]
		if table == nil || s.skipped.Has(plugin.Name()) {
			continue
		}
		if !s.class.pre[plugin.Name()].result.AllNodes() {
			return nil, nil
		}
		filters, key = append(filters, plugin), binary.AppendUvarint(key, table.number)
	}
	for _, plugin := range s.profile.Scorers {
		if table := s.class.scores[plugin.Name()]; table != nil && !s.scoresNothing(plugin) {
			scorers, key = append(scorers, plugin), binary.AppendUvarint(key, table.number)
		}
	}
	scratch.filters, scratch.scorers, scratch.key = filters, scorers, key
	all := s.profile.classes.feasibleNodes
	g := all[string(key)]
	if g == nil {
		if len(all) >= maxFeasibleNodeSets {
			clear(all)
		}
		g = &feasibleNodes{filters: slices.Clone(filters), scorers: slices.Clone(scorers), scores: map[string][]int64{}, uniform: map[string]bool{}}
		all[string(key)] = g
	}
	return g, g.update(ctx, s)
}

// update looks at the nodes that have changed since the last time.
func (g *feasibleNodes) update(ctx context.Context, s *filter) error {
	nodes := s.fast.store.Nodes
	changed, known := g.cursor.Next(&nodes.Changes)
	anew := !known || g.imagesVersion != nodes.ImagesVersion.Now && g.looksAtImages()
	if anew {
		changed = nodes.Sorted.Entries
	}
	passing, err := s.filterBy(ctx, g.filters, s.fast.listedOnce(changed))
	if err == nil {
		g.set(s.fast, changed, passing, anew)
		err = g.score(ctx, s, passing)
	}
	if g.imagesVersion = nodes.ImagesVersion.Now; err != nil {
		g.cursor = store.Cursor{} // so that every node is looked at
	}
	return err
}

// set adds, of the nodes that have changed, those that pass, and drops the others.
func (g *feasibleNodes) set(f *Scheduler, changed, passing []*store.Node, anew bool) {
	if missing := len(f.store.Nodes.ByName) - len(g.positions); missing > 0 {
		g.positions = append(g.positions, make([]int, missing)...)
	}
	if anew {
		clear(g.uniform)
		g.nodes = append(g.nodes[:0], passing...)
		for i, entry := range g.nodes {
			g.positions[entry.ID] = i
		}
		g.sums = slices.Grow(g.sums[:0], len(passing))[:len(passing)]
		for _, plugin := range g.scorers {
			if plugin.ScoreExtensions() != nil {
				g.scores[plugin.Name()] = slices.Grow(g.scores[plugin.Name()][:0], len(passing))[:len(passing)]
			}
		}
		return
	}
	f.generation++
	for _, entry := range passing {
		entry.Visited = f.generation
	}
	for _, entry := range changed {
		g.setOne(entry, entry.Visited == f.generation)
	}
}

// score asks for the scores of nodes.
func (g *feasibleNodes) score(ctx context.Context, s *filter, entries []*store.Node) error {
	at := resized(&s.fast.scratch.at, len(entries))
	for i, entry := range entries {
		at[i], _ = g.find(entry)
		g.sums[at[i]] = 0
	}
	for _, plugin := range g.scorers {
		scores, err := s.localScores(ctx, plugin, entries)
		if err != nil {
			return err
		}
		normalized, summed := g.scores[plugin.Name()], plugin.ScoreExtensions() == nil
		for i, score := range scores {
			switch {
			case summed:
				g.sums[at[i]] += score * plugin.Weight
			case normalized[at[i]] != score:
				normalized[at[i]] = score
				delete(g.uniform, plugin.Name())
			}
		}
	}
	return nil
}

// isUniform says that a plugin scores all nodes alike, and so any subset of them.
func (g *feasibleNodes) isUniform(plugin string) bool {
	is, known := g.uniform[plugin]
	if !known {
		is = uniform(g.scores[plugin])
		g.uniform[plugin] = is
	}
	return is
}

func (g *feasibleNodes) looksAtImages() bool {
	return slices.ContainsFunc(g.scorers, func(p profile.Scorer) bool { return p.Name() == names.ImageLocality })
}

// subset is what is kept for all nodes, for some of them in their order. It is to be read only.
func (g *feasibleNodes) subset(all []int64, entries []*store.Node, buffer *[]int64) []int64 {
	if len(entries) == len(g.nodes) {
		return all
	}
	some, at := resized(buffer, len(entries)), 0
	for i, entry := range entries {
		for g.nodes[at] != entry {
			at++
		}
		some[i] = all[at]
	}
	return some
}

// setOne says whether a node is among the nodes.
func (g *feasibleNodes) setOne(s *store.Node, open bool) {
	at, is := g.find(s)
	if open != is {
		clear(g.uniform)
	}
	switch {
	case open && !is:
		g.nodes, g.sums = slices.Insert(g.nodes, at, s), slices.Insert(g.sums, at, 0)
		for name, scores := range g.scores {
			g.scores[name] = slices.Insert(scores, at, 0)
		}
	case is && !open:
		g.nodes, g.sums = slices.Delete(g.nodes, at, at+1), slices.Delete(g.sums, at, at+1)
		for name, scores := range g.scores {
			g.scores[name] = slices.Delete(scores, at, at+1)
		}
	}
}

// find is where an entry is among the nodes, or would be. Most are where they were the last time.
func (g *feasibleNodes) find(s *store.Node) (int, bool) {
	if at := g.positions[s.ID]; at < len(g.nodes) && g.nodes[at] == s {
		return at, true
	}
	at, is := store.Find(g.nodes, s)
	g.positions[s.ID] = at
	return at, is
}

// listedOnce are the entries of a list that are nodes that exist, each once.
func (f *Scheduler) listedOnce(entries []*store.Node) []*store.Node {
	f.generation++
	some := resized(&f.scratch.entries, len(entries))[:0]
	for _, s := range entries {
		if s.Index != store.Absent && s.Visited != f.generation {
			s.Visited = f.generation
			some = append(some, s)
		}
	}
	return some
}

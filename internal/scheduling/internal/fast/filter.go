package fast

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// filter finds the same nodes as an attempt, faster: local plugins are asked only about nodes that have changed since they
// were last asked for such a pod, the plugins that count pods are given filtered listers, and cheap plugins run first.
// It does not find out which plugin refused a node first, which matters to preemption alone.
type filter struct {
	fast    *Scheduler
	profile *cachedProfile
	class   *class
	pod     *corev1.Pod    // as plugins see it
	state   fwk.CycleState // of the plugins that are not local
	skipped sets.Set[string]

	// spreadFiltered says that the lister of PodTopologySpread is filtered for the class.
	spreadFiltered bool
	// preFiltered says that no PreFilter plugin excluded every node.
	preFiltered bool
	// cached are the feasible nodes of the local plugins, nil if every node was looked at.
	cached   *feasibleNodes
	feasible []*store.Node
}

// Feasible nodes are to be read only.
func (s *filter) Feasible() []*store.Node { return s.feasible }

// Keep leaves the feasible nodes at some positions. The feasible nodes before may be those that the fast path keeps.
func (s *filter) Keep(positions []int) {
	s.feasible = make([]*store.Node, len(positions))
	for i, at := range positions {
		s.feasible[i] = s.fast.store.Nodes.Sorted.Entries[at]
	}
}

// preFilter returns the nodes that PreFilter plugins leave. A plugin that fails counts as one that leaves none: whoever wants
// to know why asks again without the fast filter.
func (s *filter) preFilter(ctx context.Context) []*store.Node {
	s.filterAffinityLister()
	defer s.fast.useFilteredListers()()
	var allowed *fwk.PreFilterResult
	for _, plugin := range s.profile.Filters {
		pre, ok := plugin.(fwk.PreFilterPlugin)
		if !ok {
			continue
		}
		if s.skips(plugin.Name()) {
			s.skipped.Insert(plugin.Name())
			continue
		}
		said, local := s.class.pre[plugin.Name()]
		switch {
		case local:
		case plugin.Name() == names.InterPodAffinity && s.class.cachesAffinity():
			said.status = s.preFilterAffinity(ctx, pre)
		default:
			said.result, said.status = pre.PreFilter(ctx, s.state, s.pod, s.view(plugin.Name()))
		}
		if said.status.IsSkip() {
			s.skipped.Insert(plugin.Name())
			s.class.related.idle.Insert(plugin.Name())
			continue
		}
		if !said.status.IsSuccess() {
			return nil
		}
		allowed = allowed.Merge(said.result)
	}
	s.preFiltered = true
	if allowed.AllNodes() {
		return s.fast.store.Nodes.Sorted.Entries
	}
	var entries []*store.Node
	for name := range allowed.NodeNames {
		if s := s.fast.store.Nodes.ByName[name]; s != nil && s.Index != store.Absent {
			entries = append(entries, s)
		}
	}
	slices.SortFunc(entries, func(a, b *store.Node) int { return a.Index - b.Index })
	return entries
}

// skips says that a plugin skipped such a pod and would now: that follows from the pod and from the object store (relatedPods are
// computed anew when that changes), for InterPodAffinity also from whether a pod has anti-affinity to it, and for
// VolumeRestrictions from whether another pod uses the claim, so that it is asked each time if there is one.
func (s *filter) skips(plugin string) bool {
	switch plugin {
	case names.VolumeRestrictions:
		return s.class.related.idle.Has(plugin) && !mountsClaims(&s.pod.Spec)
	case names.InterPodAffinity:
		return s.class.related.idle.Has(plugin) && len(s.fast.affinityLister.withAntiAffinity) == 0
	}
	return s.class.related.idle.Has(plugin)
}

// mountsClaims says that a pod mounts claims that other pods may mount too.
func mountsClaims(s *corev1.PodSpec) bool {
	return slices.ContainsFunc(s.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
}

// view is the nodes that a plugin's PreFilter counts on.
func (s *filter) view(plugin string) []fwk.NodeInfo {
	switch plugin {
	case names.PodTopologySpread:
		s.filterSpreadLister()
		return s.spreadNodes()
	case names.InterPodAffinity:
		return s.fast.affinityLister.nodes
	}
	return s.fast.store.Nodes.Sorted.Infos
}

// filter keeps the nodes that pass.
func (s *filter) filter(ctx context.Context, entries []*store.Node) (err error) {
	plugins := s.profile.localFirst
	if len(entries) == len(s.fast.store.Nodes.Sorted.Entries) {
		if s.cached, err = s.feasibleNodesFor(ctx); err != nil {
			return err
		}
	}
	if s.cached != nil {
		plugins, entries = s.profile.nonLocal, s.cached.nodes
	}
	if s.feasible = entries; s.fast.store.Nodes.Nominated.Pods == 0 && !slices.ContainsFunc(plugins, s.hasFilter) {
		return nil
	}
	alive := resized(&s.fast.scratch.entries, len(entries))
	copy(alive, entries)
	if alive, err = s.filterBy(ctx, plugins, alive); err != nil {
		return err
	}
	s.feasible, err = s.respectNominated(ctx, alive)
	return err
}

// hasFilter says that a plugin filters each node.
func (s *filter) hasFilter(plugin fwk.FilterPlugin) bool { return !s.skipped.Has(plugin.Name()) }

// filterBy drops the entries that one of the plugins refuses.
func (s *filter) filterBy(ctx context.Context, plugins []fwk.FilterPlugin, entries []*store.Node) ([]*store.Node, error) {
	for _, plugin := range plugins {
		if !s.hasFilter(plugin) || len(entries) == 0 {
			continue
		}
		said := s.verdicts(ctx, plugin, entries)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		kept := entries[:0]
		for i, status := range said {
			if status.IsSuccess() {
				kept = append(kept, entries[i])
			} else if !status.IsRejected() {
				return nil, s.failed(plugin, entries[i], status)
			}
		}
		entries = kept
	}
	return entries, nil
}

// verdicts are one plugin's statuses for each entry.
func (s *filter) verdicts(ctx context.Context, plugin fwk.FilterPlugin, entries []*store.Node) []*fwk.Status {
	table, state := s.verdictTable(plugin)
	node := s.fast.nodeView(plugin)
	ask := func(entry *store.Node) *fwk.Status { return plugin.Filter(ctx, state, s.pod, node(entry)) }
	switch plugin.Name() {
	case names.PodTopologySpread:
		if s.spreadsOverDomains() {
			return s.spreadVerdicts(entries, ask)
		}
	case names.InterPodAffinity:
		return s.affinityVerdicts(entries, ask)
	case names.VolumeBinding:
		if keys, all := volumeKeys(s.fast.store.Objects, s.pod); all {
			return s.fast.scratch.verdicts.ask(s.fast, s.fast.domains.of(s.fast.store.Nodes, keys), entries, allAlike, ask)
		}
	}
	return consult(ctx, s, table, entries, &s.fast.scratch.verdicts.said, ask)
}

// first is the first of the nodes that passes, nil if none does.
func (s *filter) first(ctx context.Context, entries []*store.Node) (*store.Node, error) {
	for _, candidate := range entries {
		refused, err := s.refuses(ctx, candidate)
		if err != nil {
			return nil, err
		}
		if refused {
			continue
		}
		if left, err := s.respectNominated(ctx, []*store.Node{candidate}); err != nil || len(left) > 0 {
			return candidate, err
		}
	}
	return nil, ctx.Err()
}

// refuses asks about one node, and stops at the first plugin that refuses.
func (s *filter) refuses(ctx context.Context, at *store.Node) (bool, error) {
	for _, plugin := range s.profile.localFirst {
		if s.skipped.Has(plugin.Name()) {
			continue
		}
		table, state := s.verdictTable(plugin)
		table.fit(len(s.fast.store.Nodes.ByName))
		status := table.of(at, func() *fwk.Status { return plugin.Filter(ctx, state, s.pod, at.Info) })
		switch {
		case status.IsRejected():
			return true, nil
		case !status.IsSuccess():
			return true, s.failed(plugin, at, status)
		}
	}
	return false, nil
}

// verdictTable is the table of a plugin's answers, nil if it has none, and the state it is asked with. A table for each pod that
// names its node, as those of DaemonSets do, would fill the memory.
func (s *filter) verdictTable(plugin fwk.Plugin) (*table[*fwk.Status], fwk.CycleState) {
	t := s.class.verdicts[plugin.Name()]
	switch {
	case t == nil:
		return nil, s.state
	case !s.class.pre[plugin.Name()].result.AllNodes():
		return nil, s.class.state
	}
	return t, s.class.state
}

func (s *filter) failed(plugin fwk.Plugin, at *store.Node, status *fwk.Status) error {
	return fmt.Errorf("asking plugin %s whether node %s takes pod %s: %w", plugin.Name(), at.Name, store.NameOf(s.pod), status.AsError())
}

// consult returns an answer for each entry: the table's, and the plugin's where the table holds none.
func consult[T any](ctx context.Context, s *filter, t *table[T], entries []*store.Node, buffer *[]T, ask func(*store.Node) T) []T {
	said := resized(buffer, len(entries))
	if t == nil {
		s.profile.Each(ctx, len(entries), func(i int) { said[i] = ask(entries[i]) })
		return said
	}
	t.fit(len(s.fast.store.Nodes.ByName))
	asked := resized(&s.fast.scratch.asked, len(entries))[:0]
	for i, entry := range entries {
		c, holds := t.at(entry)
		if said[i] = c.answer; !holds {
			asked = append(asked, i)
		}
	}
	s.profile.Each(ctx, len(asked), func(n int) {
		i := asked[n]
		c, _ := t.at(entries[i])
		c.generation, c.answer = entries[i].Info.Generation, ask(entries[i])
		said[i] = c.answer
	})
	return said
}

// respectNominated drops the nodes that fit the pod only until the pods nominated to them arrive.
func (s *filter) respectNominated(ctx context.Context, entries []*store.Node) ([]*store.Node, error) {
	nominated := s.fast.store.Nodes.Nominated
	if nominated.Pods == 0 {
		return entries, nil
	}
	var state fwk.CycleState
	kept := entries[:0]
	for _, entry := range entries {
		if len(nominated.ByNode[entry.Name]) == 0 {
			kept = append(kept, entry)
			continue
		}
		if state == nil {
			state = framework.NewCycleState()
			if _, status, _ := s.profile.Framework.RunPreFilterPlugins(ctx, state, s.pod); !status.IsSuccess() {
				return nil, errors.New("the plugins contradict themselves")
			}
		}
		status := s.profile.Framework.RunFilterPluginsWithNominatedPods(ctx, state, s.pod, entry.Info)
		switch {
		case status.IsSuccess():
			kept = append(kept, entry)
		case !status.IsRejected():
			return nil, fmt.Errorf("asking whether node %s takes pod %s: %w", entry.Name, store.NameOf(s.pod), status.AsError())
		}
	}
	return kept, nil
}

package fast

import (
	"context"
	"slices"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// filteredLister lists, to a plugin that counts pods, only the nodes on which it would find any that count. What it counts is the
// same: the nodes left out would have added nothing.
type filteredLister struct {
	*store.Nodes
	// active says that the lists below are listed, and not the node store's.
	active                                bool
	nodes, withAffinity, withAntiAffinity []fwk.NodeInfo
}

// filteredHandle gives a plugin its filteredLister as the scheduler's snapshot.
type filteredHandle struct {
	fwk.Handle
	lister *filteredLister
}

// HandleOf gives the plugins that count pods a filtered lister.
func (f *Scheduler) HandleOf(plugin string, handle fwk.Handle) fwk.Handle {
	switch plugin {
	case names.PodTopologySpread:
		return filteredHandle{handle, f.spreadLister}
	case names.InterPodAffinity:
		return filteredHandle{handle, f.affinityLister}
	}
	return handle
}

// Parallelizer is the framework's, but for few pieces, which take less time than to start goroutines.
func (s filteredHandle) Parallelizer() fwk.Parallelizer {
	return sequentialParallelizer{s.Handle.Parallelizer()}
}

type sequentialParallelizer struct{ fwk.Parallelizer }

func (m sequentialParallelizer) Until(ctx context.Context, pieces int, do workqueue.DoWorkPieceFunc, operation string) {
	const few = 512
	if pieces > few {
		m.Parallelizer.Until(ctx, pieces, do, operation)
		return
	}
	for i := range pieces {
		do(i)
	}
}

func (s filteredHandle) SnapshotSharedLister() fwk.SharedLister { return s.lister }

func (l *filteredLister) NodeInfos() fwk.NodeInfoLister { return l }

func (l *filteredLister) List() ([]fwk.NodeInfo, error) {
	if l.active {
		return l.nodes, nil
	}
	return l.Nodes.List()
}

func (l *filteredLister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	if l.active {
		return l.withAffinity, nil
	}
	return l.Nodes.HavePodsWithAffinityList()
}

func (l *filteredLister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	if l.active {
		return l.withAntiAffinity, nil
	}
	return l.Nodes.HavePodsWithRequiredAntiAffinityList()
}

// filterAffinityLister filters the lister of InterPodAffinity by the pods related to the class.
func (s *filter) filterAffinityLister() {
	k, affinity := &s.class.related, s.fast.affinityLister
	if s.class.cachesAffinity() {
		affinity.nodes, affinity.withAntiAffinity = nil, nil
		affinity.withAffinity = s.fast.nodesWith(affinity.withAffinity[:0], k.scoringTermsMatch)
		return
	}
	affinity.nodes = s.fast.nodesWith(affinity.nodes[:0], k.matchedByOwn, k.scoringTermsMatch)
	affinity.withAffinity = s.fast.nodesWith(affinity.withAffinity[:0], k.scoringTermsMatch)
	affinity.withAntiAffinity = s.fast.nodesWith(affinity.withAntiAffinity[:0], k.antiAffinityMatches)
}

// filterSpreadLister does the same for PodTopologySpread, which is not always asked.
func (s *filter) filterSpreadLister() {
	if !s.spreadFiltered {
		s.spreadFiltered = true
		s.fast.spreadLister.nodes = s.filterSpread(s.fast.spreadLister.nodes[:0])
	}
}

// useFilteredListers has the plugins read the filtered listers until off is called.
func (f *Scheduler) useFilteredListers() (off func()) {
	f.spreadLister.active, f.affinityLister.active = true, true
	return func() { f.spreadLister.active, f.affinityLister.active = false, false }
}

// nodesWith adds the nodes that have pods of any of the label classes, with those pods only.
func (f *Scheduler) nodesWith(list []fwk.NodeInfo, groups ...[]*store.LabelClass) []fwk.NodeInfo {
	f.generation++
	look := f.generation
	for _, group := range groups {
		for _, labelClass := range group {
			if labelClass.Visited == look {
				continue
			}
			labelClass.Visited = look
			for entry, pods := range labelClass.PodsByNode {
				switch {
				case entry.Index == store.Absent:
				case entry.Visited == look:
					there := list[entry.ListIndex].(*filteredNode)
					there.pods = slices.Concat(there.pods, pods)
				default:
					entry.Visited, entry.ListIndex = look, len(list)
					list = append(list, &filteredNode{entry.Info, pods})
				}
			}
		}
	}
	return list
}

// markNodesWith marks the nodes that have pods of any of the label classes, and returns the mark.
func (f *Scheduler) markNodesWith(groups ...[]*store.LabelClass) (look int) {
	f.generation++
	for _, group := range groups {
		for _, labelClass := range group {
			for entry := range labelClass.PodsByNode {
				entry.Visited = f.generation
			}
		}
	}
	return f.generation
}

// countedNodes are the nodes with those of their pods that count for a class's spread constraints.
type countedNodes struct {
	byID     []*filteredNode // by the entry's id
	has      []bool          // by the entry's id: whether it has some
	counting []*store.Node   // those that have some
}

// of is a node as PodTopologySpread sees it.
func (c *countedNodes) of(at *store.Node) *filteredNode {
	if c.byID[at.ID] == nil {
		c.byID[at.ID] = &filteredNode{}
	}
	node := c.byID[at.ID]
	node.NodeInfo = at.Info
	return node
}

// on says whether any pod on a node counts.
func (c *countedNodes) on(at *store.Node) bool { return c.has[at.ID] }

// filterSpread sets the pods that count for the class's spread constraints, and adds the nodes that have some.
func (s *filter) filterSpread(list []fwk.NodeInfo) []fwk.NodeInfo {
	counted, nodes := &s.fast.counted, s.fast.store.Nodes
	for _, entry := range counted.counting {
		counted.byID[entry.ID].pods, counted.has[entry.ID] = nil, false
	}
	counted.counting = counted.counting[:0]
	if missing := len(nodes.ByName) - len(counted.byID); missing > 0 {
		counted.byID, counted.has = append(counted.byID, make([]*filteredNode, missing)...), append(counted.has, make([]bool, missing)...)
	}
	for _, labelClass := range s.class.related.spread {
		for entry, pods := range labelClass.PodsByNode {
			if entry.Index == store.Absent {
				continue
			}
			node := counted.of(entry)
			if node.pods != nil {
				node.pods = slices.Concat(node.pods, pods)
				continue
			}
			node.pods, counted.has[entry.ID] = pods, true
			counted.counting = append(counted.counting, entry)
			list = append(list, node)
		}
	}
	if len(list) == 0 && len(nodes.Sorted.Entries) > 0 {
		list = append(list, counted.of(nodes.Sorted.Entries[0])) // the plugin takes an empty list for an empty cluster
	}
	return list
}

package scheduling

import (
	"context"
	"slices"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
)

// filteredLister lists, to a plugin that counts pods, only the nodes on which it would find any that count. What it counts is the
// same: the nodes left out would have added nothing.
type filteredLister struct {
	*nodeStore
	// active says that the lists below are listed, and not the node store's.
	active                                bool
	nodes, withAffinity, withAntiAffinity []fwk.NodeInfo
}

// filteredHandle gives a plugin its filteredLister as the scheduler's snapshot.
type filteredHandle struct {
	fwk.Handle
	lister *filteredLister
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
	return l.nodeStore.List()
}

func (l *filteredLister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	if l.active {
		return l.withAffinity, nil
	}
	return l.nodeStore.HavePodsWithAffinityList()
}

func (l *filteredLister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	if l.active {
		return l.withAntiAffinity, nil
	}
	return l.nodeStore.HavePodsWithRequiredAntiAffinityList()
}

// filterAffinityLister filters the lister of InterPodAffinity by the pods related to the class.
func (s *fastFilter) filterAffinityLister() {
	k, affinity := &s.class.related, s.profile.affinityLister
	if s.class.cachesAffinity() {
		affinity.nodes, affinity.withAntiAffinity = nil, nil
		affinity.withAffinity = s.judge.nodesWith(affinity.withAffinity[:0], k.scoringTermsMatch)
		return
	}
	affinity.nodes = s.judge.nodesWith(affinity.nodes[:0], k.matchedByOwn, k.scoringTermsMatch)
	affinity.withAffinity = s.judge.nodesWith(affinity.withAffinity[:0], k.scoringTermsMatch)
	affinity.withAntiAffinity = s.judge.nodesWith(affinity.withAntiAffinity[:0], k.antiAffinityMatches)
}

// filterSpreadLister does the same for PodTopologySpread, which is not always asked.
func (s *fastFilter) filterSpreadLister() {
	if !s.spreadFiltered {
		s.spreadFiltered = true
		s.profile.spreadLister.nodes = s.filterSpread(s.profile.spreadLister.nodes[:0])
	}
}

// useFilteredListers has the plugins read the filtered listers until off is called.
func (p *profile) useFilteredListers() (off func()) {
	p.spreadLister.active, p.affinityLister.active = true, true
	return func() { p.spreadLister.active, p.affinityLister.active = false, false }
}

// nodesWith adds the nodes that have pods of any of the label classes, with those pods only.
func (j *Judge) nodesWith(list []fwk.NodeInfo, groups ...[]*labelClass) []fwk.NodeInfo {
	j.generation++
	look := j.generation
	for _, group := range groups {
		for _, labelClass := range group {
			if labelClass.visited == look {
				continue
			}
			labelClass.visited = look
			for entry, pods := range labelClass.podsByNode {
				switch {
				case entry.index == absent:
				case entry.visited == look:
					there := list[entry.listIndex].(*filteredNode)
					there.pods = slices.Concat(there.pods, pods)
				default:
					entry.visited, entry.listIndex = look, len(list)
					list = append(list, &filteredNode{entry.info, pods})
				}
			}
		}
	}
	return list
}

// markNodesWith marks the nodes that have pods of any of the label classes, and returns the mark.
func (j *Judge) markNodesWith(groups ...[]*labelClass) (look int) {
	j.generation++
	for _, group := range groups {
		for _, labelClass := range group {
			for entry := range labelClass.podsByNode {
				entry.visited = j.generation
			}
		}
	}
	return j.generation
}

// filterSpread sets the pods that count for the class's spread constraints, and adds the nodes that have some.
func (s *fastFilter) filterSpread(list []fwk.NodeInfo) []fwk.NodeInfo {
	nodes := s.judge.nodes
	for _, entry := range nodes.counting {
		entry.filtered.pods = nil
	}
	nodes.counting = nodes.counting[:0]
	for _, labelClass := range s.class.related.spread {
		for entry, pods := range labelClass.podsByNode {
			if entry.index == absent {
				continue
			}
			if entry.filtered.pods != nil {
				entry.filtered.pods = slices.Concat(entry.filtered.pods, pods)
				continue
			}
			entry.filtered.pods = pods
			nodes.counting = append(nodes.counting, entry)
			list = append(list, &entry.filtered)
		}
	}
	if len(list) == 0 && len(nodes.sorted.filtered) > 0 {
		list = append(list, nodes.sorted.filtered[0]) // the plugin takes an empty list for an empty cluster
	}
	return list
}

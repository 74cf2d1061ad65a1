package scheduling

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// sortedNodes is every node that exists, sorted by name.
type sortedNodes struct {
	entries []*nodeEntry
	infos   []fwk.NodeInfo
	// filtered are the same nodes as plugins that count pods see them.
	filtered []fwk.NodeInfo
}

// filteredNode is a node that lists only those of its pods that count.
type filteredNode struct {
	*framework.NodeInfo
	pods []fwk.PodInfo
}

func (c *filteredNode) GetPods() []fwk.PodInfo                         { return c.pods }
func (c *filteredNode) GetPodsWithAffinity() []fwk.PodInfo             { return c.pods }
func (c *filteredNode) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo { return c.pods }

func (l *sortedNodes) add(s *nodeEntry) {
	at, _ := findEntry(l.entries, s)
	l.entries = slices.Insert(l.entries, at, s)
	l.infos = slices.Insert(l.infos, at, fwk.NodeInfo(s.info))
	l.filtered = slices.Insert(l.filtered, at, fwk.NodeInfo(&s.filtered))
	l.renumber(at)
}

func (l *sortedNodes) drop(s *nodeEntry) {
	at := s.index
	l.entries = slices.Delete(l.entries, at, at+1)
	l.infos = slices.Delete(l.infos, at, at+1)
	l.filtered = slices.Delete(l.filtered, at, at+1)
	s.index = absent
	l.renumber(at)
}

func (l *sortedNodes) renumber(from int) {
	for i := from; i < len(l.entries); i++ {
		l.entries[i].index = i
	}
}

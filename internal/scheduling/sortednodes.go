package scheduling

import (
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
)

// sortedNodes is every node that exists, sorted by name.
type sortedNodes struct {
	entries []*nodeEntry
	infos   []fwk.NodeInfo
}

func (l *sortedNodes) add(s *nodeEntry) {
	at, _ := findEntry(l.entries, s)
	l.entries = slices.Insert(l.entries, at, s)
	l.infos = slices.Insert(l.infos, at, fwk.NodeInfo(s.info))
	l.renumber(at)
}

func (l *sortedNodes) drop(s *nodeEntry) {
	at := s.index
	l.entries = slices.Delete(l.entries, at, at+1)
	l.infos = slices.Delete(l.infos, at, at+1)
	s.index = absent
	l.renumber(at)
}

func (l *sortedNodes) renumber(from int) {
	for i := from; i < len(l.entries); i++ {
		l.entries[i].index = i
	}
}

// findEntry is where an entry is among others sorted by name, or would be.
func findEntry(entries []*nodeEntry, s *nodeEntry) (int, bool) {
	return slices.BinarySearchFunc(entries, s.name, func(other *nodeEntry, name string) int { return strings.Compare(other.name, name) })
}

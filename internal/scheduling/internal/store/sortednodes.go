package store

import (
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
)

// sortedNodes is every node that exists, sorted by name.
type sortedNodes struct {
	Entries []*Node
	Infos   []fwk.NodeInfo
}

func (l *sortedNodes) add(s *Node) {
	at, _ := Find(l.Entries, s)
	l.Entries = slices.Insert(l.Entries, at, s)
	l.Infos = slices.Insert(l.Infos, at, fwk.NodeInfo(s.Info))
	l.renumber(at)
}

func (l *sortedNodes) drop(s *Node) {
	at := s.Index
	l.Entries = slices.Delete(l.Entries, at, at+1)
	l.Infos = slices.Delete(l.Infos, at, at+1)
	s.Index = Absent
	l.renumber(at)
}

func (l *sortedNodes) renumber(from int) {
	for i := from; i < len(l.Entries); i++ {
		l.Entries[i].Index = i
	}
}

// Find is where an entry is among others sorted by name, or would be.
func Find(entries []*Node, s *Node) (int, bool) {
	return slices.BinarySearchFunc(entries, s.Name, func(other *Node, name string) int { return strings.Compare(other.Name, name) })
}

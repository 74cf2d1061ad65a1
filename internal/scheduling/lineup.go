package scheduling

import (
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// lineup is every node that exists, sorted by name.
type lineup struct {
	slots []*slot
	infos []fwk.NodeInfo
	// bare are the same nodes without their pods.
	bare []fwk.NodeInfo
}

// bare is a node without its pods, for plugins that would count them and would not find what they look for.
type bare struct{ *framework.NodeInfo }

func (bare) GetPods() []fwk.PodInfo { return nil }

func (l *lineup) add(s *slot) {
	at, _ := slices.BinarySearchFunc(l.slots, s.name, func(other *slot, name string) int { return strings.Compare(other.name, name) })
	l.slots = slices.Insert(l.slots, at, s)
	l.infos = slices.Insert(l.infos, at, fwk.NodeInfo(s.info))
	l.bare = slices.Insert(l.bare, at, fwk.NodeInfo(&s.bare))
	l.renumber(at)
}

func (l *lineup) drop(s *slot) {
	at := s.here
	l.slots = slices.Delete(l.slots, at, at+1)
	l.infos = slices.Delete(l.infos, at, at+1)
	l.bare = slices.Delete(l.bare, at, at+1)
	s.here = nowhere
	l.renumber(at)
}

func (l *lineup) renumber(from int) {
	for i := from; i < len(l.slots); i++ {
		l.slots[i].here = i
	}
}

package scheduling

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// lineup is every node that exists, sorted by name.
type lineup struct {
	slots []*slot
	infos []fwk.NodeInfo
	// counted are the same nodes as plugins that count pods see them.
	counted []fwk.NodeInfo
}

// counted is a node with those of its pods only that count for whoever is asking.
type counted struct {
	*framework.NodeInfo
	pods []fwk.PodInfo
}

func (c *counted) GetPods() []fwk.PodInfo                         { return c.pods }
func (c *counted) GetPodsWithAffinity() []fwk.PodInfo             { return c.pods }
func (c *counted) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo { return c.pods }

func (l *lineup) add(s *slot) {
	at, _ := find(l.slots, s)
	l.slots = slices.Insert(l.slots, at, s)
	l.infos = slices.Insert(l.infos, at, fwk.NodeInfo(s.info))
	l.counted = slices.Insert(l.counted, at, fwk.NodeInfo(&s.counted))
	l.renumber(at)
}

func (l *lineup) drop(s *slot) {
	at := s.here
	l.slots = slices.Delete(l.slots, at, at+1)
	l.infos = slices.Delete(l.infos, at, at+1)
	l.counted = slices.Delete(l.counted, at, at+1)
	s.here = nowhere
	l.renumber(at)
}

func (l *lineup) renumber(from int) {
	for i := from; i < len(l.slots); i++ {
		l.slots[i].here = i
	}
}

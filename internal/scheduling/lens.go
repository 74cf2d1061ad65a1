package scheduling

import (
	fwk "k8s.io/kube-scheduler/framework"
)

// lens shows a plugin that counts pods only the nodes on which it would find any that count. What it counts is the same
// through the lens and without: the nodes left out would have added nothing.
type lens struct {
	*board
	// worn says that the lists below are shown, and not the board's.
	worn       bool
	list       []fwk.NodeInfo
	affineList []fwk.NodeInfo
	averseList []fwk.NodeInfo
}

// spectacled hands a plugin its lens as the scheduler's snapshot.
type spectacled struct {
	fwk.Handle
	lens *lens
}

func (s spectacled) SnapshotSharedLister() fwk.SharedLister { return s.lens }

func (l *lens) NodeInfos() fwk.NodeInfoLister { return l }

func (l *lens) List() ([]fwk.NodeInfo, error) {
	if l.worn {
		return l.list, nil
	}
	return l.board.List()
}

func (l *lens) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	if l.worn {
		return l.affineList, nil
	}
	return l.board.HavePodsWithAffinityList()
}

func (l *lens) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	if l.worn {
		return l.averseList, nil
	}
	return l.board.HavePodsWithRequiredAntiAffinityList()
}

// focus turns the lenses to what bears on the sweep's class.
func (s *sweep) focus() {
	p, k := s.profile, &s.class.kin
	p.spread.worn, p.affinity.worn = true, true
	p.affinity.list = s.where(p.affinity.list[:0], k.friends, k.affine)
	p.affinity.affineList = s.where(p.affinity.affineList[:0], k.affine)
	p.affinity.averseList = s.where(p.affinity.averseList[:0], k.averse)
	p.spread.list = s.where(p.spread.list[:0], k.spread) // last: its marks stay
	if nodes := s.judge.board.nodes; len(p.spread.list) == 0 && len(nodes.bare) > 0 {
		p.spread.list = append(p.spread.list, nodes.bare[0]) // the plugin takes an empty list for an empty cluster
	}
}

func (p *profile) unfocus() { p.spread.worn, p.affinity.worn = false, false }

// where adds the nodes on which any of the crowds stand, and marks them.
func (s *sweep) where(list []fwk.NodeInfo, groups ...[]*crowd) []fwk.NodeInfo {
	s.judge.looks++
	s.look = s.judge.looks
	for _, group := range groups {
		for _, crowd := range group {
			for slot := range crowd.on {
				if slot.here != nowhere && slot.mark != s.look {
					slot.mark = s.look
					list = append(list, slot.info)
				}
			}
		}
	}
	return list
}

// spreadView is every node, because each may be a domain of its own, with pods only where some count.
func (s *sweep) spreadView() []fwk.NodeInfo {
	nodes := s.judge.board.nodes
	view := append(s.judge.scratch.view[:0], nodes.bare...)
	for _, crowd := range s.class.kin.spread {
		for slot := range crowd.on {
			if slot.here != nowhere {
				view[slot.here] = slot.info
			}
		}
	}
	s.judge.scratch.view = view
	return view
}

// spreadScores asks once for all nodes of a domain on which no pods count: the plugin's Score follows from those pods and
// from the values of the topology keys, of which the host's name tells it only that there is one
// (pkg/scheduler/framework/plugins/podtopologyspread/scoring.go).
func (s *sweep) spreadScores(ask func(fwk.NodeInfo) int64) []int64 {
	domains := s.profile.domains.of(s.profile.topologyKeys(s.pod))
	known := sized(&s.judge.scratch.domains, domains.most(s.judge.board))
	s.judge.looks++ // marks of slots are not touched
	scores := sized(&s.judge.scratch.scores, len(s.feasible))
	for i, slot := range s.feasible {
		if slot.mark == s.look {
			scores[i] = ask(slot.info)
			continue
		}
		k := &known[domains.at(slot)]
		if k.look != s.judge.looks {
			*k = scored{s.judge.looks, ask(&slot.bare)}
		}
		scores[i] = k.score
	}
	return scores
}

package scheduling

import (
	"context"
	"slices"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
)

// lens shows a plugin that counts pods only the nodes on which it would find any that count. What it counts is the same
// through the lens and without: the nodes left out would have added nothing.
type lens struct {
	*board
	// worn says that the lists below are shown, and not the board's.
	worn                 bool
	list, affine, averse []fwk.NodeInfo
}

// spectacled hands a plugin its lens as the scheduler's snapshot.
type spectacled struct {
	fwk.Handle
	lens *lens
}

// Parallelizer is the framework's, but for what is done sooner than other processors are woken.
func (s spectacled) Parallelizer() fwk.Parallelizer { return modest{s.Handle.Parallelizer()} }

type modest struct{ fwk.Parallelizer }

func (m modest) Until(ctx context.Context, pieces int, do workqueue.DoWorkPieceFunc, operation string) {
	const few = 512
	if pieces > few {
		m.Parallelizer.Until(ctx, pieces, do, operation)
		return
	}
	for i := range pieces {
		do(i)
	}
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
		return l.affine, nil
	}
	return l.board.HavePodsWithAffinityList()
}

func (l *lens) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	if l.worn {
		return l.averse, nil
	}
	return l.board.HavePodsWithRequiredAntiAffinityList()
}

// focus turns the lens of InterPodAffinity to what bears on the sweep's class.
func (s *sweep) focus() {
	k, affinity := &s.class.kin, s.profile.affinity
	if s.class.hasCompany() {
		affinity.list, affinity.averse = nil, nil
		affinity.affine = s.judge.gather(affinity.affine[:0], k.affine)
		return
	}
	affinity.list = s.judge.gather(affinity.list[:0], k.friends, k.affine)
	affinity.affine = s.judge.gather(affinity.affine[:0], k.affine)
	affinity.averse = s.judge.gather(affinity.averse[:0], k.averse)
}

// focusSpread does the same for PodTopologySpread, which is not always asked.
func (s *sweep) focusSpread() {
	if !s.counted {
		s.counted = true
		s.profile.spread.list = s.count(s.profile.spread.list[:0])
	}
}

// wear has the plugins see through the lenses until they are taken off.
func (p *profile) wear() (off func()) {
	p.spread.worn, p.affinity.worn = true, true
	return func() { p.spread.worn, p.affinity.worn = false, false }
}

// gather adds the nodes on which any of the crowds stand, with those pods only.
func (j *Judge) gather(list []fwk.NodeInfo, groups ...[]*crowd) []fwk.NodeInfo {
	j.looks++
	look := j.looks
	for _, group := range groups {
		for _, crowd := range group {
			if crowd.mark == look {
				continue
			}
			crowd.mark = look
			for slot, pods := range crowd.on {
				switch {
				case slot.here == nowhere:
				case slot.mark == look:
					there := list[slot.gathered].(*counted)
					there.pods = slices.Concat(there.pods, pods)
				default:
					slot.mark, slot.gathered = look, len(list)
					list = append(list, &counted{slot.info, pods})
				}
			}
		}
	}
	return list
}

// mark marks the nodes on which any of the crowds stand, and returns the mark.
func (j *Judge) mark(groups ...[]*crowd) (look int) {
	j.looks++
	for _, group := range groups {
		for _, crowd := range group {
			for slot := range crowd.on {
				slot.mark = j.looks
			}
		}
	}
	return j.looks
}

// count has the lineup show the pods that count for the class's spread rules, and adds the nodes that have some.
func (s *sweep) count(list []fwk.NodeInfo) []fwk.NodeInfo {
	board := s.judge.board
	for _, slot := range board.counting {
		slot.counted.pods = nil
	}
	board.counting = board.counting[:0]
	for _, crowd := range s.class.kin.spread {
		for slot, pods := range crowd.on {
			if slot.here == nowhere {
				continue
			}
			if slot.counted.pods != nil {
				slot.counted.pods = slices.Concat(slot.counted.pods, pods)
				continue
			}
			slot.counted.pods = pods
			board.counting = append(board.counting, slot)
			list = append(list, &slot.counted)
		}
	}
	if len(list) == 0 && len(board.nodes.counted) > 0 {
		list = append(list, board.nodes.counted[0]) // the plugin takes an empty list for an empty cluster
	}
	return list
}

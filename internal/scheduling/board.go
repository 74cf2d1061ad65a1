package scheduling

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// board is the nodes with their pods, as the scheduler's plugins see them (fwk.SharedLister). A write inside a fork goes to
// a copy of the node's info, made at the first one, so that taking a fork back costs what was changed in it.
type board struct {
	journal *journal
	slots   map[string]*slot
	nodes   lineup
	// The nodes with pods that have affinity, or required anti-affinity, of their own.
	affine, averse roster
	images         imageTable
	nominated      nominator
	news           news
	// setting is another one whenever the set of nodes, or an image on one of them, is another.
	setting version
	// counting are the slots that show pods in the lineup's counted.
	counting []*slot
	// mounts are the nodes as NodeVolumeLimits sees them.
	mounts table[*counted]
	// lowest are the lowest priorities of each node's pods.
	lowest table[int32]
}

// slot is a node's place on the board. Pods may be bound to a node that does not exist (yet): its slot is then not lined up.
type slot struct {
	id      int
	name    string
	hash    hash // of the name
	info    *framework.NodeInfo
	counted counted
	// depth is the number of forks that were open when info was made; it may be written to in those.
	depth int
	// Positions in the lineup and the rosters, nowhere if it is not in one.
	here, affinity, aversion int
	// mark is the last look that saw this slot, gathered where it put it.
	mark, gathered int
}

const nowhere = -1

func newBoard(j *journal) *board {
	return &board{
		journal: j, slots: map[string]*slot{}, images: imageTable{}, setting: version{journal: j},
		affine:    roster{at: func(s *slot) *int { return &s.affinity }},
		averse:    roster{at: func(s *slot) *int { return &s.aversion }},
		nominated: nominator{journal: j, byNode: map[string][]fwk.PodInfo{}},
	}
}

// below are the nodes with a pod of lower priority than that.
func (b *board) below(priority int32) []fwk.NodeInfo {
	b.lowest.fit(len(b.slots))
	var nodes []fwk.NodeInfo
	for _, s := range b.nodes.slots {
		if b.lowest.of(s, func() int32 { return lowest(s.info.Pods) }) < priority {
			nodes = append(nodes, s.info)
		}
	}
	return nodes
}

func lowest(pods []fwk.PodInfo) int32 {
	priority := int32(math.MaxInt32)
	for _, pod := range pods {
		priority = min(priority, corev1helpers.PodPriority(pod.GetPod()))
	}
	return priority
}

// node is the info of a node that exists, nil otherwise.
func (b *board) node(name string) *framework.NodeInfo {
	if s := b.slots[name]; s != nil && s.here != nowhere {
		return s.info
	}
	return nil
}

// put adds a node, in place of the one of its name if there is one.
func (b *board) put(node *corev1.Node) {
	s := b.slot(node.Name)
	before := s.info.Node()
	b.edit(s, func(info *framework.NodeInfo) {
		info.SetNode(node)
		info.ImageStates = b.images.swap(before, node)
	})
	b.journal.did(func() {
		b.images.count(node, -1)
		b.images.count(before, 1)
	})
	b.setting.raise()
	if s.here == nowhere {
		b.lineUp(s)
		b.journal.did(func() { b.strike(s) })
	}
}

// remove takes a node away. Pods bound to it stay so, out of sight.
func (b *board) remove(name string) {
	s := b.slots[name]
	if s == nil || s.here == nowhere {
		return
	}
	before := s.info.Node()
	b.strike(s)
	b.journal.did(func() { b.lineUp(s) })
	b.edit(s, func(info *framework.NodeInfo) {
		info.RemoveNode()
		info.ImageStates = b.images.swap(before, nil)
	})
	b.journal.did(func() { b.images.count(before, 1) })
	b.setting.raise()
}

func (b *board) lineUp(s *slot) {
	b.nodes.add(s)
	b.refresh(s)
}

func (b *board) strike(s *slot) {
	b.nodes.drop(s)
	b.refresh(s)
}

// bind gives a pod its room on a node.
func (b *board) bind(pod *framework.PodInfo, node string) {
	b.edit(b.slot(node), func(info *framework.NodeInfo) { info.AddPodInfo(pod) })
}

// unbind frees a pod's room.
func (b *board) unbind(pod *framework.PodInfo, node string) {
	b.edit(b.slot(node), func(info *framework.NodeInfo) {
		// RemovePod reads the name of every pod before it finds the one.
		if at := slices.Index(info.Pods, fwk.PodInfo(pod)); at > 0 {
			info.Pods[0], info.Pods[at] = info.Pods[at], info.Pods[0]
		}
		_ = info.RemovePod(klog.Logger{}, pod.Pod) // fails only for a pod that is not there
	})
}

func (b *board) slot(name string) *slot {
	s := b.slots[name]
	if s == nil {
		s = &slot{id: len(b.slots), name: name, hash: hashOf(name), info: framework.NewNodeInfo(), here: nowhere, affinity: nowhere, aversion: nowhere}
		b.slots[name] = s
	}
	return s
}

// edit is the only way in which a node's info changes.
func (b *board) edit(s *slot, change func(*framework.NodeInfo)) {
	if now := b.journal.depth(); s.depth < now {
		info, depth := s.info, s.depth
		s.info, s.depth = copyOf(info), now
		b.journal.did(func() {
			s.info, s.depth = info, depth
			b.refresh(s)
		})
	}
	change(s.info)
	b.refresh(s)
}

// refresh shows a node that has changed wherever it belongs, and nowhere else.
func (b *board) refresh(s *slot) {
	s.counted.NodeInfo = s.info
	b.news.add(s)
	listed := s.here != nowhere
	if listed {
		b.nodes.infos[s.here] = s.info
	}
	b.affine.refresh(s, listed && len(s.info.PodsWithAffinity) > 0)
	b.averse.refresh(s, listed && len(s.info.PodsWithRequiredAntiAffinity) > 0)
}

// copyOf copies what AddPodInfo and RemovePod write to. NodeInfo.Snapshot would copy the images too, which are the largest
// part and which only the board changes, and that by replacing them.
func copyOf(info *framework.NodeInfo) *framework.NodeInfo {
	c := *info
	c.Pods = append(make([]fwk.PodInfo, 0, len(info.Pods)+1), info.Pods...) // most often one is added
	c.PodsWithAffinity = slices.Clone(info.PodsWithAffinity)
	c.PodsWithRequiredAntiAffinity = slices.Clone(info.PodsWithRequiredAntiAffinity)
	c.Requested, c.NonZeroRequested = info.Requested.Clone(), info.NonZeroRequested.Clone()
	c.PVCRefCounts = maps.Clone(info.PVCRefCounts)
	c.UsedPorts = make(fwk.HostPortInfo, len(info.UsedPorts))
	for ip, ports := range info.UsedPorts {
		c.UsedPorts[ip] = maps.Clone(ports)
	}
	return &c
}

var _ fwk.SharedLister = &board{}

func (b *board) NodeInfos() fwk.NodeInfoLister                     { return b }
func (b *board) StorageInfos() fwk.StorageInfoLister               { return b }
func (*board) PodGroupStates() fwk.PodGroupStateLister             { return noPodGroups{} }
func (b *board) List() ([]fwk.NodeInfo, error)                     { return b.nodes.infos, nil }
func (b *board) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return b.affine.infos, nil }
func (b *board) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return b.averse.infos, nil
}

func (b *board) Get(name string) (fwk.NodeInfo, error) {
	if info := b.node(name); info != nil {
		return info, nil
	}
	return nil, fmt.Errorf("node %q does not exist", name)
}

func (b *board) IsPVCUsedByPods(key string) bool {
	return slices.ContainsFunc(b.nodes.infos, func(n fwk.NodeInfo) bool { return n.GetPVCRefCounts()[key] > 0 })
}

// noPodGroups stands for a feature that is off by default in 1.36 (GenericWorkload).
type noPodGroups struct{}

func (noPodGroups) Get(string, string) (fwk.PodGroupState, error) {
	return nil, errors.New("pod groups are not modelled")
}

package scheduling

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// nodeStore is the nodes with their pods, as the scheduler's plugins see them (fwk.SharedLister). A write inside a fork goes to
// a copy of the node's info, made at the first one, so that reverting a fork costs what was changed in it.
type nodeStore struct {
	journal *journal
	byName  map[string]*nodeEntry
	sorted  sortedNodes
	// The nodes with pods that have affinity, or required anti-affinity, of their own.
	withAffinity, withAntiAffinity nodeList
	images                         imageTable
	nominated                      nominator
	changes                        changeLog
	// imagesVersion is raised whenever the set of nodes, or an image on one of them, changes.
	imagesVersion version
}

// nodeEntry is a node's entry in the store. Pods may be bound to a node that does not exist (yet): its entry is then not listed.
type nodeEntry struct {
	id   int
	name string
	hash hash // of the name
	info *framework.NodeInfo
	// depth is the number of forks that were open when info was made; it may be written to in those.
	depth int
	// Positions in sorted, withAffinity and withAntiAffinity, absent if it is not in one.
	index, affinityIndex, antiAffinityIndex int
	// visited is the generation in which this entry was last visited, listIndex where that pass put it.
	visited, listIndex int
}

const absent = -1

func newNodeStore(j *journal) *nodeStore {
	return &nodeStore{
		journal: j, byName: map[string]*nodeEntry{}, images: imageTable{}, imagesVersion: version{journal: j},
		withAffinity:     nodeList{indexOf: func(s *nodeEntry) *int { return &s.affinityIndex }},
		withAntiAffinity: nodeList{indexOf: func(s *nodeEntry) *int { return &s.antiAffinityIndex }},
		nominated:        nominator{journal: j, byNode: map[string][]fwk.PodInfo{}},
	}
}

// node is the info of a node that exists, nil otherwise.
func (b *nodeStore) node(name string) *framework.NodeInfo {
	if s := b.existing(name); s != nil {
		return s.info
	}
	return nil
}

// existing is the entry of a node that exists, nil otherwise.
func (b *nodeStore) existing(name string) *nodeEntry {
	if s := b.byName[name]; s != nil && s.index != absent {
		return s
	}
	return nil
}

// put adds a node, in place of the one of its name if there is one.
func (b *nodeStore) put(node *corev1.Node) {
	s := b.entry(node.Name)
	before := s.info.Node()
	b.edit(s, func(info *framework.NodeInfo) {
		info.SetNode(node)
		info.ImageStates = b.images.swap(before, node)
	})
	b.journal.did(func() {
		b.images.count(node, -1)
		b.images.count(before, 1)
	})
	b.imagesVersion.raise()
	if s.index == absent {
		b.list(s)
		b.journal.did(func() { b.unlist(s) })
	}
}

// remove takes a node away. Pods bound to it stay bound, and are not listed.
func (b *nodeStore) remove(name string) {
	s := b.byName[name]
	if s == nil || s.index == absent {
		return
	}
	before := s.info.Node()
	b.unlist(s)
	b.journal.did(func() { b.list(s) })
	b.edit(s, func(info *framework.NodeInfo) {
		info.RemoveNode()
		info.ImageStates = b.images.swap(before, nil)
	})
	b.journal.did(func() { b.images.count(before, 1) })
	b.imagesVersion.raise()
}

func (b *nodeStore) list(s *nodeEntry) {
	b.sorted.add(s)
	b.refresh(s)
}

func (b *nodeStore) unlist(s *nodeEntry) {
	b.sorted.drop(s)
	b.refresh(s)
}

// bind adds a pod to a node.
func (b *nodeStore) bind(pod *framework.PodInfo, node string) {
	b.edit(b.entry(node), func(info *framework.NodeInfo) { info.AddPodInfo(pod) })
}

// unbind removes a pod from a node.
func (b *nodeStore) unbind(pod *framework.PodInfo, node string) {
	b.edit(b.entry(node), func(info *framework.NodeInfo) {
		// RemovePod reads the name of every pod before it finds the one.
		if at := slices.Index(info.Pods, fwk.PodInfo(pod)); at > 0 {
			info.Pods[0], info.Pods[at] = info.Pods[at], info.Pods[0]
		}
		_ = info.RemovePod(klog.Logger{}, pod.Pod) // fails only for a pod that is not there
	})
}

func (b *nodeStore) entry(name string) *nodeEntry {
	s := b.byName[name]
	if s == nil {
		s = &nodeEntry{id: len(b.byName), name: name, hash: hashOf(name), info: framework.NewNodeInfo(), index: absent, affinityIndex: absent, antiAffinityIndex: absent}
		b.byName[name] = s
	}
	return s
}

// edit is the only way in which a node's info changes.
func (b *nodeStore) edit(s *nodeEntry, change func(*framework.NodeInfo)) {
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

// refresh updates all lists after a node has changed.
func (b *nodeStore) refresh(s *nodeEntry) {
	b.changes.add(s)
	listed := s.index != absent
	if listed {
		b.sorted.infos[s.index] = s.info
	}
	b.withAffinity.refresh(s, listed && len(s.info.PodsWithAffinity) > 0)
	b.withAntiAffinity.refresh(s, listed && len(s.info.PodsWithRequiredAntiAffinity) > 0)
}

func infosOf(entries []*nodeEntry) []fwk.NodeInfo {
	infos := make([]fwk.NodeInfo, len(entries))
	for i, entry := range entries {
		infos[i] = entry.info
	}
	return infos
}

// copyOf copies what AddPodInfo and RemovePod write to. NodeInfo.Snapshot would copy the images too, which are the largest
// part and which only the node store replaces.
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

var _ fwk.SharedLister = &nodeStore{}

func (b *nodeStore) NodeInfos() fwk.NodeInfoLister         { return b }
func (b *nodeStore) StorageInfos() fwk.StorageInfoLister   { return b }
func (*nodeStore) PodGroupStates() fwk.PodGroupStateLister { return noPodGroups{} }
func (b *nodeStore) List() ([]fwk.NodeInfo, error)         { return b.sorted.infos, nil }
func (b *nodeStore) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return b.withAffinity.infos, nil
}

func (b *nodeStore) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return b.withAntiAffinity.infos, nil
}

func (b *nodeStore) Get(name string) (fwk.NodeInfo, error) {
	if info := b.node(name); info != nil {
		return info, nil
	}
	return nil, fmt.Errorf("node %q does not exist", name)
}

func (b *nodeStore) IsPVCUsedByPods(key string) bool {
	return slices.ContainsFunc(b.sorted.infos, func(n fwk.NodeInfo) bool { return n.GetPVCRefCounts()[key] > 0 })
}

// noPodGroups stands for a feature that is off by default in 1.36 (GenericWorkload).
type noPodGroups struct{}

func (noPodGroups) Get(string, string) (fwk.PodGroupState, error) {
	return nil, errors.New("pod groups are not modelled")
}

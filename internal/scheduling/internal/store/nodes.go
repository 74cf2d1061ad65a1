package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/hash"
)

// Nodes is the nodes with their pods, as the scheduler's plugins see them (fwk.SharedLister). A write inside a fork goes to
// a copy of the node's info, made at the first one, so that reverting a fork costs what was changed in it.
type Nodes struct {
	journal *journal
	ByName  map[string]*Node
	Sorted  sortedNodes
	// The nodes with pods that have affinity, or required anti-affinity, of their own.
	withAffinity, withAntiAffinity nodeList
	Images                         imageTable
	Nominated                      nominator
	Changes                        changeLog
	// ImagesVersion is raised whenever the set of nodes, or an image on one of them, changes.
	ImagesVersion Version
}

// Node is a node's entry in the store. Pods may be bound to a node that does not exist (yet): its entry is then not listed.
type Node struct {
	ID   int
	Name string
	Hash hash.Hash // of the name
	Info *framework.NodeInfo
	// depth is the number of forks that were open when info was made; it may be written to in those.
	depth int
	// Positions in Sorted, withAffinity and withAntiAffinity, Absent if it is not in one.
	Index, affinityIndex, antiAffinityIndex int
	// Visited is the generation in which package fast last visited this entry, ListIndex where that pass put it.
	Visited, ListIndex int
}

// Absent is the Index of a node that does not exist.
const Absent = -1

func newNodes(j *journal) *Nodes {
	return &Nodes{
		journal: j, ByName: map[string]*Node{}, Images: imageTable{}, ImagesVersion: Version{journal: j},
		withAffinity:     nodeList{indexOf: func(s *Node) *int { return &s.affinityIndex }},
		withAntiAffinity: nodeList{indexOf: func(s *Node) *int { return &s.antiAffinityIndex }},
		Nominated:        nominator{journal: j, ByNode: map[string][]fwk.PodInfo{}},
	}
}

// Node is the info of a node that exists, nil otherwise.
func (b *Nodes) Node(name string) *framework.NodeInfo {
	if s := b.Existing(name); s != nil {
		return s.Info
	}
	return nil
}

// Existing is the entry of a node that exists, nil otherwise.
func (b *Nodes) Existing(name string) *Node {
	if s := b.ByName[name]; s != nil && s.Index != Absent {
		return s
	}
	return nil
}

// put adds a node, in place of the one of its name if there is one.
func (b *Nodes) put(node *corev1.Node) {
	s := b.entry(node.Name)
	before := s.Info.Node()
	b.edit(s, func(info *framework.NodeInfo) {
		info.SetNode(node)
		info.ImageStates = b.Images.swap(before, node)
	})
	b.journal.did(func() {
		b.Images.count(node, -1)
		b.Images.count(before, 1)
	})
	b.ImagesVersion.raise()
	if s.Index == Absent {
		b.list(s)
		b.journal.did(func() { b.unlist(s) })
	}
}

// remove takes a node away. Pods bound to it stay bound, and are not listed.
func (b *Nodes) remove(name string) {
	s := b.ByName[name]
	if s == nil || s.Index == Absent {
		return
	}
	before := s.Info.Node()
	b.unlist(s)
	b.journal.did(func() { b.list(s) })
	b.edit(s, func(info *framework.NodeInfo) {
		info.RemoveNode()
		info.ImageStates = b.Images.swap(before, nil)
	})
	b.journal.did(func() { b.Images.count(before, 1) })
	b.ImagesVersion.raise()
}

func (b *Nodes) list(s *Node) {
	b.Sorted.add(s)
	b.refresh(s)
}

func (b *Nodes) unlist(s *Node) {
	b.Sorted.drop(s)
	b.refresh(s)
}

// bind adds a pod to a node.
func (b *Nodes) bind(pod *framework.PodInfo, node string) {
	b.edit(b.entry(node), func(info *framework.NodeInfo) { info.AddPodInfo(pod) })
}

// unbind removes a pod from a node.
func (b *Nodes) unbind(pod *framework.PodInfo, node string) {
	b.edit(b.entry(node), func(info *framework.NodeInfo) {
		// RemovePod reads the name of every pod before it finds the one.
		if at := slices.Index(info.Pods, fwk.PodInfo(pod)); at > 0 {
			info.Pods[0], info.Pods[at] = info.Pods[at], info.Pods[0]
		}
		_ = info.RemovePod(klog.Logger{}, pod.Pod) // fails only for a pod that is not there
		restoreHostPorts(info, pod.Pod)
	})
}

// restoreHostPorts marks the host ports of a removed pod as used again that other pods of the node have as well, which is possible for
// pods with spec.nodeName: a NodeInfo has each port once, and RemovePod frees it.
func restoreHostPorts(info *framework.NodeInfo, removed *corev1.Pod) {
	if len(util.GetHostPorts(removed)) == 0 {
		return
	}
	for _, other := range info.Pods {
		for _, port := range util.GetHostPorts(other.GetPod()) {
			info.UsedPorts.Add(port.HostIP, string(port.Protocol), port.HostPort)
		}
	}
}

func (b *Nodes) entry(name string) *Node {
	s := b.ByName[name]
	if s == nil {
		s = &Node{ID: len(b.ByName), Name: name, Hash: hash.Of(name), Info: framework.NewNodeInfo(), Index: Absent, affinityIndex: Absent, antiAffinityIndex: Absent}
		b.ByName[name] = s
	}
	return s
}

// edit is the only way in which a node's info changes.
func (b *Nodes) edit(s *Node, change func(*framework.NodeInfo)) {
	if now := b.journal.depth(); s.depth < now {
		info, depth := s.Info, s.depth
		s.Info, s.depth = copyOf(info), now
		b.journal.did(func() {
			s.Info, s.depth = info, depth
			b.refresh(s)
		})
	}
	change(s.Info)
	b.refresh(s)
}

// refresh updates all lists after a node has changed.
func (b *Nodes) refresh(s *Node) {
	b.Changes.add(s)
	listed := s.Index != Absent
	if listed {
		b.Sorted.Infos[s.Index] = s.Info
	}
	b.withAffinity.refresh(s, listed && len(s.Info.PodsWithAffinity) > 0)
	b.withAntiAffinity.refresh(s, listed && len(s.Info.PodsWithRequiredAntiAffinity) > 0)
}

// InfosOf are the nodes as plugins see them.
func InfosOf(entries []*Node) []fwk.NodeInfo {
	infos := make([]fwk.NodeInfo, len(entries))
	for i, entry := range entries {
		infos[i] = entry.Info
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

var _ fwk.SharedLister = &Nodes{}

// NodeInfos lists the nodes.
func (b *Nodes) NodeInfos() fwk.NodeInfoLister { return b }

// StorageInfos tells of claims in use.
func (b *Nodes) StorageInfos() fwk.StorageInfoLister { return b }

// PodGroupStates has none.
func (*Nodes) PodGroupStates() fwk.PodGroupStateLister { return noPodGroups{} }

// List is every node that exists.
func (b *Nodes) List() ([]fwk.NodeInfo, error) { return b.Sorted.Infos, nil }

// HavePodsWithAffinityList is the nodes with pods that have affinity.
func (b *Nodes) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return b.withAffinity.infos, nil
}

// HavePodsWithRequiredAntiAffinityList is the nodes with pods that have required anti-affinity.
func (b *Nodes) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return b.withAntiAffinity.infos, nil
}

// Get is a node that exists; the error says that it does not.
func (b *Nodes) Get(name string) (fwk.NodeInfo, error) {
	if info := b.Node(name); info != nil {
		return info, nil
	}
	return nil, fmt.Errorf("node %q does not exist", name)
}

// IsPVCUsedByPods says whether a pod on a node mounts the claim of that namespace and name.
func (b *Nodes) IsPVCUsedByPods(key string) bool {
	return slices.ContainsFunc(b.Sorted.Infos, func(n fwk.NodeInfo) bool { return n.GetPVCRefCounts()[key] > 0 })
}

// noPodGroups stands for a feature that is off by default in 1.36 (GenericWorkload).
type noPodGroups struct{}

func (noPodGroups) Get(string, string) (fwk.PodGroupState, error) {
	return nil, errors.New("pod groups are not modelled")
}

package clusterautoscaler

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// snapshot is a set of nodes with their pods, as the scheduler's plugins see one. Changing a fork does not change its origin:
// node infos are copied on write.
type snapshot struct {
	nodes []fwk.NodeInfo
	at    map[string]int
}

// newSnapshot places each pod on the node that it is bound to, or that it has preempted room on. Pods of nodes that do not
// exist are left out.
func newSnapshot(nodes []*corev1.Node, pods []*corev1.Pod) *snapshot {
	s := &snapshot{at: map[string]int{}}
	for _, n := range nodes {
		s.add(newNodeInfo(n))
	}
	for _, p := range pods {
		if i, ok := s.at[nodeOf(p)]; ok {
			addPod(s.nodes[i], p)
		}
	}
	return s
}

func newNodeInfo(n *corev1.Node, pods ...*corev1.Pod) *framework.NodeInfo {
	info := framework.NewNodeInfo(pods...)
	info.SetNode(n)
	return info
}

func addPod(info fwk.NodeInfo, p *corev1.Pod) {
	if podInfo, err := framework.NewPodInfo(p); err == nil { // the API server refuses the selectors that are an error here
		info.AddPodInfo(podInfo)
	}
}

func (s *snapshot) fork() *snapshot {
	return &snapshot{nodes: slices.Clone(s.nodes), at: maps.Clone(s.at)}
}

func (s *snapshot) add(info fwk.NodeInfo) {
	s.at[info.Node().Name] = len(s.nodes)
	s.nodes = append(s.nodes, info)
}

func (s *snapshot) remove(node string) {
	i, ok := s.at[node]
	if !ok {
		return
	}
	s.nodes = slices.Delete(slices.Clone(s.nodes), i, i+1)
	s.at = map[string]int{}
	for i, n := range s.nodes {
		s.at[n.Node().Name] = i
	}
}

func (s *snapshot) place(p *corev1.Pod, node string) {
	i := s.at[node]
	s.nodes[i] = s.nodes[i].Snapshot()
	placed := *p
	placed.Spec.NodeName = node
	addPod(s.nodes[i], &placed)
}

// replace puts another node info in the place of the one with the same name.
func (s *snapshot) replace(info fwk.NodeInfo) { s.nodes[s.at[info.Node().Name]] = info }

func (s *snapshot) pods(node string) []*corev1.Pod {
	i, ok := s.at[node]
	if !ok {
		return nil
	}
	var pods []*corev1.Pod
	for _, p := range s.nodes[i].GetPods() {
		pods = append(pods, p.GetPod())
	}
	return pods
}

// sharedLister shows the framework whichever snapshot is being judged.
type sharedLister struct{ *snapshot }

var _ fwk.SharedLister = &sharedLister{}

func (l *sharedLister) NodeInfos() fwk.NodeInfoLister         { return l }
func (l *sharedLister) StorageInfos() fwk.StorageInfoLister   { return l }
func (*sharedLister) PodGroupStates() fwk.PodGroupStateLister { return noPodGroups{} }

func (l *sharedLister) List() ([]fwk.NodeInfo, error) { return l.nodes, nil }

func (l *sharedLister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return l.having(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithAffinity()) > 0 }), nil
}

func (l *sharedLister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.having(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredAntiAffinity()) > 0 }), nil
}

func (l *sharedLister) having(trait func(fwk.NodeInfo) bool) []fwk.NodeInfo {
	var nodes []fwk.NodeInfo
	for _, n := range l.nodes {
		if trait(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (l *sharedLister) Get(name string) (fwk.NodeInfo, error) {
	i, ok := l.at[name]
	if !ok {
		return nil, fmt.Errorf("node %q is not in the snapshot", name)
	}
	return l.nodes[i], nil
}

func (l *sharedLister) IsPVCUsedByPods(key string) bool {
	return slices.ContainsFunc(l.nodes, func(n fwk.NodeInfo) bool { return n.GetPVCRefCounts()[key] > 0 })
}

type noPodGroups struct{}

func (noPodGroups) Get(string, string) (fwk.PodGroupState, error) {
	return nil, errors.New("pod groups are not modelled")
}

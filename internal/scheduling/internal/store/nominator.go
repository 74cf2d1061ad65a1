package store

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// nominator holds the pods that are nominated to a node and wait for their victims to end. Other pods of lower priority do not get
// their place (RunFilterPluginsWithNominatedPods in pkg/scheduler/framework/runtime).
type nominator struct {
	journal *journal
	ByNode  map[string][]fwk.PodInfo
	Pods    int
}

var _ fwk.PodNominator = &nominator{}

func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo { return n.ByNode[node] }

func (n *nominator) add(pod fwk.PodInfo, node string) {
	n.set(node, append(slices.Clone(n.ByNode[node]), pod))
}

func (n *nominator) remove(pod *corev1.Pod, node string) {
	n.set(node, slices.DeleteFunc(slices.Clone(n.ByNode[node]), func(p fwk.PodInfo) bool { return p.GetPod().UID == pod.UID }))
}

func (n *nominator) set(node string, pods []fwk.PodInfo) {
	before := n.ByNode[node]
	put := func(pods []fwk.PodInfo) {
		n.Pods += len(pods) - len(n.ByNode[node])
		n.ByNode[node] = pods
	}
	put(pods)
	n.journal.did(func() { put(before) })
}

// The scheduler's queue would call these. naosu has none: nominations come by edits.

func (*nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (*nominator) DeleteNominatedPodIfExists(*corev1.Pod)                        {}
func (*nominator) UpdateNominatedPod(klog.Logger, *corev1.Pod, fwk.PodInfo)      {}

package fast

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// nodeView returns how a plugin is given a node. NodeVolumeLimits looks up the volumes of every pod of the node, which is most of its work; it is
// given only the pods with volumes that count.
func (f *Scheduler) nodeView(plugin fwk.FilterPlugin) func(*store.Node) fwk.NodeInfo {
	if plugin.Name() != names.NodeVolumeLimits {
		return func(s *store.Node) fwk.NodeInfo { return s.Info }
	}
	f.mounts.fit(len(f.store.Nodes.ByName))
	return func(s *store.Node) fwk.NodeInfo { return f.mountingPodsOf(s) }
}

func (f *Scheduler) mountingPodsOf(s *store.Node) *filteredNode {
	return f.mounts.of(s, func() *filteredNode { return &filteredNode{s.Info, podsWithVolumes(s.Info.Pods)} })
}

// podsWithVolumes are the pods with volumes other than those that the kubelet makes on the node.
func podsWithVolumes(pods []fwk.PodInfo) []fwk.PodInfo {
	var some []fwk.PodInfo
	for _, pod := range pods {
		volumes := pod.GetPod().Spec.Volumes
		for i := range volumes {
			if !isNodeLocal(&volumes[i]) {
				some = append(some, pod)
				break
			}
		}
	}
	return slices.Clip(some)
}

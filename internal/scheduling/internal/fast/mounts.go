package fast

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// mounting is a node as a plugin sees it. NodeVolumeLimits looks up the volumes of every pod of the node; those of pods
// that have none but of their own do not count, and looking them up is most of its work.
func (f *Scheduler) mounting(plugin fwk.FilterPlugin) func(*store.Node) fwk.NodeInfo {
	if plugin.Name() != names.NodeVolumeLimits {
		return func(s *store.Node) fwk.NodeInfo { return s.Info }
	}
	f.mounts.fit(len(f.store.Nodes.ByName))
	return func(s *store.Node) fwk.NodeInfo { return f.mounted(s) }
}

func (f *Scheduler) mounted(s *store.Node) *filteredNode {
	return f.mounts.of(s, func() *filteredNode { return &filteredNode{s.Info, mounters(s.Info.Pods)} })
}

func mounters(pods []fwk.PodInfo) []fwk.PodInfo {
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

package scheduling

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// mounting is a node as a plugin sees it. NodeVolumeLimits looks up the volumes of every pod of the node; those of pods
// that have none but of their own do not count, and looking them up is most of its work.
func (f *fastScheduler) mounting(plugin fwk.FilterPlugin) func(*nodeEntry) fwk.NodeInfo {
	if plugin.Name() != names.NodeVolumeLimits {
		return func(s *nodeEntry) fwk.NodeInfo { return s.info }
	}
	f.mounts.fit(len(f.store.nodes.byName))
	return func(s *nodeEntry) fwk.NodeInfo { return f.mounted(s) }
}

func (f *fastScheduler) mounted(s *nodeEntry) *filteredNode {
	return f.mounts.of(s, func() *filteredNode { return &filteredNode{s.info, mounters(s.info.Pods)} })
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

package scheduling

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// mounting is a node as a plugin sees it. NodeVolumeLimits looks up the volumes of every pod of the node; those of pods
// that have none but of their own do not count, and looking them up is most of its work.
func (j *Judge) mounting(plugin fwk.FilterPlugin) func(*slot) fwk.NodeInfo {
	if plugin.Name() != names.NodeVolumeLimits {
		return func(s *slot) fwk.NodeInfo { return s.info }
	}
	j.board.mounts.fit(len(j.board.slots))
	return func(s *slot) fwk.NodeInfo { return j.board.mounted(s) }
}

func (b *board) mounted(s *slot) *counted {
	return b.mounts.of(s, func() *counted { return &counted{s.info, mounters(s.info.Pods)} })
}

func mounters(pods []fwk.PodInfo) []fwk.PodInfo {
	var some []fwk.PodInfo
	for _, pod := range pods {
		volumes := pod.GetPod().Spec.Volumes
		for i := range volumes {
			if !own(&volumes[i]) {
				some = append(some, pod)
				break
			}
		}
	}
	return slices.Clip(some)
}

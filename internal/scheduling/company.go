package scheduling

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// company is what InterPodAffinity has counted for a class with required rules of its own. It stays from one pod to the next,
// and the plugin hears only of the pods that have come or left since, as it does in preemption.
type company struct {
	counts fwk.StateData
	heard  map[*crowd]map[*slot]heard
}

// heard is what the plugin has heard of the pods of a crowd on a node.
type heard struct {
	node *corev1.Node
	pods []fwk.PodInfo
}

// hasCompany says that a class is one whose company is kept. Preferences are counted anew for each pod, by PreScore.
func (c *class) hasCompany() bool {
	i := c.info
	return len(i.RequiredAffinityTerms)+len(i.RequiredAntiAffinityTerms) > 0 &&
		len(i.PreferredAffinityTerms)+len(i.PreferredAntiAffinityTerms) == 0
}

// keepCompany does what the plugin's PreFilter would, seeing every pod that bears on the class.
func (s *sweep) keepCompany(ctx context.Context, plugin fwk.PreFilterPlugin) *fwk.Status {
	const counts = "PreFilter" + names.InterPodAffinity
	its := &s.class.kin.company
	if its.counts == nil {
		if _, status := plugin.PreFilter(ctx, s.state, s.pod, nil); !status.IsSuccess() {
			return status
		}
		noted, err := s.state.Read(counts)
		if err != nil {
			return fwk.AsStatus(err)
		}
		its.counts, its.heard = noted, map[*crowd]map[*slot]heard{}
	}
	s.state.Write(counts, its.counts)
	for _, group := range [][]*crowd{s.class.kin.friends, s.class.kin.averse} {
		for _, crowd := range group {
			if status := s.tell(ctx, plugin.PreFilterExtensions(), crowd); !status.IsSuccess() {
				its.counts = nil // to begin anew
				return status
			}
		}
	}
	return nil
}

// tell tells the plugin who of a crowd has left since the last time, and who has come.
func (s *sweep) tell(ctx context.Context, plugin fwk.PreFilterExtensions, crowd *crowd) *fwk.Status {
	known := s.class.kin.company.heard[crowd]
	if known == nil {
		known = map[*slot]heard{}
		s.class.kin.company.heard[crowd] = known
	}
	for slot, was := range known {
		if slot.here != nowhere && slot.info.Node() == was.node && slices.Equal(crowd.on[slot], was.pods) {
			continue
		}
		delete(known, slot)
		node := framework.NewNodeInfo()
		node.SetNode(was.node)
		for _, pod := range was.pods {
			if status := plugin.RemovePod(ctx, s.state, s.pod, pod, node); !status.IsSuccess() {
				return status
			}
		}
	}
	for slot, pods := range crowd.on {
		if _, is := known[slot]; is || slot.here == nowhere {
			continue
		}
		known[slot] = heard{slot.info.Node(), pods}
		for _, pod := range pods {
			if status := plugin.AddPod(ctx, s.state, s.pod, pod, slot.info); !status.IsSuccess() {
				return status
			}
		}
	}
	return nil
}

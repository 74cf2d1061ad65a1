package fast

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// affinityCache is the state that InterPodAffinity's PreFilter computes for a class with required terms of its own. It is kept from
// one pod to the next: the plugin is told only of the pods that were added or removed since, as it is in preemption.
type affinityCache struct {
	counts  fwk.StateData
	counted map[*store.LabelClass]map[*store.Node]countedPods
}

// countedPods are the pods of a label class on a node that the plugin has counted.
type countedPods struct {
	node *corev1.Node
	pods []fwk.PodInfo
}

// cachesAffinity says whether a class has an affinityCache. Preferred terms are counted anew for each pod, by PreScore.
func (c *class) cachesAffinity() bool {
	i := c.info
	return len(i.RequiredAffinityTerms)+len(i.RequiredAntiAffinityTerms) > 0 &&
		len(i.PreferredAffinityTerms)+len(i.PreferredAntiAffinityTerms) == 0
}

// preFilterAffinity does what the plugin's PreFilter would, given every pod related to the class.
func (s *filter) preFilterAffinity(ctx context.Context, plugin fwk.PreFilterPlugin) *fwk.Status {
	const counts = "PreFilter" + names.InterPodAffinity
	its := &s.class.related.affinity
	if its.counts == nil {
		if _, status := plugin.PreFilter(ctx, s.state, s.pod, nil); !status.IsSuccess() {
			return status
		}
		noted, err := s.state.Read(counts)
		if err != nil {
			return fwk.AsStatus(err)
		}
		its.counts, its.counted = noted, map[*store.LabelClass]map[*store.Node]countedPods{}
	}
	s.state.Write(counts, its.counts)
	for _, group := range [][]*store.LabelClass{s.class.related.matchedByOwn, s.class.related.antiAffinityMatches} {
		for _, labelClass := range group {
			if status := s.updateAffinityCounts(ctx, plugin.PreFilterExtensions(), labelClass); !status.IsSuccess() {
				its.counts = nil // so that it is computed anew
				return status
			}
		}
	}
	return nil
}

// updateAffinityCounts tells the plugin which pods of a label class were removed since the last time, and which were added.
func (s *filter) updateAffinityCounts(ctx context.Context, plugin fwk.PreFilterExtensions, labelClass *store.LabelClass) *fwk.Status {
	known := s.class.related.affinity.counted[labelClass]
	if known == nil {
		known = map[*store.Node]countedPods{}
		s.class.related.affinity.counted[labelClass] = known
	}
	for entry, was := range known {
		if entry.Index != store.Absent && entry.Info.Node() == was.node && slices.Equal(labelClass.PodsByNode[entry], was.pods) {
			continue
		}
		delete(known, entry)
		node := framework.NewNodeInfo()
		node.SetNode(was.node)
		for _, pod := range was.pods {
			if status := plugin.RemovePod(ctx, s.state, s.pod, pod, node); !status.IsSuccess() {
				return status
			}
		}
	}
	for entry, pods := range labelClass.PodsByNode {
		if _, is := known[entry]; is || entry.Index == store.Absent {
			continue
		}
		known[entry] = countedPods{entry.Info.Node(), pods}
		for _, pod := range pods {
			if status := plugin.AddPod(ctx, s.state, s.pod, pod, entry.Info); !status.IsSuccess() {
				return status
			}
		}
	}
	return nil
}

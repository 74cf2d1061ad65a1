package unschedulable

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// isOptional reports whether a resource is one that not every node has: huge pages, or an extended resource, such as devices.
func isOptional(name corev1.ResourceName) bool {
	return isHugePages(name) || strings.Contains(string(name), "/")
}

func isHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// explainNotOffered explains an optional resource that none of the nodes has which are too small for the pod: nodes that have it are
// excluded for another reason, their devices are not healthy, or no node offers it.
//
// Source: pkg/kubelet/cm/devicemanager/manager.go, GetCapacity: unhealthy devices, and those of a plugin that stopped less than five
// minutes ago, are in a node's capacity and not in its allocatable resources.
func (a *explanation) explainNotOffered(name corev1.ResourceName) {
	offering := a.nodesWith(name, func(n *corev1.Node) corev1.ResourceList { return n.Status.Allocatable })
	unhealthy := a.nodesWith(name, func(n *corev1.Node) corev1.ResourceList { return n.Status.Capacity })
	said := sentence.CauseOfferedNowhere(string(name))
	evidence := facts.RequestEvidence(facts.RefTo(cluster.Pod, a.representative), "spec", &a.representative.Spec, name)
	switch {
	case len(offering) > 0:
		said = sentence.CauseOfferedElsewhere(string(name), a.Enumerate(query.NodeRefs(offering)))
	case isHugePages(name):
		said = sentence.CauseNoHugePages(string(name))
	case len(unhealthy) > 0:
		said = sentence.CauseUnhealthyDevices(a.Enumerate(query.NodeRefs(unhealthy)), len(unhealthy), string(name))
		for _, node := range unhealthy[:min(len(unhealthy), query.MaxListed)] {
			devices := node.Status.Capacity[name]
			evidence = append(evidence, facts.Evidence(facts.RefTo(cluster.Node, node), "status.capacity["+string(name)+"]", devices.String()))
		}
	}
	a.addCause(said, evidence...)
}

// nodesWith are the nodes that have some of a resource.
func (a *explanation) nodesWith(name corev1.ResourceName, amounts func(*corev1.Node) corev1.ResourceList) []*corev1.Node {
	return slices.DeleteFunc(slices.Clone(a.World.Nodes()), func(n *corev1.Node) bool { q := amounts(n)[name]; return q.IsZero() })
}

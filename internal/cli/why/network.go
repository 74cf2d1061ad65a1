package why

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/kube"
)

// needsNetwork says whether what the cloud tells of the network is needed: a pod that the question may be about waits for an address, or its replacement
// may have to.
func (o *Options) needsNetwork(in input.Input) bool { return o.waitsForAddress(in) || o.losesNode(in) }

// losesNode says whether a node that the question may be about is not ready, where the VPC CNI gives pods their addresses.
func (o *Options) losesNode(in input.Input) bool {
	return input.UsesVPCCNI(in) && slices.ContainsFunc(in.World.Nodes(), func(node *corev1.Node) bool {
		if kube.IsNodeReady(node) {
			return false
		}
		if cluster.Kind(o.subject.Kind) == cluster.Node {
			return node.Name == o.subject.Name
		}
		return slices.ContainsFunc(in.World.PodsOn(node.Name), func(pod *corev1.Pod) bool { return o.mayAsk(in, pod) })
	})
}

// waitsForAddress says whether a pod that the question may be about waits for an address.
func (o *Options) waitsForAddress(in input.Input) bool {
	q := query.Query{World: in.World}
	return slices.ContainsFunc(in.World.Pods(), func(pod *corev1.Pod) bool { return o.mayAsk(in, pod) && status.WaitsForAddress(q, pod) != nil })
}

// lacksNodes says whether such a pod lacks nodes in the zone of its volume: then, what the cloud tells of node groups is needed.
func (o *Options) lacksNodes(in input.Input) bool {
	return slices.ContainsFunc(in.World.Pods(), func(pod *corev1.Pod) bool { return o.mayAsk(in, pod) && facts.LacksNodes(in.World, pod) })
}

// mayAsk says whether the question may be about a pod: about any of its namespace, unless it is about another pod or a node.
func (o *Options) mayAsk(in input.Input, pod *corev1.Pod) bool {
	switch cluster.Kind(o.subject.Kind) {
	case cluster.Pod:
		return pod.Name == o.subject.Name
	case cluster.Node:
		return pod.Spec.NodeName == o.subject.Name
	}
	return o.AllNamespaces || o.subject.Namespace != "" || pod.Namespace == in.Namespace
}

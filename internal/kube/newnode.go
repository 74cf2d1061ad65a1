package kube

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// NewNode is the node that a group would add in a zone, by the example of one of its nodes: its labels, annotations, resources,
// versions and features, under another name and in that zone (that of the example if empty), with the taints of a new node. What
// the example has come by since it was made is left out: its machine, addresses, volumes, images and conditions, and its cordon.
//
// Of the example's taints a new node has those that say nothing of the example's state, and that at least half of the group's nodes
// have: a taint of fewer was added later. A startup taint, such as that of an uninitialized node, is no exception. A new node begins
// with it, and where most nodes of the group keep it, what should remove it does not run. Cluster Autoscaler and Karpenter leave
// startup taints out, since they only decide whether a node is worth adding.
//
// Sources: kubernetes/autoscaler cluster-autoscaler/simulator/node_info_utils.go (createSanitizedNode) and utils/taints/taints.go
// (SanitizeTaints); kubernetes-sigs/karpenter pkg/scheduling/taints.go (KnownEphemeralTaints).
func NewNode(name, zone string, example *corev1.Node, group []*corev1.Node) *corev1.Node {
	node := &corev1.Node{TypeMeta: example.TypeMeta}
	node.Name, node.Labels, node.Annotations = name, maps.Clone(example.Labels), maps.Clone(example.Annotations)
	for _, label := range ZoneLabels {
		if _, ok := node.Labels[label]; ok && zone != "" {
			node.Labels[label] = zone
		}
	}
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[corev1.LabelHostname] = name
	for _, taint := range example.Spec.Taints {
		if !isStateTaint(taint) && isCommonTaint(taint, group) {
			node.Spec.Taints = append(node.Spec.Taints, *taint.DeepCopy())
		}
	}
	status := example.Status.DeepCopy()
	status.NodeInfo.MachineID, status.NodeInfo.SystemUUID, status.NodeInfo.BootID = "", "", ""
	node.Status = corev1.NodeStatus{
		Capacity: status.Capacity, Allocatable: status.Allocatable, NodeInfo: status.NodeInfo, DaemonEndpoints: status.DaemonEndpoints,
		RuntimeHandlers: status.RuntimeHandlers, Features: status.Features, DeclaredFeatures: status.DeclaredFeatures,
	}
	return node
}

// ExampleNode is the node of a group that a new one in a zone is like: the first that works, if any does, and of those one of the zone,
// if any stands there. Nodes that do not work may lack labels or resources.
//
// Source: kubernetes/autoscaler cluster-autoscaler/processors/nodeinfosprovider (isNodeGoodTemplateCandidate), which takes nodes that
// are Ready and not cordoned.
func ExampleNode(zone string, group []*corev1.Node) *corev1.Node {
	rank := func(node *corev1.Node) int {
		rank := 0
		if IsNodeReady(node) && !node.Spec.Unschedulable && !IsBeingRemoved(node) {
			rank += 2
		}
		if Zone(node) == zone {
			rank++
		}
		return rank
	}
	return slices.MaxFunc(group, func(a, b *corev1.Node) int { return cmp.Compare(rank(a), rank(b)) })
}

// isCommonTaint says whether at least half of a group's nodes have a taint.
func isCommonTaint(taint corev1.Taint, group []*corev1.Node) bool {
	have := 0
	for _, node := range group {
		if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }) {
			have++
		}
	}
	return have*2 >= len(group)
}

// isStateTaint says whether a taint is of a state that ends by itself or with the node, such as an outage.
//
// Sources: kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go (NodeConditionTaints,
// StatusTaintPrefix); kubernetes-sigs/karpenter pkg/scheduling/taints.go.
func isStateTaint(taint corev1.Taint) bool {
	switch taint.Key {
	case TaintToBeDeleted, TaintDeletionCandidate, TaintDisrupted, TaintNodeShutdown, "karpenter.sh/unregistered",
		"cloud.google.com/impending-node-termination", "NodeWithImpairedVolumes":
		return true
	default:
		return strings.HasPrefix(taint.Key, "node.kubernetes.io/") || strings.HasPrefix(taint.Key, "status-taint.cluster-autoscaler.kubernetes.io/")
	}
}

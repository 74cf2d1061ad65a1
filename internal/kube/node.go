package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"
)

// NodeReady is a node's condition Ready. A node without it never reported: its status is Unknown, as the node lifecycle controller
// sets it then.
//
// Source: pkg/controller/nodelifecycle of Kubernetes (tryUpdateNodeHealth).
func NodeReady(node *corev1.Node) corev1.NodeCondition {
	if _, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady); ready != nil {
		return *ready
	}
	return corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}
}

// IsNodeReady says whether a node's condition Ready is True.
func IsNodeReady(node *corev1.Node) bool { return NodeReady(node).Status == corev1.ConditionTrue }

// Taints of nodes that are removed, or may be, and of those whose machine the cloud has shut down.
//
// Sources: ToBeDeletedTaint and DeletionCandidateTaint in kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go; DisruptedTaintKey in
// kubernetes-sigs/karpenter pkg/apis/v1/taints.go; TaintNodeShutdown in k8s.io/cloud-provider/api.
const (
	TaintToBeDeleted       = "ToBeDeletedByClusterAutoscaler"
	TaintDeletionCandidate = "DeletionCandidateOfClusterAutoscaler"
	TaintDisrupted         = "karpenter.sh/disrupted"
	TaintNodeShutdown      = "node.cloudprovider.kubernetes.io/shutdown"
)

// IsBeingRemoved says whether a node is deleted, removed by an autoscaler, or shut down by the cloud. Its group no longer counts it.
func IsBeingRemoved(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == TaintToBeDeleted || t.Key == TaintDisrupted || t.Key == TaintNodeShutdown
	})
}

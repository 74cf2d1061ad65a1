package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

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

// KarpenterDoNotDisrupt is the annotation by which people ask Karpenter, with "true", to leave a pod or a node alone.
const KarpenterDoNotDisrupt = "karpenter.sh/do-not-disrupt"

// IsBeingRemoved says whether a node is deleted, removed by an autoscaler, or shut down by the cloud. Its group no longer counts it.
func IsBeingRemoved(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == TaintToBeDeleted || t.Key == TaintDisrupted || t.Key == TaintNodeShutdown
	})
}

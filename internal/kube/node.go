package kube

import (
	"slices"
	"strings"

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

// gkeOperation is the annotation of a node on which GKE carries out an operation, as lines such as "operation_type: AUTO_REPAIR_NODES".
const gkeOperation = "gke-current-operation"

// GKERecreation is the operation of GKE that is draining a node and creates it again: AUTO_REPAIR_NODES or UPGRADE_NODES; empty if there is none.
//
// Sources: kubernetes/ingress-gce pkg/utils/utils.go (GKECurrentOperationAnnotation), GoogleCloudPlatform/gcpdiag (queries of node repairs).
func GKERecreation(node *corev1.Node) string {
	for line := range strings.Lines(node.Annotations[gkeOperation]) {
		switch kind, is := strings.CutPrefix(strings.TrimSpace(line), "operation_type:"); {
		case !is:
		case strings.TrimSpace(kind) == "AUTO_REPAIR_NODES", strings.TrimSpace(kind) == "UPGRADE_NODES":
			return strings.TrimSpace(kind)
		}
	}
	return ""
}

// KarpenterDoNotDisrupt is the annotation by which people ask Karpenter, with "true", to leave a pod or a node alone.
const KarpenterDoNotDisrupt = "karpenter.sh/do-not-disrupt"

// IsBeingRemoved says whether a node is deleted, removed by an autoscaler, or shut down by the cloud. Its group no longer counts it.
func IsBeingRemoved(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == TaintToBeDeleted || t.Key == TaintDisrupted || t.Key == TaintNodeShutdown
	})
}

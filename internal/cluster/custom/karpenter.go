package custom

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KarpenterGroup is the API group of NodePools and NodeClaims (sigs.k8s.io/karpenter/pkg/apis/v1).
const KarpenterGroup = "karpenter.sh"

// NodePool says what nodes Karpenter may add, and how many.
type NodePool = Object[NodePoolSpec, NodePoolStatus]

// NodePoolSpec is what the NodePool may have.
type NodePoolSpec struct {
	// Limits bound the sum of its nodes' capacity, by resource; "nodes" counts them. One that is not named has no bound.
	Limits     corev1.ResourceList `json:"limits,omitempty"`
	Disruption NodePoolDisruption  `json:"disruption,omitzero"`
}

// NodePoolDisruption says which of its nodes Karpenter removes or replaces.
type NodePoolDisruption struct {
	// ConsolidationPolicy says which nodes are consolidated; empty stands for the API server's default, which is all.
	ConsolidationPolicy ConsolidationPolicy `json:"consolidationPolicy,omitempty"`
	// ConsolidateAfter is how long no pod must have come or gone before, or Never.
	ConsolidateAfter ConsolidateAfter `json:"consolidateAfter,omitempty"`
}

// ConsolidationPolicy is which nodes are consolidated.
type ConsolidationPolicy string

// ConsolidateAfter is a duration, or Never.
type ConsolidateAfter string

const (
	// ConsolidateWhenEmpty has nodes without pods removed. Any other policy has nodes with pods removed or replaced too.
	ConsolidateWhenEmpty ConsolidationPolicy = "WhenEmpty"
	// ConsolidateNever has no node consolidated.
	ConsolidateNever ConsolidateAfter = "Never"
)

// NodePoolLabel names the NodePool of a node.
const NodePoolLabel = KarpenterGroup + "/nodepool"

// NodePoolStatus is what the NodePool has.
type NodePoolStatus struct {
	// Resources are the sum of its nodes' capacity.
	Resources  corev1.ResourceList `json:"resources,omitempty"`
	Conditions []metav1.Condition  `json:"conditions,omitempty"`
}

// NodeClaim is a node that Karpenter has asked the cloud for.
type NodeClaim = Object[NodeClaimSpec, NodeClaimStatus]

// NodeClaimSpec has nothing that is read.
type NodeClaimSpec struct{}

// NodeClaimStatus tells how far the node has come: conditions Launched, Registered and Initialized, in this order.
type NodeClaimStatus struct {
	// NodeName is empty until the node has registered.
	NodeName   string             `json:"nodeName,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

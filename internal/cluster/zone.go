package cluster

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

// Zone is a node's zone, empty if no label names it.
func Zone(node *corev1.Node) string { return kube.Zone(node) }

// ZoneKey identifies a node's zone as Kubernetes' node lifecycle controller does: by region and zone.
//
// Source: k8s.io/component-helpers/node/topology (GetZoneKey).
func ZoneKey(node *corev1.Node) string {
	return node.Labels[corev1.LabelTopologyRegion] + "/" + Zone(node)
}

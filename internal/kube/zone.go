package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ZoneLabels are the labels by which a node or a volume's node affinity names its zone, the present one first.
//
// Sources: k8s.io/api/core/v1 well_known_labels.go; the topology keys of the AWS EBS and GCE PD CSI drivers. The EBS
// driver uses Kubernetes' own label since 1.50, its own before; volumes keep the one they were made with.
var ZoneLabels = []string{
	corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaZone,
	"topology.ebs.csi.aws.com/zone",
	"topology.gke.io/zone",
	"topology.disk.csi.azure.com/zone",
}

// Zone is the zone a node stands in, empty if its labels do not tell.
func Zone(node *corev1.Node) string {
	for _, label := range ZoneLabels {
		if zone := node.Labels[label]; zone != "" {
			return zone
		}
	}
	return ""
}

// NamedZones are the zones that the terms of a selector name, sorted. Terms that name none are ignored.
func NamedZones(selector *corev1.NodeSelector) []string {
	var zones []string
	for _, term := range selector.NodeSelectorTerms {
		for _, expression := range term.MatchExpressions {
			if expression.Operator == corev1.NodeSelectorOpIn && slices.Contains(ZoneLabels, expression.Key) {
				zones = append(zones, expression.Values...)
			}
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

package csi

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
)

// zoneKeys are the keys that mean a zone to the EBS driver; the second is its own, older one.
var zoneKeys = []string{corev1.LabelTopologyZone, "topology.ebs.csi.aws.com/zone"}

// topology chooses zones as the external-provisioner and the EBS driver do between them: of the zones a volume may live
// in the first of a list, which begins with the selected node's, or for a claim bound at once with one picked by the
// claim's name. https://github.com/kubernetes-csi/external-provisioner, pkg/controller/topology.go
type topology struct {
	nodes    corelisters.NodeLister
	csiNodes storagelisters.CSINodeLister
}

// zone is where the claim's volume is to be made. A not-found error says that the selected node is gone.
func (t topology) zone(driver, claim string, class *storagev1.StorageClass, selectedNode string) (string, error) {
	zones := allowedZones(class)
	if selectedNode != "" {
		selected, err := t.zoneOf(driver, selectedNode)
		if err != nil {
			return "", err
		}
		if len(zones) > 0 && !slices.Contains(zones, selected) {
			return "", fmt.Errorf("topology %s from selected node %q is not in requisite: %v", selected, selectedNode, zones)
		}
		return selected, nil
	}
	if len(zones) == 0 {
		var err error
		if zones, err = t.zonesWithNodes(driver); err != nil {
			return "", err
		}
	}
	if len(zones) == 0 {
		return "", fmt.Errorf("no available topology found")
	}
	return zones[spread(claim)%uint32(len(zones))], nil
}

func (t topology) zoneOf(driver, node string) (string, error) {
	csiNode, err := t.csiNodes.Get(node)
	if err != nil {
		return "", fmt.Errorf("failed to get selected CSINode %s: %w", node, err)
	}
	if !serves(csiNode, driver) {
		return "", fmt.Errorf("no topology key found for node %s", node)
	}
	selected, err := t.nodes.Get(node)
	if err != nil {
		return "", err
	}
	zone := selected.Labels[corev1.LabelTopologyZone]
	if zone == "" {
		return "", fmt.Errorf("topology labels from selected node %v does not match topology keys from CSINode [%s]", selected.Labels, corev1.LabelTopologyZone)
	}
	return zone, nil
}

// zonesWithNodes are those of all nodes, once the driver runs on any; sorted.
func (t topology) zonesWithNodes(driver string) ([]string, error) {
	csiNodes, err := t.csiNodes.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(csiNodes, func(n *storagev1.CSINode) bool { return serves(n, driver) }) {
		return nil, nil
	}
	nodes, err := t.nodes.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var zones []string
	for _, n := range nodes {
		if zone := n.Labels[corev1.LabelTopologyZone]; zone != "" {
			zones = append(zones, zone)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones), nil
}

func serves(n *storagev1.CSINode, driver string) bool {
	return slices.ContainsFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver && len(d.TopologyKeys) > 0 })
}

// allowedZones are the class's allowedTopologies, sorted; none means any.
func allowedZones(class *storagev1.StorageClass) []string {
	var zones []string
	for _, term := range class.AllowedTopologies {
		for _, expression := range term.MatchLabelExpressions {
			if slices.Contains(zoneKeys, expression.Key) {
				zones = append(zones, expression.Values...)
			}
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// spread turns a claim's name into a place in the list of zones. A StatefulSet's claims, named claim-set-ordinal, follow
// one another round the zones, and all claims of one ordinal go to the same zone.
func spread(claim string) uint32 {
	base, ordinal := claim, uint64(0)
	if at := strings.LastIndexByte(claim, '-'); at >= 0 {
		if n, err := strconv.ParseUint(claim[at+1:], 10, 32); err == nil {
			base, ordinal = claim[:at], n
			base = base[strings.LastIndexByte(base, '-')+1:]
		}
	}
	hash := fnv.New32()
	hash.Write([]byte(base))
	return hash.Sum32() + uint32(ordinal)
}

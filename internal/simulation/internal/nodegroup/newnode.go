package nodegroup

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodelifecycle"
)

// newNode is a new node with its CSINode.
type newNode struct {
	*corev1.Node
	csiNode *storagev1.CSINode
}

func (n newNode) edits() []cluster.Edit {
	if n.csiNode == nil {
		return []cluster.Edit{cluster.Put(n.Node)}
	}
	return []cluster.Edit{cluster.Put(n.Node), cluster.Put(n.csiNode)}
}

// newNodes are ready nodes like others of their group, one for each of the zones.
func (g *Groups) newNodes(group string, zones []string, similar []*corev1.Node) []newNode {
	made, templates := make([]newNode, 0, len(zones)), map[string]*corev1.Node{}
	for _, zone := range zones {
		if templates[zone] == nil {
			templates[zone] = nodeTemplate(zone, similar)
		}
		made = append(made, g.newNode(group, zone, templates[zone]))
	}
	return made
}

// nodeTemplate is a copy of one of a group's nodes, preferably a ready one of the zone, without what is specific to that node.
func nodeTemplate(zone string, similar []*corev1.Node) *corev1.Node {
	template := similar[0]
	for _, node := range similar {
		if inZone := cluster.Zone(node) == zone; inZone && cluster.Zone(template) != zone || inZone && !nodelifecycle.IsReady(template) && nodelifecycle.IsReady(node) {
			template = node
		}
	}
	node := template.DeepCopy()
	for _, label := range cluster.ZoneLabels {
		if _, ok := node.Labels[label]; ok {
			node.Labels[label] = zone
		}
	}
	node.Spec.ProviderID, node.Spec.Unschedulable = "", false
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return isTransientTaint(t) || !isCommonTaint(t, similar) })
	node.Status.Images, node.Status.Addresses, node.Status.VolumesAttached, node.Status.VolumesInUse = nil, nil, nil, nil
	node.Status.Conditions = nil
	return node
}

// newNode is a node of a group in a zone, made from a template.
func (g *Groups) newNode(group, zone string, template *corev1.Node) newNode {
	node, name := template.DeepCopy(), g.engine.Names.Node(group, zone)
	node.Name, node.UID, node.CreationTimestamp = name, g.engine.Names.UID(), *g.engine.APITime()
	node.Labels[corev1.LabelHostname] = name
	nodelifecycle.SetReady(node, corev1.ConditionTrue, "KubeletReady", *g.engine.APITime())
	return newNode{node, g.newCSINode(template, name)}
}

// newCSINode is the CSINode with the volume drivers that register on a new node.
func (g *Groups) newCSINode(template *corev1.Node, name string) *storagev1.CSINode {
	existing := cmp.Or(g.engine.World().CSINode(template.Name), g.engine.Initial.CSINode(template.Name)) // The template's node may have been removed.
	if existing == nil {
		return nil
	}
	drivers := existing.DeepCopy()
	drivers.Name, drivers.UID, drivers.OwnerReferences = name, g.engine.Names.UID(), nil
	for i := range drivers.Spec.Drivers {
		drivers.Spec.Drivers[i].NodeID = name
	}
	return drivers
}

// isCommonTaint says whether at least half of a group's nodes have a taint: a taint of fewer was added later.
func isCommonTaint(taint corev1.Taint, nodes []*corev1.Node) bool {
	have := 0
	for _, node := range nodes {
		if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }) {
			have++
		}
	}
	return have*2 >= len(nodes)
}

// isTransientTaint says whether a taint describes a node's state, and not its group.
func isTransientTaint(taint corev1.Taint) bool {
	return strings.HasPrefix(taint.Key, "node.kubernetes.io/") || strings.HasPrefix(taint.Key, "node.cloudprovider.kubernetes.io/") ||
		slices.Contains([]string{"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/disrupted"}, taint.Key)
}

package twin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// groupLabels name the node group a node belongs to, the first that is there counting: Karpenter's, EKS's, GKE's, AKS's.
var groupLabels = []string{
	"karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup", "cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool",
}

func groupOf(node *corev1.Node) string {
	for _, label := range groupLabels {
		if name := node.Labels[label]; name != "" {
			return name
		}
	}
	return ""
}

func zoneOf(node *corev1.Node) string {
	return cmp.Or(node.Labels[corev1.LabelTopologyZone], node.Labels[corev1.LabelFailureDomainBetaZone])
}

func typeOf(node *corev1.Node) string {
	return cmp.Or(node.Labels[corev1.LabelInstanceTypeStable], node.Labels[corev1.LabelInstanceType], "machine")
}

// region is the cloud of the nodes: zones, groups, and the types of machine that groups launch.
func (c *contents) region(volumes []cloud.Volume) cloud.Spec {
	nodes := all[*corev1.Node](c)
	csiNodes := named[*storagev1.CSINode](c)
	spec := cloud.Spec{}
	members := map[string][]*corev1.Node{}
	for _, node := range nodes {
		spec.Region = cmp.Or(spec.Region, node.Labels[corev1.LabelTopologyRegion])
		spec.Zones = append(spec.Zones, zoneOf(node))
		members[groupOf(node)] = append(members[groupOf(node)], node)
	}
	for _, volume := range volumes {
		spec.Zones = append(spec.Zones, volume.Zone)
	}
	slices.Sort(spec.Zones)
	spec.Zones = slices.DeleteFunc(slices.Compact(spec.Zones), func(zone string) bool { return zone == "" })
	c.notes.add(len(members[""]), "Node", "in no node group that its labels tell of: nothing replaces it")
	delete(members, "")
	for _, name := range slices.Sorted(maps.Keys(members)) {
		group := groupSpec(name, members[name], spec.Zones)
		spec.Groups = append(spec.Groups, group)
		known := func(t cloud.InstanceType) bool { return t.Name == group.InstanceType }
		if !slices.ContainsFunc(spec.InstanceTypes, known) {
			node := templateNode(members[name])
			spec.InstanceTypes = append(spec.InstanceTypes, machineType(node, csiNodes[types.NamespacedName{Name: node.Name}]))
		}
	}
	return spec
}

// groupSpec is a group as its nodes show it. A snapshot does not tell which zones a group spans: all, unless several nodes
// stand in one alone. Nor its bounds: it may grow. The zones of its nodes stay as they are until the group is resized.
func groupSpec(name string, nodes []*corev1.Node, zones []string) cloud.GroupSpec {
	var held []string
	for _, node := range nodes {
		held = append(held, zoneOf(node))
	}
	slices.Sort(held)
	if held = slices.Compact(held); len(held) == 1 && held[0] != "" && len(nodes) > 1 {
		zones = held
	}
	return cloud.GroupSpec{
		Name: name, InstanceType: typeOf(templateNode(nodes)), Zones: zones, Desired: len(nodes), Max: max(2*len(nodes), len(nodes)+10),
		Labels: commonLabels(nodes), Taints: commonTaints(nodes), Foreign: true, SuspendedProcesses: []string{"AZRebalance"},
	}
}

// templateNode is the node that new ones of the group are like: one of the most common type.
func templateNode(nodes []*corev1.Node) *corev1.Node {
	count := map[string]int{}
	for _, node := range nodes {
		count[typeOf(node)]++
	}
	return slices.MaxFunc(nodes, func(a, b *corev1.Node) int {
		return cmp.Or(cmp.Compare(count[typeOf(a)], count[typeOf(b)]), cmp.Compare(typeOf(a), typeOf(b)))
	})
}

// nodeSpecificLabels are those that differ from node to node, and are set when it registers.
var nodeSpecificLabels = []string{
	corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelInstanceTypeStable,
	corev1.LabelInstanceType, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion,
	"topology.ebs.csi.aws.com/zone", "topology.k8s.aws/zone-id",
}

func commonLabels(nodes []*corev1.Node) map[string]string {
	common := maps.Clone(nodes[0].Labels)
	maps.DeleteFunc(common, func(key, value string) bool {
		return slices.Contains(nodeSpecificLabels, key) || slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return n.Labels[key] != value })
	})
	return common
}

func commonTaints(nodes []*corev1.Node) []corev1.Taint {
	return slices.DeleteFunc(registeredTaints(nodes[0].Spec.Taints), func(t corev1.Taint) bool {
		return slices.ContainsFunc(nodes, func(n *corev1.Node) bool {
			return !slices.ContainsFunc(n.Spec.Taints, func(o corev1.Taint) bool { return o.MatchTaint(&t) && o.Value == t.Value })
		})
	})
}

// registeredTaints are the taints that a node registers with: those of its health and lifecycle come and go.
func registeredTaints(taints []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool {
		return strings.HasPrefix(t.Key, "node.kubernetes.io/") || strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/")
	})
}

// machineType is the machine that a node runs on, with what the node says it has.
func machineType(node *corev1.Node, csiNode *storagev1.CSINode) cloud.InstanceType {
	has := node.Status.Capacity
	kind := cloud.InstanceType{
		Name: typeOf(node), CPU: "1", Memory: "1Gi", Pods: int(has.Pods().Value()), Volumes: attachable(csiNode),
		Capacity: quantities(has), Allocatable: quantities(node.Status.Allocatable),
	}
	if !has.Cpu().IsZero() {
		kind.CPU = has.Cpu().String()
	}
	if !has.Memory().IsZero() {
		kind.Memory = has.Memory().String()
	}
	return kind
}

func quantities(list corev1.ResourceList) map[string]string {
	texts := map[string]string{}
	for name, q := range list {
		texts[string(name)] = q.String()
	}
	return texts
}

// groupSummaries are a line for each group, for a user who is going to resize one.
func groupSummaries(spec cloud.Spec) []string {
	var lines []string
	for _, g := range spec.Groups {
		lines = append(lines, fmt.Sprintf("group/%s: %d %s, taken to span %s", g.Name, g.Desired, plural(g.Desired, "node"), strings.Join(g.Zones, ", ")))
	}
	return lines
}

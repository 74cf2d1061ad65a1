package cluster

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
)

// LabAnnotation on a node says that naosu-lab simulates it. Its labels are those of the provider that the lab simulates, so that pods are scheduled
// as there; because of the annotation the lab, and not the provider, is asked to resize its group.
const LabAnnotation = "lab.naosu.dev/simulated"

// groupLabels are the labels that name a node's group, in order of precedence.
//
// Sources: karpenter.sh well-known labels; EKS managed node groups; GKE node pools; AKS node pools.
var groupLabels = []struct {
	label    string
	provider change.Provider
}{
	{"karpenter.sh/nodepool", change.Karpenter},
	{eksNodegroup, change.EKS},
	{"cloud.google.com/gke-nodepool", change.GKE},
	{"kubernetes.azure.com/agentpool", change.AKS},
}

// eksNodegroup is the label that EKS gives to nodes of managed node groups.
const eksNodegroup = "eks.amazonaws.com/nodegroup"

// eksctlCluster is the label by which eksctl tells nodes the name of their cluster; EKS itself gives none.
const eksctlCluster = "alpha.eksctl.io/cluster-name"

// Group is a node group, inferred from labels on nodes. A group without a node is not visible in the Kubernetes API.
type Group struct {
	Name     string
	Provider change.Provider
	// Label is the node label the group was inferred from.
	Label string
	// Nodes are sorted by name.
	Nodes []*corev1.Node
}

// Groups are in the order of their first node's name.
func (s *Snapshot) Groups() []Group { return s.index.groups.of(s).groups }

// GroupOf is the group a node belongs to; false if its labels name none.
func (s *Snapshot) GroupOf(node string) (Group, bool) {
	groups := s.index.groups.of(s)
	i, ok := groups.byNode[node]
	if !ok {
		return Group{}, false
	}
	return groups.groups[i], true
}

// of infers the groups of a Snapshot's nodes, once.
func (g *groups) of(s *Snapshot) *groups {
	g.once.Do(func() { g.groups, g.byNode = inferGroups(s.Nodes()) })
	return g
}

// GroupName is that of the group a node belongs to; empty if its labels name none.
func GroupName(node *corev1.Node) string {
	for _, known := range groupLabels {
		if name, ok := node.Labels[known.label]; ok {
			return name
		}
	}
	return ""
}

// Cluster is the cloud's name of the cluster, empty if no label of its nodes names it.
func (g Group) Cluster() string { return g.Nodes[0].Labels[eksctlCluster] }

// Region is the cloud's region of the group, empty if no label of its nodes names it.
func (g Group) Region() string { return g.Nodes[0].Labels[corev1.LabelTopologyRegion] }

// Sizer is the provider that changes the group's size, or the lab that simulates it.
func (g Group) Sizer() change.Provider {
	if _, simulated := g.Nodes[0].Annotations[LabAnnotation]; simulated {
		return change.Lab
	}
	return g.Provider
}

func inferGroups(nodes []*corev1.Node) ([]Group, map[string]int) {
	type key struct{ label, name string }
	var groups []Group
	byKey, byNode := map[key]int{}, map[string]int{}
	for _, node := range nodes {
		for _, known := range groupLabels {
			name, ok := node.Labels[known.label]
			if !ok {
				continue
			}
			i, ok := byKey[key{known.label, name}]
			if !ok {
				i = len(groups)
				byKey[key{known.label, name}] = i
				groups = append(groups, Group{Name: name, Provider: known.provider, Label: known.label})
			}
			groups[i].Nodes = append(groups[i].Nodes, node)
			byNode[node.Name] = i
			break
		}
	}
	return groups, byNode
}

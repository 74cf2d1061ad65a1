package addresses

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// ENIConfig is one that nodes use: with custom networking, the VPC CNI makes the interfaces for their pods in its subnet.
type ENIConfig struct {
	Name string
	// Subnet is the subnet's ID; empty if there is no such ENIConfig.
	Subnet string
	// Nodes are the names of those that use it.
	Nodes []string
}

// Exists says whether there is an ENIConfig of this name.
func (e ENIConfig) Exists() bool { return e.Subnet != "" }

// labelExternalENIConfig is a label that names a node's ENIConfig before all others.
const labelExternalENIConfig = "vpc.amazonaws.com/externalEniConfig"

// defaultENIConfig is the name of the ENIConfig of a node that names none.
const defaultENIConfig = "default"

// eniConfigOf is the name of the ENIConfig that a node uses; empty if it is not known.
//
// Source: amazon-vpc-cni-k8s, pkg/eniconfig/eniconfig.go (GetNodeSpecificENIConfigName).
func (s Settings) eniConfigOf(node *corev1.Node) string {
	if name, named := node.Labels[labelExternalENIConfig]; named {
		return name
	}
	if s.ENIConfigAnnotation == "" {
		return ""
	}
	if name, named := node.Annotations[s.ENIConfigAnnotation]; named {
		return name
	}
	if s.ENIConfigLabel == "" {
		return ""
	}
	if name, named := node.Labels[s.ENIConfigLabel]; named {
		return name
	}
	return defaultENIConfig
}

// eniConfigs finds which ENIConfigs the nodes use, if they could be read and custom networking is on.
func (c *computation) eniConfigs() {
	if !c.Settings.Custom || c.world.Knowledge(cluster.ENIConfig) != cluster.Complete {
		return
	}
	subnets := map[string]string{}
	for _, o := range c.world.ENIConfigs() {
		subnets[o.Name] = o.Spec.Subnet
	}
	for at := range c.Nodes {
		n := &c.Nodes[at]
		if n.ENIConfig = c.Settings.eniConfigOf(c.world.Node(n.Name)); n.ENIConfig == "" {
			continue
		}
		i := slices.IndexFunc(c.ENIConfigs, func(e ENIConfig) bool { return e.Name == n.ENIConfig })
		if i < 0 {
			i, c.ENIConfigs = len(c.ENIConfigs), append(c.ENIConfigs, ENIConfig{Name: n.ENIConfig, Subnet: subnets[n.ENIConfig]})
		}
		c.ENIConfigs[i].Nodes = append(c.ENIConfigs[i].Nodes, n.Name)
	}
	slices.SortFunc(c.ENIConfigs, func(a, b ENIConfig) int { return strings.Compare(a.Name, b.Name) })
}

// ENIConfigOf is the one that a node uses, and the subnet that it names; nil if they are not known.
func (r *Report) ENIConfigOf(n *Node) (*ENIConfig, *Subnet) {
	i := slices.IndexFunc(r.ENIConfigs, func(e ENIConfig) bool { return e.Name == n.ENIConfig })
	if i < 0 {
		return nil, nil
	}
	return &r.ENIConfigs[i], r.Subnet(r.ENIConfigs[i].Subnet)
}

// WithoutENIConfig is the number of nodes with custom networking of which the ENIConfig is not known.
func (r *Report) WithoutENIConfig() int {
	n := 0
	for _, node := range r.Nodes {
		if r.Settings.Custom && node.ENIConfig == "" {
			n++
		}
	}
	return n
}

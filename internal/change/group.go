package change

import "strconv"

// Provider is who runs a node group, which decides the command that sizes it.
type Provider string

// The providers whose node groups are told from the labels on their nodes.
const (
	AKS       Provider = "AKS"
	EKS       Provider = "EKS"
	GKE       Provider = "GKE"
	Karpenter Provider = "Karpenter"
	// Lab is naosu-lab's cloud, which plays one of the others.
	Lab Provider = "Lab"
)

// ResizeGroup sets the desired number of nodes of a node group. Which zones they come up in is the group's choice.
type ResizeGroup struct {
	Group    string   `json:"group"`
	Provider Provider `json:"provider"`
	// To is the desired number of nodes over all zones.
	To int `json:"to"`
	// PerZone is the number of nodes in each zone, for providers that size a group by zone (GKE); zero elsewhere.
	PerZone int `json:"perZone,omitempty"`
	// Max is the maximum size that the group needs for it, if its own is lower; zero otherwise.
	Max int `json:"max,omitempty"`
	// Zones are those the group is taken to span: it fills the emptiest first. Empty means those its nodes stand in.
	Zones []string `json:"zones,omitempty"`
	// Cluster and Region are the cloud's names, empty where nothing in the Kubernetes API tells them.
	Cluster string `json:"cluster,omitempty"`
	Region  string `json:"region,omitempty"`
}

// Subject is the node group.
func (r ResizeGroup) Subject() Ref { return Ref{Kind: "Group", Name: r.Group} }

// Command is the provider's own. It is empty for a provider whose groups have no size, such as Karpenter.
//
// Sources: AWS CLI `eks update-nodegroup-config`, Azure CLI `aks nodepool scale`, gcloud `container clusters resize`
// (whose --num-nodes counts nodes in each of the pool's zones).
func (r ResizeGroup) Command() string {
	to := strconv.Itoa(r.To)
	switch r.Provider {
	case EKS:
		words := []string{"aws", "eks", "update-nodegroup-config"}
		if r.Region != "" {
			words = append(words, "--region", r.Region)
		}
		return command(append(words, "--cluster-name", orPlaceholder(r.Cluster, "cluster"),
			"--nodegroup-name", r.Group, "--scaling-config", r.scalingConfig())...)
	case AKS:
		return command("az", "aks", "nodepool", "scale", "--resource-group", placeholderFor("resource-group"),
			"--cluster-name", orPlaceholder(r.Cluster, "cluster"), "--name", r.Group, "--node-count", to)
	case GKE:
		return command("gcloud", "container", "clusters", "resize", orPlaceholder(r.Cluster, "cluster"),
			"--location", orPlaceholder(r.Region, "location"), "--node-pool", r.Group, "--num-nodes", strconv.Itoa(r.PerZone))
	case Lab:
		words := []string{"naosu-lab", "scale", "group/" + r.Group, "--to", to}
		if r.Max > 0 {
			words = append(words, "--max", strconv.Itoa(r.Max))
		}
		return command(words...)
	default:
		return ""
	}
}

// scalingConfig are the sizes in EKS' words.
func (r ResizeGroup) scalingConfig() string {
	desired := "desiredSize=" + strconv.Itoa(r.To)
	if r.Max == 0 {
		return desired
	}
	return "maxSize=" + strconv.Itoa(r.Max) + "," + desired
}

// RaiseMaximum is the provider's own command that lets an autoscaler size the group up to as many nodes. It is empty for
// providers that have none.
//
// Sources: AWS CLI `eks update-nodegroup-config`, Azure CLI `aks nodepool update`, gcloud `container node-pools update` (whose
// --max-nodes counts nodes in each of the pool's zones).
func (r ResizeGroup) RaiseMaximum() string {
	to := strconv.Itoa(r.To)
	switch r.Provider {
	case EKS:
		words := []string{"aws", "eks", "update-nodegroup-config"}
		if r.Region != "" {
			words = append(words, "--region", r.Region)
		}
		return command(append(words, "--cluster-name", orPlaceholder(r.Cluster, "cluster"),
			"--nodegroup-name", r.Group, "--scaling-config", "maxSize="+to)...)
	case AKS:
		return command("az", "aks", "nodepool", "update", "--resource-group", placeholderFor("resource-group"),
			"--cluster-name", orPlaceholder(r.Cluster, "cluster"), "--name", r.Group, "--update-cluster-autoscaler", "--min-count", placeholderFor("min-count"), "--max-count", to)
	case GKE:
		return command("gcloud", "container", "node-pools", "update", r.Group, "--cluster", orPlaceholder(r.Cluster, "cluster"),
			"--location", orPlaceholder(r.Region, "location"), "--enable-autoscaling", "--max-nodes", strconv.Itoa(r.PerZone))
	default:
		return ""
	}
}

// MarshalJSON adds the kind of change to its fields.
func (r ResizeGroup) MarshalJSON() ([]byte, error) {
	type fields ResizeGroup
	return marshalTagged("ResizeGroup", fields(r))
}

func (ResizeGroup) sealed() {}

// RotateGroup replaces every node of a group by a new one, as a new launch template or image does. The new ones come up
// before the old are drained.
type RotateGroup struct {
	Group string `json:"group"`
	// To is the number of new nodes; zero is as many as the group has.
	To int `json:"to,omitempty"`
	// Zones are those the new nodes come up in, filled evenly; the provider chooses which of them get more, or one at all. Empty means those the old
	// ones stand in.
	Zones []string `json:"zones,omitempty"`
}

// Subject is the node group.
func (r RotateGroup) Subject() Ref { return Ref{Kind: "Group", Name: r.Group} }

// Command is none: each provider rotates in a way of its own.
func (RotateGroup) Command() string { return "" }

// MarshalJSON adds the kind of change to its fields.
func (r RotateGroup) MarshalJSON() ([]byte, error) {
	type fields RotateGroup
	return marshalTagged("RotateGroup", fields(r))
}

func (RotateGroup) sealed() {}

// AddNodes adds nodes that are like those of a group.
type AddNodes struct {
	Count int `json:"count"`
	// Group is whose nodes they are like; empty is the group with the most nodes.
	Group string `json:"group,omitempty"`
	// Zone is where they come up; empty is the group's emptiest.
	Zone string `json:"zone,omitempty"`
}

// Subject is the node group, unnamed if any will do.
func (a AddNodes) Subject() Ref { return Ref{Kind: "Group", Name: a.Group} }

// Command is none: ResizeGroup is what a person asks a provider for.
func (AddNodes) Command() string { return "" }

// MarshalJSON adds the kind of change to its fields.
func (a AddNodes) MarshalJSON() ([]byte, error) {
	type fields AddNodes
	return marshalTagged("AddNodes", fields(a))
}

func (AddNodes) sealed() {}

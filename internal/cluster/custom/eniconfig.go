package custom

// ENIConfigGroup is the API group of ENIConfigs (amazon-vpc-cni-k8s, pkg/apis/crd/v1alpha1).
const ENIConfigGroup = "crd.k8s.amazonaws.com"

// ENIConfig says in which subnet the AWS VPC CNI makes the interfaces for pods of the nodes that use it, with custom networking.
type ENIConfig = Object[ENIConfigSpec, None]

// ENIConfigSpec is where the interfaces are. Their security groups are not read.
type ENIConfigSpec struct {
	// Subnet is the subnet's ID.
	Subnet string `json:"subnet,omitempty"`
}

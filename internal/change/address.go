package change

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// TagSubnet has the VPC CNI use a subnet beside the nodes' own ones in its zone: it sets the subnet's tag kubernetes.io/role/cni to 1.
//
// Source: amazon-vpc-cni-k8s, docs/enhanced-subnet-discovery.md.
type TagSubnet struct {
	// Subnet is the subnet's ID.
	Subnet string `json:"subnet"`
}

// CNITag is the tag that TagSubnet sets, as KEY=VALUE.
const CNITag = "kubernetes.io/role/cni=1"

// Subject is the subnet.
func (t TagSubnet) Subject() Ref { return Ref{Kind: "Subnet", Name: t.Subnet} }

// Command is that of the AWS CLI.
func (t TagSubnet) Command() string {
	key, value, _ := strings.Cut(CNITag, "=")
	return command("aws", "ec2", "create-tags", "--resources", t.Subnet, "--tags", "Key="+key+",Value="+value)
}

// MarshalJSON adds the kind of change to its fields.
func (t TagSubnet) MarshalJSON() ([]byte, error) {
	type fields TagSubnet
	return marshalTagged("TagSubnet", fields(t))
}

func (TagSubnet) sealed() {}

// DeleteInterface deletes a network interface, which returns its addresses. EC2 refuses that for one that is attached.
type DeleteInterface struct {
	// Interface is the interface's ID.
	Interface string `json:"interface"`
}

// Subject is the network interface.
func (d DeleteInterface) Subject() Ref { return Ref{Kind: "NetworkInterface", Name: d.Interface} }

// Command is that of the AWS CLI.
func (d DeleteInterface) Command() string {
	return command("aws", "ec2", "delete-network-interface", "--network-interface-id", d.Interface)
}

// MarshalJSON adds the kind of change to its fields.
func (d DeleteInterface) MarshalJSON() ([]byte, error) {
	type fields DeleteInterface
	return marshalTagged("DeleteInterface", fields(d))
}

func (DeleteInterface) sealed() {}

// PatchPluginEnv is the change that SetPluginEnv makes.
func PatchPluginEnv(variables ...string) Patch {
	var env []corev1.EnvVar
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		env = append(env, corev1.EnvVar{Name: name, Value: value})
	}
	containers := []map[string]any{{"name": "aws-node", "env": env}}
	patch, _ := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": containers}}}}) // Strings alone.
	return Patch{Object: Ref{Kind: "DaemonSet", Namespace: "kube-system", Name: "aws-node"}, Patch: string(patch)}
}

// SetPluginEnv is the command that sets environment variables (NAME=value) of the VPC CNI. Its DaemonSet is rolled out by that.
func SetPluginEnv(variables ...string) string {
	return command(append([]string{"kubectl", "set", "env", "daemonset/aws-node", "--namespace", "kube-system", "--containers", "aws-node"}, variables...)...)
}

// SetENIConfigSubnet is the command that has an ENIConfig name another subnet.
func SetENIConfigSubnet(name, subnet string) string {
	patch, _ := json.Marshal(map[string]any{"spec": map[string]string{"subnet": subnet}}) // Strings alone.
	return command("kubectl", "patch", "eniconfig", name, "--type", "merge", "--patch", string(patch))
}

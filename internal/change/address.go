package change

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// TagForPods is the command that has the VPC CNI use a subnet beside the nodes' own ones in its zone.
//
// Source: amazon-vpc-cni-k8s, docs/enhanced-subnet-discovery.md.
func TagForPods(subnet string) string {
	return command("aws", "ec2", "create-tags", "--resources", subnet, "--tags", "Key=kubernetes.io/role/cni,Value=1")
}

// DeleteInterface is the command that deletes a network interface. EC2 refuses that for one that is attached.
func DeleteInterface(id string) string {
	return command("aws", "ec2", "delete-network-interface", "--network-interface-id", id)
}

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

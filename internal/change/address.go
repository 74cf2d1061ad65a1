package change

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

// SetPluginEnv is the command that sets environment variables (NAME=value) of the VPC CNI. Its DaemonSet is rolled out by that.
func SetPluginEnv(variables ...string) string {
	return command(append([]string{"kubectl", "set", "env", "daemonset/aws-node", "--namespace", "kube-system", "--containers", "aws-node"}, variables...)...)
}

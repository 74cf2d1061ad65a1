package cloud

import "slices"

// nitroVolumes is what Kubernetes assumes an instance on the Nitro system can attach beside its root volume and
// interfaces (DefaultMaxEBSNitroVolumeLimit in pkg/volume/util/attach_limit.go).
const nitroVolumes = 25

// wellKnownTypes need not be given in a Spec. CPU and memory are those of https://aws.amazon.com/ec2/instance-types/;
// pods those of https://github.com/aws/amazon-vpc-cni-k8s/blob/master/misc/eni-max-pods.txt; interfaces and addresses those of
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/AvailableIpPerENI.html.
var wellKnownTypes = []InstanceType{
	{Name: "t3.small", CPU: "2", Memory: "2Gi", Pods: 11, Volumes: nitroVolumes, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 4},
	{Name: "t3.medium", CPU: "2", Memory: "4Gi", Pods: 17, Volumes: nitroVolumes, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 6},
	{Name: "t3.large", CPU: "2", Memory: "8Gi", Pods: 35, Volumes: nitroVolumes, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 12},
	{Name: "m5.large", CPU: "2", Memory: "8Gi", Pods: 29, Volumes: nitroVolumes, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 10},
	{Name: "m5.xlarge", CPU: "4", Memory: "16Gi", Pods: 58, Volumes: nitroVolumes, MaximumNetworkInterfaces: 4, IPv4AddressesPerInterface: 15},
	{Name: "m5.2xlarge", CPU: "8", Memory: "32Gi", Pods: 58, Volumes: nitroVolumes, MaximumNetworkInterfaces: 4, IPv4AddressesPerInterface: 15},
	{Name: "m5.4xlarge", CPU: "16", Memory: "64Gi", Pods: 234, Volumes: nitroVolumes, MaximumNetworkInterfaces: 8, IPv4AddressesPerInterface: 30},
	{Name: "c5.large", CPU: "2", Memory: "4Gi", Pods: 29, Volumes: nitroVolumes, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 10},
	{Name: "c5.xlarge", CPU: "4", Memory: "8Gi", Pods: 58, Volumes: nitroVolumes, MaximumNetworkInterfaces: 4, IPv4AddressesPerInterface: 15},
	{Name: "c5.2xlarge", CPU: "8", Memory: "16Gi", Pods: 58, Volumes: nitroVolumes, MaximumNetworkInterfaces: 4, IPv4AddressesPerInterface: 15},
	{Name: "r5.large", CPU: "2", Memory: "16Gi", Pods: 29, Volumes: nitroVolumes, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 10},
	{Name: "r5.xlarge", CPU: "4", Memory: "32Gi", Pods: 58, Volumes: nitroVolumes, MaximumNetworkInterfaces: 4, IPv4AddressesPerInterface: 15},
}

// InstanceTypes are those that can be launched: the Spec's, and the well-known ones that it does not hide.
func (c *Cloud) InstanceTypes() []InstanceType {
	c.mu.Lock()
	defer c.mu.Unlock()
	types := slices.Clone(c.state.Region.InstanceTypes)
	for _, t := range wellKnownTypes {
		if !slices.ContainsFunc(types, func(given InstanceType) bool { return given.Name == t.Name }) {
			types = append(types, t)
		}
	}
	return types
}

// WellKnownTypes are the instance types that every cloud offers by default.
func WellKnownTypes() []InstanceType { return slices.Clone(wellKnownTypes) }

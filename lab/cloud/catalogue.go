package cloud

import "slices"

// nitroVolumes is what Kubernetes assumes an instance on the Nitro system can attach beside its root volume and
// interfaces (DefaultMaxEBSNitroVolumeLimit in pkg/volume/util/attach_limit.go).
const nitroVolumes = 25

// wellKnownTypes need not be given in a Spec. CPU and memory are those of https://aws.amazon.com/ec2/instance-types/;
// pods those of https://github.com/aws/amazon-vpc-cni-k8s/blob/master/misc/eni-max-pods.txt.
var wellKnownTypes = []InstanceType{
	{Name: "t3.small", CPU: "2", Memory: "2Gi", Pods: 11, Volumes: nitroVolumes},
	{Name: "t3.medium", CPU: "2", Memory: "4Gi", Pods: 17, Volumes: nitroVolumes},
	{Name: "t3.large", CPU: "2", Memory: "8Gi", Pods: 35, Volumes: nitroVolumes},
	{Name: "m5.large", CPU: "2", Memory: "8Gi", Pods: 29, Volumes: nitroVolumes},
	{Name: "m5.xlarge", CPU: "4", Memory: "16Gi", Pods: 58, Volumes: nitroVolumes},
	{Name: "m5.2xlarge", CPU: "8", Memory: "32Gi", Pods: 58, Volumes: nitroVolumes},
	{Name: "m5.4xlarge", CPU: "16", Memory: "64Gi", Pods: 234, Volumes: nitroVolumes},
	{Name: "c5.large", CPU: "2", Memory: "4Gi", Pods: 29, Volumes: nitroVolumes},
	{Name: "c5.xlarge", CPU: "4", Memory: "8Gi", Pods: 58, Volumes: nitroVolumes},
	{Name: "c5.2xlarge", CPU: "8", Memory: "16Gi", Pods: 58, Volumes: nitroVolumes},
	{Name: "r5.large", CPU: "2", Memory: "16Gi", Pods: 29, Volumes: nitroVolumes},
	{Name: "r5.xlarge", CPU: "4", Memory: "32Gi", Pods: 58, Volumes: nitroVolumes},
}

// WellKnownTypes are the instance types that every cloud offers by default.
func WellKnownTypes() []InstanceType { return slices.Clone(wellKnownTypes) }

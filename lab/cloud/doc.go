// Package cloud is the lab's region: zones, instance types, node groups, instances, block volumes, subnets and network
// interfaces, which behave as EC2, EC2 Auto Scaling and EBS do.
//
// It is a model with a clock, and has no Kubernetes objects beyond the labels and taints that a group's nodes register with. What
// a cloud controller manager and a CSI driver do with it lives in the packages below it; the server of AWS's wire protocols
// is there too.
//
// Everything that is random in a real cloud comes from the Spec's seed and the order of the calls, so the same requests
// give the same instances. Groups react at once to what is asked of them; machines take their time.
package cloud

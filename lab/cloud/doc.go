// Package cloud is the lab's region: zones, instance types, node groups, instances and block volumes, which behave as
// EC2, EC2 Auto Scaling and EBS do.
//
// It is a model with a clock and knows nothing of Kubernetes objects beyond the words a group's nodes register with. What
// a cloud controller manager and a CSI driver do with it lives in the packages below it.
package cloud

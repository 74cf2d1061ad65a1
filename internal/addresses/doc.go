// Package addresses computes, from a Snapshot with the network facts of AWS, who holds the addresses of each subnet, which nodes have none left,
// which interfaces leaked, and how many addresses would be free if every Auto Scaling group grew to its maximum. It is pure: nothing is read.
//
// An Allocator predicts which pods get an address when pods and nodes come and go. Both know the AWS VPC CNI alone; elsewhere, PodRanges is what the
// Kubernetes API shows. A part that was not read is unknown, and what naosu does not judge is listed as such.
package addresses

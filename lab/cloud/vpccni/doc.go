// Package vpccni simulates the address manager (ipamd) of the Amazon VPC CNI plugin on every machine: it keeps a warm pool of
// addresses on network interfaces of the machine's instance, gives pods their addresses from it, returns what is too many, and
// looks every hour for interfaces that were left behind.
//
// It follows https://github.com/aws/amazon-vpc-cni-k8s at v1.23.1 and is configured as the real one is, by the environment of the
// DaemonSet kube-system/aws-node, which it reads anew before each decision; without the DaemonSet, by the defaults. It runs on a machine
// whether or not a pod of the DaemonSet does. Custom networking, prefix delegation, security groups for pods and IPv6 are not there.
// Its calls to EC2 count towards the account's limits. The real one's SDK tries a refused call up to ten times; here, the agent tries
// again when it looks at its pool next.
package vpccni

// Package nodecontroller is the cloud-controller-manager of the lab: Kubernetes' own cloud node controller and cloud node
// lifecycle controller (k8s.io/cloud-provider), over a provider that reads from the lab's cloud what the AWS provider reads from
// EC2.
//
// So a node gets its providerID, zone, type and addresses and loses its first taint, the Node of a terminated instance
// goes once it is no longer Ready, that of a stopped one is tainted, and a Node without an instance is left alone.
package nodecontroller

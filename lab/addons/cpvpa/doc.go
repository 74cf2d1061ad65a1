// Package cpvpa simulates kubernetes-sigs/cluster-proportional-vertical-autoscaler (cpvpa), whose pods the lab's
// kubelets only pretend to run: the program that on GKE raises calico-node's requests as the cluster grows.
//
// A Deployment whose container carries a cpvpa image, and of which a replica is ready, is one such program. What it does is
// read from that container's own command line, as the program itself would read it, so that a manifest taken from a real
// cluster behaves here as it does there.
package cpvpa

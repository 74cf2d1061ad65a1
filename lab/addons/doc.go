// Package addons holds programs that run in pods on a real cluster, and whose pods the lab's kubelets only pretend to run:
// one folder each, simulated outside the pod. What they do to the cluster is what the real ones do; a fault of
// their pod or its node does not always stop them, and each package says how far it does.
package addons

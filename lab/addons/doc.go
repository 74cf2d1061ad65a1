// Package addons holds programs that run in pods on a real cluster, and whose pods the lab's kubelets only pretend to run:
// one folder each, the program played from outside the pod. What they do to the cluster is what the real ones do; what
// keeps them from running, in their pod or on its node, does not always reach them, and each says how far it does.
package addons

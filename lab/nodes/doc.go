// Package nodes simulates kubelets: machines whose containers are nothing but a note of when they start and end, and an
// agent on each that talks to the real API server as a kubelet does.
//
// One Fleet runs all machines. Informers say what changed, one delaying queue of node names says which machine has
// something to do when, and a few workers take a machine at a time, so that no machine is ever in two hands. What a pod
// does next is decided by pure functions over the pod and its state on the machine (advance, statusOf, admission, podToEvict);
// the step around them alone reads and writes the API.
//
// Periods and delays are the kubelet's defaults, scaled by the lab's pace. Durations in annotations are scenario time.
// Whole-second fields of the API (probes, grace periods, deadlines) are not scaled, because the controllers
// read them too: who applies a manifest in a faster lab scales them.
package nodes

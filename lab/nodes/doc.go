// Package nodes is the lab's simulated kubelets: machines that register, send heartbeats, run pods and fail as real ones
// do, while nothing is ever really executed.
package nodes

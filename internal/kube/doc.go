// Package kube says what Kubernetes itself says of one object: the node that a DaemonSet's pod is for, the priority that a pod is
// admitted with, the template that a workload makes pods from. Each function follows a function of Kubernetes that its comment names,
// and a test holds it to that one.
//
// What belongs here needs the object alone, or a few others that are handed in. What needs the whole cluster belongs to
// internal/cluster and the packages above it, what needs the scheduler's plugins to internal/scheduling. The package imports
// Kubernetes' API types and helpers only.
package kube

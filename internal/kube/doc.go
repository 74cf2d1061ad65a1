// Package kube says what Kubernetes itself says of one object: the node that a DaemonSet's pod is for, the priority that a pod is
// admitted with, the template that a workload makes pods from; and what its autoscalers say a new node of a group looks like. Each
// function follows one of Kubernetes or of an autoscaler that its comment names, and a test holds it to that one where it can be
// called.
//
// What belongs here needs the object alone, or a few others that are handed in. What needs the whole cluster belongs to
// internal/cluster and the packages above it, what needs the scheduler's plugins to internal/scheduling. The package imports
// Kubernetes' API types and helpers only.
package kube

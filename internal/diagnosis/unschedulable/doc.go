// Package unschedulable says why the scheduler finds no node for a pod (PodScheduled is False), and what would give it one. It is
// not about nodes that are cordoned (spec.unschedulable).
package unschedulable

// Package unschedulable explains why the scheduler finds no node for a pod (PodScheduled is False), and proposes remedies. It is
// not about cordoned nodes (spec.unschedulable).
package unschedulable

// Package unschedulable says why a pod has no node, and what would give it one.
package unschedulable

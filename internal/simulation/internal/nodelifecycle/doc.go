// Package nodelifecycle simulates what happens to nodes and thereby to their pods: nodes that fail, taints and the evictions that
// follow from them, cordons, drains, and repair actions.
package nodelifecycle

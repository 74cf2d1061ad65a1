// Package placement says why a pod has no node, and what would give it one.
package placement

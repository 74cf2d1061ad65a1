// Package nodegroup simulates groups of nodes: which nodes they launch and where, and which they terminate, when a group grows,
// shrinks or is rotated.
package nodegroup

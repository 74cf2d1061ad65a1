// Package noderepair is the controller that repairs unhealthy nodes: it reads policies and nodes, proposes Remediations through
// internal/repairpolicy, gathers the facts that the guard decides by, and hands each Remediation to internal/action. It changes
// nothing in the cluster but naosu's own records.
package noderepair

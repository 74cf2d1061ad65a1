// Package noderepair is the concern that mends ill nodes: it reads policies, nodes and what goes on, proposes Remediations
// through internal/repairpolicy, gathers the facts that the guard decides by, and hands each Remediation to internal/action. It
// changes nothing in the cluster but naosu's own records.
package noderepair
